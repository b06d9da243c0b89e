//===- AttentionMatch.cpp - weights and scores between two products -------===//

#include "AttentionRaiser.h"
#include "RowReductions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::smx;

/// The indices of the values and of the result, in terms of the scores.
std::string AttentionRaiser::readWeights() {
  unsigned rank = positions.size();
  parts.key = path.softmax.getAxis();
  SmallVector<AffineExpr> at = positions.getAll();
  for (OpOperand *step : llvm::reverse(path.steps)) {
    auto next = reader.stepForward(*step, at);
    if (!next)
      return "the weights are reshaped by dynamic sizes, or rounded to fewer "
             "than 16 bits";
    at = *next;
  }
  linalg::LinalgOp op = product.op;
  auto weights = cast<RankedTensorType>(
      op.getDpsInputOperand(weightsInput)->get().getType());
  auto found = loopsFor(product.getMap(weightsInput), weights.getShape(), at);
  if (!found)
    return "the product reads a part of the weights";
  SmallVector<AffineExpr> loops = std::move(*found);
  AffineExpr reduced = loops[product.reductionLoop];
  if (!reduced || positions.normalize(reduced) !=
                      positions.normalize(positions.get(parts.key)))
    return "the weights are not summed along the axis of the softmax";
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  std::optional<unsigned> featureLoop;
  for (auto [n, loop] : llvm::enumerate(loops)) {
    if (loop)
      continue;
    // A second free loop can only be a unit dimension.
    if (featureLoop && extents[*featureLoop] != 1 && extents[n] != 1)
      return "the product with the values has a dimension too many";
    if (!featureLoop || extents[*featureLoop] == 1)
      featureLoop = n;
  }
  if (!featureLoop || extents[*featureLoop] == 0)
    return "the values have no dimension of their own";
  for (AffineExpr &loop : loops)
    if (!loop)
      loop = positions.constant(0);
  valueFeature = positions.size();
  loops[*featureLoop] = positions.add(extents[*featureLoop]);
  resultAt = indicesFor(positions, product.getResultMap(), loops);
  unsigned values = 1 - weightsInput;
  valueElement = reader.tensorElement(
      op.getDpsInputOperand(values)->get(),
      indicesFor(positions, product.getMap(values), loops));
  chooseRow(rank);
  return "";
}

/// The queries are the last dimension beside the keys, or, where each of those
/// has values of its own, as heads behind the queries have, one that has not.
/// Where all have, there is one query.
void AttentionRaiser::chooseRow(unsigned rank) {
  auto hasValues = [&](unsigned n) {
    return llvm::any_of(valueElement->at, [&](AffineExpr index) {
      return positions.depends(index, n);
    });
  };
  std::optional<unsigned> row;
  if (rank > 1)
    row = parts.key + 1 == rank ? rank - 2 : rank - 1;
  if (row && hasValues(*row)) {
    row.reset();
    for (unsigned n = 0; n < rank; ++n)
      if (n != parts.key && !hasValues(n))
        row = n;
  }
  isOneQuery = !row;
  parts.row = row.value_or(positions.size());
  if (isOneQuery)
    positions.add(1);
  for (unsigned n = 0; n < rank; ++n)
    if (n != parts.key && n != parts.row)
      parts.batch.push_back(n);
}

bool AttentionRaiser::isScoreProduct(const Element &peeled) {
  return scoreElement && peeled == *scoreElement;
}

bool AttentionRaiser::isScaledProduct(Element e) {
  double factor = 1;
  while (dropConstantFactor(reader, e, factor))
    ;
  return factor == scoreFactor && isScoreProduct(reader.strip(e));
}

/// The factors that the product has wherever it stands in the scores.
SmallVector<double> AttentionRaiser::collectFactors() {
  SmallVector<double> factors;
  SmallVector<Element> pending = {scores}, visited;
  while (!pending.empty()) {
    Element e = pending.pop_back_val();
    double factor = 1;
    while (dropConstantFactor(reader, e, factor))
      ;
    e = reader.strip(e);
    if (isScoreProduct(e)) {
      factors.push_back(factor);
      continue;
    }
    Operation *op = reader.arithmetic(e);
    if (!op || llvm::is_contained(visited, e))
      continue;
    visited.push_back(e);
    for (unsigned n = 0; n < op->getNumOperands(); ++n)
      pending.push_back(reader.operand(e, n));
  }
  return factors;
}

/// Finds the product of queries and keys, and what is done to it before the
/// softmax.
std::string AttentionRaiser::readScores() {
  scores = reader.identityElement(path.softmax.getInput());
  bool isUnique = true;
  reader.contains(scores, [&](const Element &e) {
    auto op = e.value.getDefiningOp<linalg::LinalgOp>();
    auto found = op ? matchProduct(op) : std::nullopt;
    auto reaches = [&](unsigned position) {
      return positions.extent(position) == 1 ||
             llvm::any_of(e.at, [&](AffineExpr index) {
               return positions.depends(index, position);
             });
    };
    if (!found || !reaches(parts.row) || !reaches(parts.key))
      return false;
    isUnique &= !scoreElement || *scoreElement == e;
    scoreElement = e;
    scoreProduct = found;
    return false;
  });
  if (!scoreElement)
    return "the scores are not computed from a product of queries and keys";
  if (!isUnique)
    return "the scores are computed from more than one product";
  mask = takeMasks(reader, parts, scores,
                   path.softmax.getScale().convertToDouble(),
                   [&](const Element &e) { return isScoreProduct(e); });
  SmallVector<double> factors = collectFactors();
  if (factors.empty())
    return "no score is visible under the masks";
  if (llvm::all_equal(factors) && factors.front() > 0)
    scoreFactor = factors.front();
  return "";
}
