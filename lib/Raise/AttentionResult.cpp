//===- AttentionResult.cpp - the attention in the place of the product ----===//

#include "AttentionRaiser.h"
#include "RowReductions.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::smx;

SmallVector<int64_t>
AttentionRaiser::extentsOf(ArrayRef<AffineExpr> order) const {
  SmallVector<int64_t> extents;
  for (AffineExpr position : order)
    extents.push_back(
        positions.extent(cast<AffineDimExpr>(position).getPosition()));
  return extents;
}

/// Follows reshapes and conversions of the result to where it has the shape of
/// an attention, if it comes to that.
void AttentionRaiser::followResult() {
  result = product.op->getResult(0);
  SmallVector<AffineExpr> order = orderOf(parts.row, valueFeature),
                          at = resultAt;
  SmallVector<Operation *> steps;
  for (Value value = result; value.hasOneUse();
       value = steps.back()->getResult(0)) {
    OpOperand &use = *value.use_begin();
    auto next = reader.stepForward(use, at);
    if (!next)
      break;
    at = *next;
    steps.push_back(use.getOwner());
    bool isInOrder = llvm::equal(at, order, [&](AffineExpr a, AffineExpr b) {
      return positions.normalize(a) == positions.normalize(b);
    });
    if (!isInOrder)
      continue;
    result = steps.back()->getResult(0);
    resultAt = at;
    resultSteps = steps;
  }
}

Value mlir::smx::transposed(RewriterBase &rewriter, Location loc, Value value,
                            ArrayRef<int64_t> permutation) {
  SmallVector<OpFoldResult> sizes;
  for (int64_t n : permutation)
    sizes.push_back(tensor::getMixedSize(rewriter, loc, value, n));
  Value empty = tensor::EmptyOp::create(rewriter, loc, sizes,
                                        getElementTypeOrSelf(value.getType()));
  return linalg::TransposeOp::create(rewriter, loc, value, empty, permutation)
      ->getResult(0);
}

/// Shapes `attention` like `result`.
Value AttentionRaiser::restoreResult(Value attention) {
  SmallVector<AffineExpr> order = orderOf(parts.row, valueFeature);
  SmallVector<int64_t> sizes = extentsOf(order);
  Location loc = product.op.getLoc();

  // Each result index must be a run of dimensions, joined.
  SmallVector<ReassociationIndices> groups;
  std::function<bool(unsigned)> joinFrom = [&](unsigned next) {
    if (groups.size() == resultAt.size())
      return next == order.size();
    AffineExpr wanted = positions.normalize(resultAt[groups.size()]);
    for (unsigned end = next + 1; end <= order.size(); ++end) {
      auto joined = reader.join(ArrayRef(order).slice(next, end - next),
                                ArrayRef(sizes).slice(next, end - next));
      if (!joined || positions.normalize(*joined) != wanted)
        continue;
      groups.push_back(llvm::to_vector<2>(llvm::seq<int64_t>(next, end)));
      if (joinFrom(end))
        return true;
      groups.pop_back();
    }
    return false;
  };
  if (joinFrom(0)) {
    if (groups.size() == order.size())
      return attention;
    return tensor::CollapseShapeOp::create(rewriter, loc, attention, groups);
  }
  // Dimensions of extent 1 are read at 0, whichever they are.
  SmallVector<int64_t> permutation;
  for (AffineExpr index : resultAt) {
    AffineExpr wanted = positions.normalize(index);
    auto isFound = [&](unsigned n) {
      return positions.normalize(order[n]) == wanted &&
             !llvm::is_contained(permutation, n);
    };
    auto all = llvm::seq<unsigned>(0, order.size());
    auto found = llvm::find_if(all, isFound);
    if (found == all.end())
      return {};
    permutation.push_back(*found);
  }
  if (permutation.size() != order.size())
    return {};
  return transposed(rewriter, loc, attention, permutation);
}

