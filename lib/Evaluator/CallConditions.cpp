//===- CallConditions.cpp - what open extents have to satisfy -------------===//

#include "CallConditions.h"

#include "smx/IR/Smx.h"
#include "smx/IR/SourcePlace.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
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

static void assertSame(OpBuilder &builder, const OperandExtent &a,
                       const OperandExtent &b) {
  if (!ShapedType::isDynamic(a.getSize()) && a.getSize() == b.getSize())
    return;
  Operation *op = a.operand->getOwner();
  Value areSame =
      arith::CmpIOp::create(builder, op->getLoc(), arith::CmpIPredicate::eq,
                            a.build(builder), b.build(builder));
  cf::AssertOp::create(builder, op->getLoc(), areSame,
                       makeMessage(op, "expected " + a.describe() + " and " +
                                           b.describe() + " to be the same"));
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

static void assertCast(OpBuilder &builder, tensor::CastOp op) {
  auto to = dyn_cast<RankedTensorType>(op.getType());
  if (!to || !isa<RankedTensorType>(op.getSource().getType()))
    return;
  for (auto [d, size] : llvm::enumerate(to.getShape())) {
    if (ShapedType::isDynamic(size))
      continue;
    Location loc = op.getLoc();
    Value holds = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::eq,
        tensor::DimOp::create(builder, loc, op.getSource(),
                              static_cast<int64_t>(d)),
        arith::ConstantIndexOp::create(builder, loc, size));
    cf::AssertOp::create(builder, loc, holds,
                         makeMessage(op, "expected dimension " +
                                             std::to_string(d) + " to be " +
                                             std::to_string(size)));
  }
}

void mlir::smx::insertCallConditions(func::FuncOp function) {
  function.getContext()
      ->loadDialect<arith::ArithDialect, cf::ControlFlowDialect,
                    tensor::TensorDialect>();
  for (Operation &op : llvm::make_early_inc_range(function.getBody().front())) {
    OpBuilder builder(&op);
    builder.setInsertionPointAfter(&op);
    if (auto structured = dyn_cast<linalg::LinalgOp>(op))
      assertLoops(builder, structured);
    else if (auto cast = dyn_cast<tensor::CastOp>(op))
      assertCast(builder, cast);
    else if (isa_and_nonnull<SmxDialect>(op.getDialect()))
      if (auto verifiable = dyn_cast<RuntimeVerifiableOpInterface>(op))
        verifiable.generateRuntimeVerification(builder, op.getLoc(),
                                               makeMessage);
  }
}
