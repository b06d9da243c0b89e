//===- Attention.cpp - product, softmax, product --------------------------===//

#include "AttentionRaiser.h"
#include "RowReductions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::smx;

AttentionRaiser::AttentionRaiser(RewriterBase &rewriter, Product product,
                                 unsigned weights, WeightsPath path)
    : rewriter(rewriter), product(product), weightsInput(weights), path(path),
      positions(product.op.getContext(),
                path.softmax.getResult().getType().getShape()) {}

std::string AttentionRaiser::raise() {
  Operation *last = product.op->getPrevNode();
  for (auto step : {&AttentionRaiser::readWeights, &AttentionRaiser::readScores,
                    &AttentionRaiser::chooseOperands,
                    &AttentionRaiser::readSinks, &AttentionRaiser::build})
    if (std::string whyNot = (this->*step)(); !whyNot.empty()) {
      // Copies of operands would be further uses to whoever looks next.
      while (product.op->getPrevNode() != last)
        rewriter.eraseOp(product.op->getPrevNode());
      return whyNot;
    }
  return "";
}

/// Follows copies and reshapes back to a softmax.
static std::optional<WeightsPath> findWeights(RewriterBase &rewriter,
                                              OpOperand *operand) {
  WeightsPath path;
  Value value = operand->get();
  while (Operation *op = value.getDefiningOp()) {
    if (auto softmax = dyn_cast<SoftmaxOp>(op)) {
      path.softmax = softmax;
      return path;
    }
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
      path.softmax = standInForSinks(rewriter, slice, path.sinkColumn);
      path.sinkSlice = slice;
      return path.softmax ? std::optional(path) : std::nullopt;
    }
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    bool isReshape = isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp,
                         tensor::CastOp, arith::ExtFOp, arith::TruncFOp>(op);
    if (!isReshape && (!linalgOp || linalgOp.getNumDpsInputs() != 1 ||
                       linalgOp.getNumReductionLoops() > 0))
      return std::nullopt;
    path.steps.push_back(&op->getOpOperand(0));
    value = op->getOperand(0);
  }
  return std::nullopt;
}

static bool readsSoftmax(OpOperand *operand) {
  Value value = operand->get();
  Positions positions(value.getContext(),
                      cast<RankedTensorType>(value.getType()).getShape());
  ElementReader reader(positions);
  return reader.contains(reader.identityElement(value), [](const Element &e) {
    return e.value.getDefiningOp<SoftmaxOp>() != nullptr;
  });
}

bool mlir::smx::raiseAttention(RewriterBase &rewriter, linalg::LinalgOp op) {
  std::optional<Product> product = matchProduct(op);
  if (!product)
    return false;
  std::string whyNot;
  for (unsigned n : {0u, 1u}) {
    OpOperand *operand = op.getDpsInputOperand(n);
    if (!readsSoftmax(operand))
      continue;
    std::optional<WeightsPath> path = findWeights(rewriter, operand);
    if (!path) {
      whyNot = "the weights are changed between softmax and product";
      continue;
    }
    whyNot = AttentionRaiser(rewriter, *product, n, *path).raise();
    if (whyNot.empty())
      return true;
    if (path->sinkSlice)
      rewriter.replaceOp(path->softmax, path->sinkSlice.getResult());
  }
  if (!whyNot.empty())
    remarkNotRaised(op, "smx.attention", whyNot);
  return false;
}
