//===- TileDequantization.cpp - tiles of 8 bits, widened for products -----===//
//
// The matrix unit multiplies 16-bit tiles of shared memory, and what is copied
// there has 8 bits: each thread reads a part of the stage into registers,
// computes what the nest says, and writes it to a second tile, which keys and
// values have in turn.
//
//===----------------------------------------------------------------------===//

#include "Swizzle.h"
#include "TileConverter.h"

#include "smx/IR/Dequantization.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::smx::gpu;
using Class = TileClasses::Class;

bool TileConverter::isWidenedOperand(linalg::GenericOp op) const {
  return smx::findQuantized(op) &&
         llvm::all_of(op.getResult(0).getUses(), [&](OpOperand &use) {
           auto generic = dyn_cast<linalg::GenericOp>(use.getOwner());
           std::optional<TileProduct> product =
               generic ? matchProduct(generic, classes) : std::nullopt;
           return product && product->b == &use;
         });
}

/// Threads read 16 bytes each, along the rows, if there are rows for all; null
/// if they can not share the tile evenly.
static StripedAttr layoutOf(SharedType stage, int64_t warps) {
  int64_t threads = warps * ::smx::gpu::warpThreads;
  ArrayRef<int64_t> shape = stage.getShape();
  auto factor = [](int64_t n, int64_t most) {
    int64_t power = 1;
    while (power < most && n % (2 * power) == 0)
      power *= 2;
    return power;
  };
  for (int64_t vector = factor(shape[1], 16);; vector /= 2) {
    int64_t columns = factor(shape[1] / vector, threads);
    if (threads % columns == 0 && shape[0] % (threads / columns) == 0)
      return StripedAttr::get(stage.getContext(), threads / columns, columns,
                              vector);
    if (vector == 1)
      return {};
  }
}

FailureOr<Value>
TileConverter::widenStage(linalg::GenericOp op, Value stage,
                          ArrayRef<std::optional<Class>> dims) {
  Location loc = op.getLoc();
  auto type = cast<SharedType>(stage.getType());
  StripedAttr layout = layoutOf(type, schedule.warps);
  if (!layout)
    return op.emitOpError("a tile of ")
           << type.getShape()[0] << " x " << type.getShape()[1]
           << " elements, which all threads widen, can not be shared evenly by "
           << schedule.warps << " warps; a power of two of them, and fewer "
           << "(warps), would work";
  auto form =
      RankedTensorType::get(type.getShape(), type.getElementType(), layout);
  OpOperand *quantized = smx::findQuantized(op);
  IRMapping values;
  // Nobody reads any more what the tile had, before it is read what comes: a
  // part of it is written as soon as it is there, and takes no registers.
  BarrierOp::create(builder, loc);
  for (OpOperand *input : op.getDpsInputOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(input);
    if (argument.use_empty())
      continue;
    Value tensor = input->get();
    RankedTensorType tile = form.clone(getElementTypeOrSelf(tensor.getType()));
    if (input == quantized) {
      values.map(argument, ReadOp::create(builder, loc, tile, stage).getTile());
    } else if (!isa<RankedTensorType>(tensor.getType())) {
      values.map(argument, splat(scalarOf(tensor), tile));
    } else if (TypedAttr constant = splatOf(tensor)) {
      values.map(argument, arith::ConstantOp::create(
                               builder, loc, tile,
                               DenseElementsAttr::get(tile, constant)));
    } else if (GlobalView *view = viewOf(tensor)) {
      Box box = boxOf(tensor, *view, dims, tile.getShape());
      values.map(argument,
                 LoadOp::create(builder, loc, tile, view->memref, box.offsets,
                                box.valid, /*slide=*/Value(), box.dims,
                                box.aligned)
                     .getTile());
    } else {
      return op.emitOpError("expected scales that lie in memory, got some that "
                            "this loop nest computes");
    }
  }
  auto valueOf = [&](Value value) {
    if (Value known = values.lookupOrNull(value))
      return known;
    return splat(scalarOf(value), form.clone(value.getType()));
  };
  for (Operation &inner : op.getBlock()->without_terminator()) {
    IRMapping mapping;
    for (Value operand : inner.getOperands())
      mapping.map(operand, valueOf(operand));
    // A constant is the same in all places.
    if (inner.hasTrait<OpTrait::ConstantLike>()) {
      values.map(inner.getResult(0),
                 splat(builder.clone(inner)->getResult(0),
                       form.clone(inner.getResult(0).getType())));
      continue;
    }
    Operation *copy = inner.clone(mapping);
    for (OpResult result : copy->getResults())
      result.setType(form.clone(result.getType()));
    builder.insert(copy);
    values.map(inner.getResults(), copy->getResults());
  }
  Value wide = valueOf(op.getBlock()->getTerminator()->getOperand(0));

  auto sharedType = SharedType::get(builder.getContext(), type.getShape(),
                                    getElementTypeOrSelf(wide.getType()),
                                    widestSwizzle(type.getShape()[1] * 2));
  // The product that reads it follows at once: the next one may have it.
  Value &shared = wideTiles[sharedType];
  if (!shared) {
    OpBuilder::InsertionGuard guard(builder);
    auto kernel = stage.getParentRegion()->getParentOfType<KernelOp>();
    builder.setInsertionPointToStart(&kernel.getBody().front());
    shared = AllocOp::create(builder, loc, sharedType);
  }
  // All see what is there now.
  WriteOp::create(builder, loc, wide, shared);
  BarrierOp::create(builder, loc);
  return shared;
}
