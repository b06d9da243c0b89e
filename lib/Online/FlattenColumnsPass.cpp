//===- FlattenColumnsPass.cpp - one dimension of columns ------------------===//

#include "smx/IR/Smx.h"
#include "smx/Online/Passes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::smx {
#define GEN_PASS_DEF_FLATTENCOLUMNSPASS
#include "smx/Online/Passes.h.inc"
} // namespace mlir::smx

using namespace mlir;
using namespace mlir::smx;

/// All dimensions in front of `first`, each on its own, and the `count` others
/// as one.
static SmallVector<ReassociationIndices> groupsOf(int64_t first,
                                                  int64_t count) {
  SmallVector<ReassociationIndices> groups;
  for (int64_t d : llvm::seq(first))
    groups.push_back({d});
  groups.push_back(llvm::to_vector(llvm::seq(first, first + count)));
  return groups;
}

/// sum_j p_j v[j, a, b] = (sum_j p_j v'[j, ab])[a, b], where v' is v with one
/// dimension for both.
static void flatten(SoftmaxDotOp op, int64_t columnDims) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  int64_t stream = op.getValues().getType().getRank() - columnDims - 1;
  Value values = tensor::CollapseShapeOp::create(
      builder, loc, op.getValues(), groupsOf(stream + 1, columnDims));
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(builder, loc, op.getValues());
  sizes.erase(sizes.begin() + stream);

  SmallVector<int64_t> shape(
      cast<RankedTensorType>(values.getType()).getShape());
  shape.erase(shape.begin() + stream);
  RankedTensorType type = op.getResult().getType();
  Value flat = SoftmaxDotOp::create(
      builder, loc, RankedTensorType::get(shape, type.getElementType()),
      op.getScores(), values, op.getScaleAttr(), op.getMaskedRowAttr());
  SmallVector<int64_t> expanded(op.getValues().getType().getShape());
  expanded.erase(expanded.begin() + stream);
  Value result = tensor::ExpandShapeOp::create(
      builder, loc, RankedTensorType::get(expanded, type.getElementType()),
      flat, groupsOf(stream, columnDims), sizes);
  // Either type may know an extent that the other leaves open.
  if (result.getType() != type)
    result = tensor::CastOp::create(builder, loc, type, result);
  op.replaceAllUsesWith(result);
  op.erase();
}

namespace {
struct FlattenColumnsPass
    : mlir::smx::impl::FlattenColumnsPassBase<FlattenColumnsPass> {
  using FlattenColumnsPassBase::FlattenColumnsPassBase;

  void runOnOperation() override {
    SmallVector<SoftmaxDotOp> ops;
    getOperation()->walk([&](SoftmaxDotOp op) { ops.push_back(op); });
    for (SoftmaxDotOp op : ops) {
      int64_t columnDims = op.getValues().getType().getRank() -
                           op.getScores().getType().getRank();
      if (columnDims > 1)
        flatten(op, columnDims);
    }
  }
};
} // namespace
