//===- AttentionSinks.cpp - one more score, whose weight is dropped -------===//
//
//   softmax([s, sink])_j = e^s_j / (sum_k e^s_k + e^sink)      j < keys
//
//===----------------------------------------------------------------------===//

#include "AttentionRaiser.h"
#include "Rows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::smx;

SoftmaxOp mlir::smx::standInForSinks(RewriterBase &rewriter,
                                     tensor::ExtractSliceOp slice,
                                     Value &sinkColumn) {
  auto whole = slice.getSource().getDefiningOp<SoftmaxOp>();
  auto concat =
      whole ? whole.getInput().getDefiningOp<tensor::ConcatOp>() : nullptr;
  if (!concat || concat.getInputs().size() != 2 ||
      concat.getDim() != whole.getAxis() || !whole.getResult().hasOneUse() ||
      !slice.hasUnitStride())
    return {};
  int64_t axis = whole.getAxis();
  for (unsigned n : {0u, 1u}) {
    auto scores = cast<RankedTensorType>(concat.getInputs()[n].getType());
    auto column = cast<RankedTensorType>(concat.getInputs()[1 - n].getType());
    if (column.getDimSize(axis) != 1 || !scores.hasStaticShape() ||
        slice.getType().getShape() != scores.getShape())
      continue;
    bool isScores = llvm::all_of(
        llvm::enumerate(slice.getMixedOffsets()), [&](auto offset) {
          int64_t first = int64_t(offset.index()) == axis ? n : 0;
          return isConstantIntValue(offset.value(), first);
        });
    if (!isScores)
      continue;
    sinkColumn = concat.getInputs()[1 - n];
    rewriter.setInsertionPoint(slice);
    auto softmax = SoftmaxOp::create(
        rewriter, slice.getLoc(), slice.getType(), concat.getInputs()[n],
        whole.getAxisAttr(), whole.getScaleAttr(), whole.getMaskedRowAttr());
    rewriter.replaceAllUsesWith(slice.getResult(), softmax.getResult());
    return softmax;
  }
  return {};
}

std::string AttentionRaiser::readSinks() {
  if (!path.sinkColumn)
    return "";
  if (path.softmax.getScale().convertToDouble() != 1)
    return "the sinks are scaled with the scores";
  SmallVector<AffineExpr> at = positions.getAll();
  at.resize(path.softmax.getInput().getType().getRank());
  at[parts.key] = positions.constant(0);
  if (parts.batch.empty())
    return "there are sinks, but no heads";
  Element sink = reader.tensorElement(path.sinkColumn, at);
  unsigned head = parts.batch.back();
  auto readsElsewhere = [&](const Element &e) {
    bool isLeaf =
        !reader.arithmetic(e) || e.value.getDefiningOp<linalg::IndexOp>();
    return isLeaf && llvm::any_of(e.at, [&](AffineExpr index) {
             return llvm::any_of(llvm::seq(positions.size()), [&](unsigned n) {
               return n != head && positions.depends(index, n);
             });
           });
  };
  SmallVector<Value> sources;
  if (!reader.contains(sink, readsElsewhere))
    sinks = materialize(rewriter, reader, sink, positions.get(head), sources);
  if (!sinks)
    return "the sinks are not one number of each head";
  auto type = cast<RankedTensorType>(sinks.getType());
  Type score = getAccumulatorType(getElementTypeOrSelf(query.tensor.getType()));
  if (type.getElementType() == score)
    return "";
  if (type.getElementTypeBitWidth() >= score.getIntOrFloatBitWidth())
    return "the sinks are of a wider type than scores";
  sinks = arith::ExtFOp::create(rewriter, product.op.getLoc(),
                                type.clone(score), sinks);
  return "";
}
