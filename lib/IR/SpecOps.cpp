//===- SpecOps.cpp - verifiers and shapes of the specification ops --------===//
//
// The rule numbers are those of the td descriptions.
//
//===----------------------------------------------------------------------===//

#include "SpecRules.h"
#include "TileArithmetic.h"
#include "smx/IR/ElementBits.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::smx;

//===----------------------------------------------------------------------===//
// Row ops
//===----------------------------------------------------------------------===//

template <typename OpT>
static LogicalResult verifyRowOp(OpT op) {
  if (failed(verifyInputAndAxis(op, op.getInput(), op.getAxis())) ||
      failed(verifyScale(op, op.getScale())))
    return failure();
  return verifyShape(op, "a result", op.getResult(), shapeOf(op.getInput()));
}

LogicalResult SoftmaxOp::verify() { return verifyRowOp(*this); }
LogicalResult LogSoftmaxOp::verify() { return verifyRowOp(*this); }

LogicalResult LogSumExpOp::verify() {
  if (failed(verifyInputAndAxis(*this, getInput(), getAxis())) ||
      failed(verifyScale(*this, getScale())))
    return failure();
  return verifyShape(*this, "a result", getResult(), // R5
                     withoutAxis(shapeOf(getInput()), getAxis()));
}

template <typename OpT>
static LogicalResult verifyNorm(OpT op) {
  if (failed(verifyInputAndAxis(op, op.getInput(), op.getAxis())))
    return failure();
  if (failed(verifyEpsilon([&] { return op.emitOpError(); }, // R6
                           op.getEpsilonAttr())))
    return failure();
  return verifyShape(op, "a result", op.getResult(), shapeOf(op.getInput()));
}

LogicalResult LayerNormOp::verify() { return verifyNorm(*this); }
LogicalResult RmsNormOp::verify() { return verifyNorm(*this); }

LogicalResult
SoftmaxOp::reifyResultShapes(OpBuilder &builder,
                             ReifiedRankedShapedTypeDims &shapes) {
  return reifyAsInput(*this, builder, shapes);
}
LogicalResult
LogSoftmaxOp::reifyResultShapes(OpBuilder &builder,
                                ReifiedRankedShapedTypeDims &shapes) {
  return reifyAsInput(*this, builder, shapes);
}
LogicalResult
LayerNormOp::reifyResultShapes(OpBuilder &builder,
                               ReifiedRankedShapedTypeDims &shapes) {
  return reifyAsInput(*this, builder, shapes);
}
LogicalResult
RmsNormOp::reifyResultShapes(OpBuilder &builder,
                             ReifiedRankedShapedTypeDims &shapes) {
  return reifyAsInput(*this, builder, shapes);
}
LogicalResult
LogSumExpOp::reifyResultShapes(OpBuilder &builder,
                               ReifiedRankedShapedTypeDims &shapes) {
  if (failed(reifyAsInput(*this, builder, shapes)))
    return failure();
  shapes[0].erase(shapes[0].begin() + getAxis());
  return success();
}

namespace {
/// softmax(log_softmax(x)) = softmax(x): log_softmax only shifts each row.
struct DropLogSoftmaxUnderSoftmax : OpRewritePattern<SoftmaxOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SoftmaxOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getInput().getDefiningOp<LogSoftmaxOp>();
    if (!inner || inner.getAxis() != op.getAxis() ||
        !op.getScale().isExactlyValue(1.0) || op.getMaskedRow() ||
        inner.getMaskedRow())
      return rewriter.notifyMatchFailure(op, "not softmax of log_softmax");
    if (inner.getResult().getType() != inner.getInput().getType())
      return rewriter.notifyMatchFailure(op, "log_softmax rounds");
    rewriter.modifyOpInPlace(op, [&] {
      op.getInputMutable().assign(inner.getInput());
      op.setScaleAttr(inner.getScaleAttr());
    });
    return success();
  }
};
} // namespace

void SoftmaxOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *context) {
  patterns.add<DropLogSoftmaxUnderSoftmax>(context);
}

//===----------------------------------------------------------------------===//
// smx.softmax_dot
//===----------------------------------------------------------------------===//

