//===- CallConditions.cpp - what open extents have to satisfy -------------===//

#include "CallConditions.h"

#include "smx/IR/IndexMath.h"
#include "smx/IR/Smx.h"
#include "smx/IR/SourcePlace.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/RuntimeVerifiableOpInterface.h"

using namespace mlir;
using namespace mlir::smx;

static std::string makeMessage(Operation *op, StringRef message) {
  return placed(op->getLoc(),
                "'" + op->getName().getStringRef() + "': " + message);
}

namespace {
struct OperandExtent {
  OpOperand *operand;
  int64_t dim;

  int64_t getSize() const {
    return cast<ShapedType>(operand->get().getType()).getDimSize(dim);
  }
  Value build(OpBuilder &builder) const {
    return linalg::createOrFoldDimOp(builder, operand->getOwner()->getLoc(),
                                     operand->get(), dim);
  }
  std::string describe() const {
    return "dimension " + std::to_string(dim) + " of operand " +
           std::to_string(operand->getOperandNumber());
  }
};
} // namespace

/// Asserts that two index values compare so.
static void assertNumbers(OpBuilder &builder, Operation *op,
                          arith::CmpIPredicate predicate, OpFoldResult a,
                          OpFoldResult b, const Twine &message) {
  Location loc = op->getLoc();
  Value holds = arith::CmpIOp::create(
      builder, loc, predicate, getValueOrCreateConstantIndexOp(builder, loc, a),
      getValueOrCreateConstantIndexOp(builder, loc, b));
  cf::AssertOp::create(builder, loc, holds, makeMessage(op, message.str()));
}

/// Asserts that `number`, the `what` of dimension `dim`, is 0 or more; an
/// extent of a tensor is.
static void assertNotNegative(OpBuilder &builder, Operation *op,
                              OpFoldResult number, const Twine &what,
                              int64_t dim) {
  auto value = dyn_cast<Value>(number);
  if (value && !value.getDefiningOp<tensor::DimOp>())
    assertNumbers(builder, op, arith::CmpIPredicate::sge, number,
                  builder.getIndexAttr(0),
                  "expected the " + what + " of dimension " + Twine(dim) +
                      " not to be negative");
}

static void assertSame(OpBuilder &builder, const OperandExtent &a,
                       const OperandExtent &b) {
  if (!ShapedType::isDynamic(a.getSize()) && a.getSize() == b.getSize())
    return;
  assertNumbers(builder, a.operand->getOwner(), arith::CmpIPredicate::eq,
                a.build(builder), b.build(builder),
                "expected " + a.describe() + " and " + b.describe() +
                    " to be the same");
}

/// Extents that one loop runs over are the same. Upstream's checks, of linalg
/// and of casts, say so too, but in arithmetic of a dialect of its own, and
/// those of linalg refuse empty tensors.
static void assertLoops(OpBuilder &builder, linalg::LinalgOp op) {
  SmallVector<std::optional<OperandExtent>> firstOfLoop(op.getNumLoops());
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<ShapedType>(operand.get().getType()))
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [d, expr] : llvm::enumerate(map.getResults())) {
      auto loop = dyn_cast<AffineDimExpr>(expr);
      if (!loop)
        continue;
      OperandExtent extent{&operand, static_cast<int64_t>(d)};
      auto &first = firstOfLoop[loop.getPosition()];
      if (first)
        assertSame(builder, *first, extent);
      else
        first = extent;
    }
  }
}

/// Asserts that dimension `dim` of the result of `op`, which has `size`
/// elements, has the static extent of its type.
static void assertExtent(OpBuilder &builder, Operation *op, int64_t dim,
                         OpFoldResult size, int64_t extent) {
  assertNumbers(builder, op, arith::CmpIPredicate::eq, size,
                builder.getIndexAttr(extent),
                "expected dimension " + Twine(dim) + " to be " + Twine(extent));
}

static void assertCast(OpBuilder &builder, tensor::CastOp op) {
  auto to = dyn_cast<RankedTensorType>(op.getType());
  if (!to || !isa<RankedTensorType>(op.getSource().getType()))
    return;
  for (auto [d, size] : llvm::enumerate(to.getShape()))
    if (!ShapedType::isDynamic(size))
      assertExtent(builder, op, d,
                   tensor::getMixedSize(builder, op.getLoc(), op.getSource(),
                                        static_cast<int64_t>(d)),
                   size);
}