/// The log-sum-exp of the scores, if it is computed beside their softmax, and
/// the product with the values does not wait for it.
LogSumExpOp AttentionRaiser::findLogSumExp() {
  SoftmaxOp softmax = path.softmax;
  // That of an attention counts its sinks.
  if (path.sinkSlice)
    return {};
  auto typeOf = [](Value value) {
    return getElementTypeOrSelf(value.getType());
  };
  for (auto op : softmax->getBlock()->getOps<LogSumExpOp>())
    if (op.getAxis() == softmax.getAxis() &&
        op.getScale() == softmax.getScale() &&
        op.getInput().getType().getShape() ==
            softmax.getInput().getType().getShape() &&
        reader.equal(reader.identityElement(op.getInput()),
                     reader.identityElement(softmax.getInput())) &&
        typeOf(op.getResult()).getIntOrFloatBitWidth() <=
            getAccumulatorType(typeOf(query.tensor)).getIntOrFloatBitWidth() &&
        opsBetween(op.getResult(), product.op).empty())
      return op;
  return {};
}

/// Replaces `op` by that of `attention`, whose dimensions are batches and
/// queries.
void AttentionRaiser::replaceLogSumExp(LogSumExpOp op, AttentionOp attention) {
  Location loc = op.getLoc();
  Value value = attention.getLogSumExp();
  auto type = cast<RankedTensorType>(op.getResult().getType());
  if (isOneQuery) {
    unsigned rank = parts.batch.size();
    SmallVector<ReassociationIndices> groups;
    for (unsigned n = 0; n < rank; ++n)
      groups.push_back({n});
    if (rank > 0)
      groups.back().push_back(rank);
    value = tensor::CollapseShapeOp::create(rewriter, loc, value, groups);
  } else {
    SmallVector<int64_t> order(parts.batch.begin(), parts.batch.end());
    order.push_back(parts.row);
    SmallVector<int64_t> permutation;
    for (unsigned n = 0; n <= order.size(); ++n)
      if (n != parts.key)
        permutation.push_back(llvm::find(order, n) - order.begin());
    if (!llvm::is_sorted(permutation))
      value = transposed(rewriter, loc, value, permutation);
  }
  Type element = getElementTypeOrSelf(value.getType());
  value =
      rewriter.createOrFold<tensor::CastOp>(loc, type.clone(element), value);
  if (element != type.getElementType())
    value = arith::TruncFOp::create(rewriter, loc, type, value);
  rewriter.replaceOp(op, value);
  // What reads it may stand in front of the product.
  sortTopologically(attention->getBlock());
}

/// The ops from the product of scores to all results that an attention has.
llvm::SetVector<Operation *> AttentionRaiser::clusterOf(LogSumExpOp logSumExp) {
  llvm::SetVector<Operation *> cluster;
  cluster.insert(scoreProduct->op);
  auto addWayTo = [&](Operation *result) {
    cluster.insert_range(opsBetween(scoreElement->value, result));
  };
  addWayTo(product.op);
  if (logSumExp)
    addWayTo(logSumExp);
  if (path.sinkSlice)
    addWayTo(path.sinkSlice);
  return cluster;
}

/// Why something besides the results needs the ops of `cluster`, or needs them
/// in another precision; "" if nothing does.
std::string
AttentionRaiser::whyKept(const llvm::SetVector<Operation *> &cluster,
                         LogSumExpOp logSumExp) {
  OpSet roots{product.op};
  if (logSumExp)
    roots.insert(logSumExp);
  if (path.sinkSlice)
    roots.insert(path.sinkSlice);
  OpSet users(cluster.begin(), cluster.end());
  if (escapes(cluster, users, roots) || !path.softmax.getResult().hasOneUse())
    return "the scores or the weights have another use";
  for (const OperandChoice &operand : {query, key, value})
    if (cluster.contains(operand.tensor.getDefiningOp()))
      return "an operand depends on the scores";
  // What is computed in f64 is not to be computed in f32.
  for (linalg::LinalgOp computed : {scoreProduct->op, product.op})
    if (getAccumulatorType(
            getElementTypeOrSelf(computed->getResult(0).getType())) !=
        getAccumulatorType(getElementTypeOrSelf(query.tensor.getType())))
      return "the products are computed in a wider type than f32";
  return "";
}