LogicalResult SoftmaxDotOp::verify() {
  ArrayRef<int64_t> scores = shapeOf(getScores());
  ArrayRef<int64_t> values = shapeOf(getValues());
  if (!isStoredFloat(elementOf(getScores())) ||
      !isStoredFloat(elementOf(getValues())) || scores.empty()) // D1
    return emitOpError("expected floating-point elements and scores of rank "
                       "at least 1, got ")
           << getScores().getType() << " and " << getValues().getType();
  bool isPrefix = values.size() >= scores.size() &&
                  llvm::all_of(llvm::zip(scores, values), [](auto p) {
                    return areCompatible(std::get<0>(p), std::get<1>(p));
                  });
  if (!isPrefix) // D2
    return emitOpError("expected the shape of the values to start with that "
                       "of the scores, got ")
           << getScores().getType() << " and " << getValues().getType();
  if (failed(verifyScale(*this, getScale()))) // D4
    return failure();
  SmallVector<int64_t> shape(values);
  shape.erase(shape.begin() + scores.size() - 1);
  return verifyShape(*this, "a result", getResult(), shape); // D3
}

LogicalResult
SoftmaxDotOp::reifyResultShapes(OpBuilder &builder,
                                ReifiedRankedShapedTypeDims &shapes) {
  shapes = {tensor::getMixedSizes(builder, getLoc(), getValues())};
  shapes[0].erase(shapes[0].begin() + shapeOf(getScores()).size() - 1);
  return success();
}

//===----------------------------------------------------------------------===//
// smx.attention
//===----------------------------------------------------------------------===//

Type AttentionOp::getScoreType() {
  return getAccumulatorType(elementOf(getQuery()));
}

int64_t AttentionOp::getGroupSize() {
  int64_t batchDims = getNumBatchDims();
  if (batchDims == 0)
    return 1;
  int64_t queryHeads = shapeOf(getQuery())[batchDims - 1];
  int64_t keyHeads = shapeOf(getKey())[batchDims - 1];
  if (ShapedType::isDynamic(queryHeads) || ShapedType::isDynamic(keyHeads) ||
      keyHeads == 0)
    return 1;
  return queryHeads / keyHeads;
}

/// A8: the arguments and the yielded type of a region over score positions, and
/// that it may be computed as often as a schedule likes.
static LogicalResult verifyPositionRegion(AttentionOp op, Region &region,
                                          StringRef name, bool takesScore,
                                          Type yielded) {
  if (region.empty())
    return success();
  SmallVector<Type> expected(op.getQuery().getType().getRank(),
                             IndexType::get(op.getContext()));
  if (takesScore)
    expected.insert(expected.begin(), op.getScoreType());
  if (llvm::to_vector(region.getArgumentTypes()) != expected)
    return op.emitOpError("expected region '")
           << name << "' to take (" << expected << "), got ("
           << region.getArgumentTypes() << ")";
  auto yield = dyn_cast<YieldOp>(region.front().getTerminator());
  if (!yield || yield->getNumOperands() != 1 ||
      yield.getValue().getType() != yielded)
    return op.emitOpError("expected region '")
           << name << "' to yield " << yielded << ", got ("
           << region.front().getTerminator()->getOperandTypes() << ")";
  WalkResult onMemory = region.walk([&](Operation *inner) {
    if (llvm::none_of(inner->getOperandTypes(), llvm::IsaPred<BaseMemRefType>))
      return WalkResult::advance();
    op.emitOpError("expected region '")
        << name << "' to compute from tensors and numbers, got '"
        << inner->getName() << "' on memory";
    return WalkResult::interrupt();
  });
  return failure(onMemory.wasInterrupted());
}