/// All extents of two operands are the same: of what is copied and the place
/// for it, and of a softmax of linalg, which is no structured op.
static void assertSameShape(OpBuilder &builder, OpOperand &a, OpOperand &b) {
  auto type = dyn_cast<ShapedType>(a.get().getType());
  if (!type || !type.hasRank())
    return;
  for (int64_t d : llvm::seq(type.getRank()))
    assertSame(builder, {&a, d}, {&b, d});
}

/// The dimensions that one of `grouped` becomes have as many elements.
static void assertReshape(OpBuilder &builder, Operation *op, Value grouped,
                          Value split, ArrayRef<ReassociationIndices> groups) {
  Location loc = op->getLoc();
  for (auto [d, group] : llvm::enumerate(groups)) {
    Value count = arith::ConstantIndexOp::create(builder, loc, 1);
    for (int64_t part : group)
      count = arith::MulIOp::create(
          builder, loc, count,
          tensor::DimOp::create(builder, loc, split, part));
    assertNumbers(builder, op, arith::CmpIPredicate::eq, count,
                  tensor::getMixedSize(builder, loc, grouped, d),
                  "expected the elements of dimension " + Twine(d) +
                      " and of those that it becomes to be as many");
  }
}

/// A reshape to sizes that are computed: the static extents of the result are
/// these, and there are as many elements.
static void assertReshape(OpBuilder &builder, tensor::ReshapeOp op) {
  auto from = dyn_cast<RankedTensorType>(op.getSource().getType());
  auto to = dyn_cast<RankedTensorType>(op.getType());
  if (!from || !to)
    return;
  Location loc = op.getLoc();
  IndexMath math{builder, loc};
  Value before = math.constant(1), after = math.constant(1);
  for (int64_t d : llvm::seq(from.getRank()))
    before = math.mul(
        before, linalg::createOrFoldDimOp(builder, loc, op.getSource(), d));
  for (auto [d, extent] : llvm::enumerate(to.getShape())) {
    Value size = math.asIndex(tensor::ExtractOp::create(
        builder, loc, op.getShape(), math.constant(d)));
    after = math.mul(after, size);
    if (!ShapedType::isDynamic(extent))
      assertExtent(builder, op, d, size, extent);
  }
  assertNumbers(builder, op, arith::CmpIPredicate::eq, before, after,
                "expected as many elements as before");
}

/// What is put together has the same extents in all other dimensions, and
/// together those of the result.
static void assertConcat(OpBuilder &builder, tensor::ConcatOp op) {
  IndexMath math{builder, op.getLoc()};
  const auto along = static_cast<int64_t>(op.getDim());
  for (auto [d, extent] : llvm::enumerate(op.getResultType().getShape())) {
    const auto dim = static_cast<int64_t>(d);
    OperandExtent first{&op->getOpOperand(0), dim};
    Value all = first.build(builder);
    for (OpOperand &other : llvm::drop_begin(op->getOpOperands())) {
      OperandExtent part{&other, dim};
      if (dim == along)
        all = math.add(all, part.build(builder));
      else
        assertSame(builder, first, part);
    }
    if (!ShapedType::isDynamic(extent))
      assertExtent(builder, op, dim, all, extent);
  }
}

/// Padding is not negative, and static extents of the result are what comes of
/// it.
static void assertPad(OpBuilder &builder, tensor::PadOp op) {
  Location loc = op.getLoc();
  IndexMath math{builder, loc};
  for (auto [d, extent, low, high] :
       llvm::enumerate(op.getResultType().getShape(), op.getMixedLowPad(),
                       op.getMixedHighPad())) {
    for (OpFoldResult padding : {low, high})
      assertNotNegative(builder, op, padding, "padding", d);
    Value before = getValueOrCreateConstantIndexOp(builder, loc, low),
          behind = getValueOrCreateConstantIndexOp(builder, loc, high);
    if (!ShapedType::isDynamic(extent))
      assertExtent(
          builder, op, d,
          math.add(math.add(before, linalg::createOrFoldDimOp(
                                        builder, loc, op.getSource(), d)),
                   behind),
          extent);
  }
}