/// An attention without regions in front of the product, whose scores are
/// multiplied by `scale`.
AttentionOp AttentionRaiser::createAttention(double scale, bool hasLogSumExp) {
  auto type = RankedTensorType::get(extentsOf(orderOf(parts.row, valueFeature)),
                                    getElementTypeOrSelf(result.getType()));
  rewriter.setInsertionPoint(product.op);
  Type logSumExpType;
  if (hasLogSumExp)
    logSumExpType = RankedTensorType::get(
        type.getShape().drop_back(),
        getAccumulatorType(getElementTypeOrSelf(query.tensor.getType())));
  return AttentionOp::create(
      rewriter, product.op.getLoc(), type, logSumExpType, query.tensor,
      key.tensor, value.tensor, /*mask_data=*/ValueRange(), sinks,
      rewriter.getF64FloatAttr(scale),
      buildMask(rewriter.getContext(), mask, positions.extent(parts.row),
                positions.extent(parts.key)));
}

/// Builds the regions of `attention`, the score region only if it is needed;
/// returns why that can not be, or "".
std::string
AttentionRaiser::buildRegions(AttentionOp attention, bool needsScore,
                              double outerScale, bool hasLogSumExp,
                              const llvm::SetVector<Operation *> &cluster) {
  RegionBuilder regions(rewriter, reader, attention, parts,
                        [&](Element e) { return isScaledProduct(e); });
  LogicalResult built = success();
  if (needsScore)
    built = regions.buildScore(scores, mask, outerScale);
  if (succeeded(built) && !mask.conditions.empty())
    built = regions.buildVisible(mask.conditions);
  bool capturesScores = false;
  attention->walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      capturesScores |= cluster.contains(operand.getDefiningOp());
  });
  if (failed(built) || capturesScores)
    return "the scores are changed by more than a function of each score and "
           "its position";
  if (hasLogSumExp && regions.boundsScores())
    return "the log-sum-exp is used, too, of scores that a large number hides";
  return "";
}

std::string AttentionRaiser::build() {
  LogSumExpOp logSumExp = findLogSumExp();
  llvm::SetVector<Operation *> cluster = clusterOf(logSumExp);
  if (std::string whyNot = whyKept(cluster, logSumExp); !whyNot.empty())
    return whyNot;
  double factor = scoreFactor * query.factor * key.factor;
  double outerScale = path.softmax.getScale().convertToDouble() * mask.factor;
  bool needsScore = !isScaledProduct(scores) || !mask.finiteConditions.empty();
  if (!needsScore)
    factor *= outerScale;
  if (!(factor > 0) || !(outerScale > 0))
    return "the scale is not positive";
  if (!isPositiveScale(factor, getElementTypeOrSelf(query.tensor.getType())))
    return "the scale is 0 or not finite in the type of the scores";

  followResult();
  AttentionOp attention = createAttention(factor, bool(logSumExp));
  std::string whyNot =
      buildRegions(attention, needsScore, outerScale, bool(logSumExp), cluster);
  Value restored;
  if (whyNot.empty()) {
    rewriter.setInsertionPointAfter(attention);
    restored = restoreResult(attention.getResult());
    if (!restored)
      whyNot = "the result is reshaped in a way that an attention can not "
               "follow";
  }
  if (!restored) {
    rewriter.eraseOp(attention);
    return whyNot;
  }
  // The steps to the result may have known less of its extents, or more.
  rewriter.replaceAllUsesWith(result,
                              rewriter.createOrFold<tensor::CastOp>(
                                  result.getLoc(), result.getType(), restored));
  for (Operation *step : llvm::reverse(resultSteps))
    rewriter.eraseOp(step);
  if (logSumExp) {
    cluster.remove(logSumExp);
    replaceLogSumExp(logSumExp, attention);
  }
  eraseUnused(rewriter, cluster);
  remarkRaised(attention);
  return "";
}