LogicalResult AttentionOp::verify() {
  ArrayRef<int64_t> q = shapeOf(getQuery()), k = shapeOf(getKey()),
                    v = shapeOf(getValue());
  Type element = elementOf(getQuery()), keyElement = elementOf(getKey());
  bool isQuantized = isa<Float8E4M3FNType>(keyElement) &&
                     (element.isF16() || element.isBF16());
  if (q.size() < 2 || k.size() != q.size() || v.size() != q.size() ||
      !isStoredFloat(element) || (keyElement != element && !isQuantized) ||
      elementOf(getValue()) != keyElement) // A1
    return emitOpError("expected query, key and value of one rank of at "
                       "least 2 and one floating-point type (or f8E4M3FN keys "
                       "and values for queries of f16 or bf16), got ")
           << getQuery().getType() << ", " << getKey().getType() << " and "
           << getValue().getType();
  if (!areCompatible(q.back(), k.back())) // A2
    return emitOpError("expected query and key to have the same head dim, got ")
           << q.back() << " and " << k.back();
  if (q.back() == 0 || k.back() == 0 || v.back() == 0) // A2
    return emitOpError("expected head dims of at least 1, got ")
           << q.back() << ", " << k.back() << " and " << v.back();
  size_t batchDims = q.size() - 2;
  for (size_t i = 0; i <= batchDims; ++i)
    if (!areCompatible(k[i], v[i])) // A3
      return emitOpError("expected key and value to agree in dim ")
             << i << ", got " << k[i] << " and " << v[i];
  for (size_t i = 0; i < batchDims; ++i) { // A4
    if (areCompatible(q[i], k[i]))
      continue;
    if (i + 1 == batchDims && k[i] > 0 && q[i] > 0 && q[i] % k[i] == 0)
      continue;
    if (i + 1 == batchDims)
      return emitOpError("expected the number of query heads to be a multiple "
                         "of the number of key heads, got ")
             << q[i] << " and " << k[i];
    return emitOpError("expected query and key to agree in batch dim ")
           << i << ", got " << q[i] << " and " << k[i];
  }
  SmallVector<int64_t> shape(q.drop_back());
  if (getLogSumExp()) { // A6
    if (failed(verifyShape(*this, "a log-sum-exp", getLogSumExp(), shape)))
      return failure();
    if (elementOf(getLogSumExp()) != getScoreType())
      return emitOpError("expected a log-sum-exp of ")
             << getScoreType() << ", got " << elementOf(getLogSumExp());
  }
  shape.push_back(v.back());
  if (failed(verifyShape(*this, "a result", getResult(), shape)) || // A5
      failed(verifyScale(*this, getScale())))                       // A7
    return failure();
  if (failed(verifyPositionRegion(*this, getScore(), "score",
                                  /*takesScore=*/true, getScoreType())))
    return failure();
  if (failed(verifyPositionRegion(*this, getVisible(), "visible",
                                  /*takesScore=*/false,
                                  IntegerType::get(getContext(), 1))))
    return failure();
  if (Value sinks = getSinks()) { // A10
    if (batchDims == 0)
      return emitOpError("expected one sink for each query head, but there are "
                         "no heads");
    if (!mayHaveShape(cast<RankedTensorType>(sinks.getType()),
                      q[batchDims - 1]) ||
        elementOf(sinks) != getScoreType()) {
      InFlightDiagnostic diagnostic =
          emitOpError("expected one sink for each query head, ");
      printShape(diagnostic, q[batchDims - 1]);
      return diagnostic << " of " << getScoreType() << ", got "
                        << sinks.getType();
    }
  }
  return verifyMaskData(*this, getMask().value_or(nullptr), getMaskData(), // A9
                        q.take_front(batchDims), q[batchDims], k[batchDims]);
}

LogicalResult
AttentionOp::reifyResultShapes(OpBuilder &builder,
                               ReifiedRankedShapedTypeDims &shapes) {
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(builder, getLoc(), getQuery());
  sizes.pop_back();
  if (getLogSumExp())
    shapes.push_back(sizes);
  sizes.push_back(tensor::getMixedSize(builder, getLoc(), getValue(),
                                       getNumBatchDims() + 1));
  shapes.insert(shapes.begin(), sizes);
  return success();
}

namespace {
/// A mask that hides nothing says nothing.
struct DropMaskThatHidesNothing : OpRewritePattern<AttentionOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AttentionOp op,
                                PatternRewriter &rewriter) const override {
    int64_t rows = shapeOf(op.getQuery())[op.getNumBatchDims()];
    int64_t keys = shapeOf(op.getKey())[op.getNumBatchDims()];
    if (!op.getMask() || !op.getMask()->isAllVisible(rows, keys))
      return rewriter.notifyMatchFailure(op, "the mask may hide a key");
    rewriter.modifyOpInPlace(op, [&] {
      op.removeMaskAttr();
      op.getMaskDataMutable().clear();
    });
    return success();
  }
};
} // namespace

void AttentionOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<DropMaskThatHidesNothing>(context);
}