/// What is put into a slice is as large as the slice.
static void assertSource(OpBuilder &builder, tensor::InsertSliceOp op) {
  const llvm::SmallBitVector dropped = op.getDroppedDims();
  int64_t sourceDim = 0;
  for (auto [d, size] : llvm::enumerate(op.getMixedSizes())) {
    if (dropped.test(d))
      continue;
    assertNumbers(
        builder, op, arith::CmpIPredicate::eq,
        tensor::getMixedSize(builder, op.getLoc(), op.getSource(), sourceDim++),
        size,
        "expected the source and the slice to have as many elements "
        "in dimension " +
            Twine(d));
  }
}

/// 0 <= offset, offset + (size - 1) * stride < extent; or there is nothing in
/// the slice.
static void assertSlice(OpBuilder &builder, OffsetSizeAndStrideOpInterface op,
                        Value tensor) {
  Location loc = op.getLoc();
  auto valueOf = [&](OpFoldResult number) {
    return getValueOrCreateConstantIndexOp(builder, loc, number);
  };
  for (auto [d, offset, size, stride] : llvm::enumerate(
           op.getMixedOffsets(), op.getMixedSizes(), op.getMixedStrides())) {
    assertNotNegative(builder, op, offset, "offset", d);
    assertNotNegative(builder, op, size, "size", d);
    Value count = valueOf(size);
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);
    Value last = arith::AddIOp::create(
        builder, loc, valueOf(offset),
        arith::MulIOp::create(builder, loc, valueOf(stride),
                              arith::SubIOp::create(builder, loc, count, one)));
    // Nothing is in front of the first element.
    Value least = arith::SelectOp::create(
        builder, loc,
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt, count,
                              valueOf(builder.getIndexAttr(0))),
        last, arith::ConstantIndexOp::create(builder, loc, -1));
    assertNumbers(builder, op, arith::CmpIPredicate::slt, least,
                  tensor::getMixedSize(builder, loc, tensor, d),
                  "expected the slice to end within dimension " + Twine(d));
  }
}

void mlir::smx::insertCallConditions(func::FuncOp function) {
  function.getContext()
      ->loadDialect<arith::ArithDialect, cf::ControlFlowDialect,
                    tensor::TensorDialect>();
  for (Operation &op : llvm::make_early_inc_range(function.getBody().front())) {
    OpBuilder builder(&op);
    builder.setInsertionPointAfter(&op);
    if (auto empty = dyn_cast<tensor::EmptyOp>(op)) {
      for (auto [d, size] : llvm::enumerate(empty.getMixedSizes()))
        assertNotNegative(builder, empty, size, "size", d);
    } else if (auto structured = dyn_cast<linalg::LinalgOp>(op))
      assertLoops(builder, structured);
    else if (auto softmax = dyn_cast<linalg::SoftmaxOp>(op))
      assertSameShape(builder, softmax.getInputMutable(),
                      softmax.getOutputMutable());
    else if (auto write =
                 dyn_cast<bufferization::MaterializeInDestinationOp>(op))
      assertSameShape(builder, write.getSourceMutable(),
                      write.getDestMutable());
    else if (auto copy = dyn_cast<memref::CopyOp>(op))
      assertSameShape(builder, copy.getSourceMutable(),
                      copy.getTargetMutable());
    else if (auto cast = dyn_cast<tensor::CastOp>(op))
      assertCast(builder, cast);
    else if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
      assertReshape(builder, expand, expand.getSrc(), expand.getResult(),
                    expand.getReassociationIndices());
    else if (auto reshape = dyn_cast<tensor::ReshapeOp>(op))
      assertReshape(builder, reshape);
    else if (auto concat = dyn_cast<tensor::ConcatOp>(op))
      assertConcat(builder, concat);
    else if (auto pad = dyn_cast<tensor::PadOp>(op))
      assertPad(builder, pad);
    else if (auto extract = dyn_cast<tensor::ExtractSliceOp>(op))
      assertSlice(builder, extract, extract.getSource());
    else if (auto insert = dyn_cast<tensor::InsertSliceOp>(op)) {
      assertSlice(builder, insert, insert.getDest());
      assertSource(builder, insert);
    } else if (isa_and_nonnull<SmxDialect>(op.getDialect()))
      if (auto verifiable = dyn_cast<RuntimeVerifiableOpInterface>(op))
        verifiable.generateRuntimeVerification(builder, op.getLoc(),
                                               makeMessage);
  }
}
