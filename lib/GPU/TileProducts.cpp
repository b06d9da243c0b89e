//===- TileProducts.cpp - matrix products on tiles ------------------------===//
//
// The second operand of a product is read by all warps: it goes through shared
// memory, over a channel. The first one stays in registers.
//
//===----------------------------------------------------------------------===//

#include "Swizzle.h"
#include "TileConverter.h"

#include "smx/IR/Dequantization.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::smx::gpu;
using Class = TileClasses::Class;

/// True if `operand` is computed from the result of another product: weights,
/// not queries.
static bool followsProduct(OpOperand &operand, const TileClasses &classes) {
  llvm::SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitBlockArguments = true;
  options.filter = [&](Operation *op) {
    return op->getBlock() == operand.getOwner()->getBlock();
  };
  if (failed(getBackwardSlice(operand.get(), &slice, options)))
    return false;
  return llvm::any_of(slice, [&](Operation *op) {
    auto generic = dyn_cast<linalg::GenericOp>(op);
    return generic && matchProduct(generic, classes);
  });
}

/// The first operand of `product`, as a tile of the second one's type. 16-bit
/// operands are multiplied as they are; weights, which the nest computes in
/// f32, are rounded to the type of the values.
FailureOr<Value> TileConverter::firstOperand(linalg::GenericOp op,
                                             const TileProduct &product) {
  Value tensor = product.a->get();
  FailureOr<Value> a = tileOf(tensor, op);
  if (failed(a))
    return failure();
  Location loc = op.getLoc();
  Type wanted = getElementTypeOrSelf(product.b->get().getType());
  auto type = cast<RankedTensorType>(a->getType());
  Type element = type.getElementType();
  bool isComputed = viewOf(tensor) == nullptr;
  if (isComputed && isPadded(product.reduced, type.getDimSize(1)))
    // -0 is what a guarded product skips.
    *a = withPadding(*a, product.reduced, 1,
                     builder.getFloatAttr(element, -0.0));
  if (element == wanted)
    return *a;
  unsigned bits = element.getIntOrFloatBitWidth(),
           wantedBits = wanted.getIntOrFloatBitWidth();
  if (bits > wantedBits)
    return arith::TruncFOp::create(builder, loc, type.clone(wanted), *a)
        .getResult();
  if (bits < wantedBits)
    return arith::ExtFOp::create(builder, loc, type.clone(wanted), *a)
        .getResult();
  return op->emitOpError("expected operands of one type, got ")
         << element << " and " << wanted;
}

/// The channel for tiles of `type` of the tensor in `memory`, of products whose
/// first operand follows another product or not.
Value TileConverter::channelFor(Location loc, Value memory, ChannelType type,
                                bool followsProduct) {
  Value &channel = channels[followsProduct][{memory, type}];
  if (channel)
    return channel;
  OpBuilder::InsertionGuard guard(builder);
  Operation *kernel = builder.getInsertionBlock()->getParentOp();
  if (!isa<KernelOp>(kernel))
    kernel = kernel->getParentOfType<KernelOp>();
  builder.setInsertionPointToStart(&kernel->getRegion(0).front());
  channel = MakeChannelOp::create(builder, loc, type);
  return channel;
}

LogicalResult TileConverter::convertProduct(linalg::GenericOp op,
                                            const TileProduct &product) {
  Location loc = op.getLoc();
  Value bTensor = product.b->get();
  FailureOr<Value> acc = tileOf(op.getDpsInits()[0], op);
  FailureOr<Value> a = firstOperand(op, product);
  if (failed(acc) || failed(a))
    return failure();
  // What is widened is copied as it is, and widened from a stage.
  auto widening = bTensor.getDefiningOp<linalg::GenericOp>();
  if (widening && isWidenedOperand(widening))
    bTensor = findQuantized(widening)->get();
  else
    widening = nullptr;
  GlobalView *view = viewOf(bTensor);
  if (!view)
    return op->emitOpError("expected the second operand of a product to lie in "
                           "memory, got one that this loop nest computes");

  // The later of the two dimensions in memory is the columns of the stage.
  SmallVector<Class> dims = classes.classesOf(bTensor);
  auto positionOf = [&](Class c) {
    return view->dims[llvm::find(dims, c) - dims.begin()];
  };
  bool transposed = positionOf(product.reduced) > positionOf(product.columns);
  Class first = transposed ? product.columns : product.reduced;
  Class second = transposed ? product.reduced : product.columns;
  SmallVector<int64_t, 2> shape{schedule.paddedExtent(first, classes),
                                schedule.paddedExtent(second, classes)};
  Type copied = getElementTypeOrSelf(bTensor.getType());
  int64_t swizzle =
      widestSwizzle(shape[1] * copied.getIntOrFloatBitWidth() / 8);
  auto channelType =
      ChannelType::get(builder.getContext(), shape, copied, swizzle, 1);
  Value channel = channelFor(loc, view->memref, channelType,
                             followsProduct(*product.a, classes));
  Box box = boxOf(bTensor, *view, {first, second}, shape);
  bool isAsync = box.aligned % 16 == 0 && box.aligned != 0;
  PutOp::create(builder, loc, view->memref, box.offsets, box.valid, channel,
                box.dims, isAsync ? CopyKind::Async : CopyKind::Plain,
                box.aligned, /*multicast=*/false);
  Value stage =
      GetOp::create(builder, loc, channelType.getStageType(), channel);
  if (widening) {
    FailureOr<Value> wide = widenStage(widening, stage, {first, second});
    if (failed(wide))
      return failure();
    stage = *wide;
  }
  auto mma =
      MmaOp::create(builder, loc, acc->getType(), *a, stage, *acc, transposed,
                    product.guarded, /*terms=*/false, Precision::Exact);
  ReleaseOp::create(builder, loc, channel);
  tiles[op.getResult(0)] = mma.getResult();
  return success();
}
