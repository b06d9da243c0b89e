//===- AttentionOperands.cpp - queries, keys and values -------------------===//

#include "AttentionRaiser.h"
#include "RowReductions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::smx;

SmallVector<AffineExpr> AttentionRaiser::orderOf(unsigned row,
                                                 unsigned feature) const {
  SmallVector<AffineExpr> order;
  for (unsigned n : parts.batch)
    order.push_back(positions.get(n));
  order.append({positions.get(row), positions.get(feature)});
  return order;
}

/// Takes the innermost choice of each operand for which the three types agree.
static bool agreeOnType(ArrayRef<OperandChoice> queries,
                        ArrayRef<OperandChoice> keys,
                        ArrayRef<OperandChoice> values, OperandChoice &query,
                        OperandChoice &key, OperandChoice &value) {
  auto last = [](ArrayRef<OperandChoice> choices, Type type) {
    return llvm::find_if(llvm::reverse(choices), [&](const OperandChoice &c) {
      return getElementTypeOrSelf(c.tensor.getType()) == type;
    });
  };
  for (const OperandChoice &choice : llvm::reverse(queries)) {
    Type type = getElementTypeOrSelf(choice.tensor.getType());
    auto foundKey = last(keys, type);
    auto foundValue = last(values, type);
    if (foundKey == keys.rend() || foundValue == values.rend())
      continue;
    query = choice;
    key = *foundKey;
    value = *foundValue;
    return true;
  }
  return false;
}

/// A copy of an operand that is stored in another order: small beside the
/// scores.
OperandChoice AttentionRaiser::copyInOrder(const Element &e,
                                           ArrayRef<AffineExpr> order,
                                           bool allowFactor) {
  OperandChoice stored{{}, 1.0};
  SmallVector<int64_t> permutation;
  for (auto &[form, factor] : findStoredForms(reader, e, allowFactor)) {
    SmallVector<int64_t> found;
    for (AffineExpr position : order)
      found.push_back(
          std::distance(form.at.begin(), llvm::find(form.at, position)));
    if (form.at.size() != order.size() || !isPermutationVector(found))
      continue;
    // A slice is shorter than what it is cut from.
    auto shape = cast<RankedTensorType>(form.value.getType()).getShape();
    if (extentsOf(form.at) != SmallVector<int64_t>(shape))
      continue;
    stored = {form.value, factor};
    permutation = found;
  }
  if (!stored.tensor) {
    SmallVector<Value> sources;
    stored.tensor = materialize(rewriter, reader, e, order, sources);
    return stored;
  }
  Location loc = product.op.getLoc();
  SmallVector<OpFoldResult> sizes;
  for (int64_t dim : permutation)
    sizes.push_back(tensor::getMixedSize(rewriter, loc, stored.tensor, dim));
  Value empty = tensor::EmptyOp::create(
      rewriter, loc, sizes, getElementTypeOrSelf(stored.tensor.getType()));
  stored.tensor = linalg::TransposeOp::create(rewriter, loc, stored.tensor,
                                              empty, permutation)
                      ->getResult(0);
  return stored;
}

std::string AttentionRaiser::chooseOperands() {
  linalg::LinalgOp op = scoreProduct->op;
  SmallVector<AffineExpr> loops =
      loopsFor(scoreProduct->getResultMap(), scoreElement->at);
  feature = positions.size();
  loops[scoreProduct->reductionLoop] =
      positions.add(op.getStaticLoopRanges()[scoreProduct->reductionLoop]);
  for (AffineExpr &loop : loops)
    if (!loop)
      loop = positions.constant(0);
  Element inputs[2];
  for (unsigned n : {0u, 1u})
    inputs[n] = reader.tensorElement(
        op.getDpsInputOperand(n)->get(),
        indicesFor(positions, scoreProduct->getMap(n), loops));

  SmallVector<AffineExpr> queryOrder = orderOf(parts.row, feature);
  SmallVector<AffineExpr> keyOrder = orderOf(parts.key, feature);
  SmallVector<AffineExpr> valueOrder = orderOf(parts.key, valueFeature);
  int64_t headDim = (int64_t)parts.batch.size() - 1;
  auto choices = [&](const Element &e, ArrayRef<AffineExpr> order,
                     int64_t headDim, bool allowFactor) {
    auto found = findOperands(reader, e, order, headDim, allowFactor);
    if (found.empty())
      if (auto copy = copyInOrder(e, order, allowFactor); copy.tensor)
        found.push_back(copy);
    return found;
  };
  auto depends = [&](const Element &e, unsigned position) {
    return llvm::any_of(e.at, [&](AffineExpr index) {
      return positions.depends(index, position);
    });
  };
  rewriter.setInsertionPoint(product.op);
  for (unsigned n : {0u, 1u}) {
    const Element &q = inputs[n], &k = inputs[1 - n];
    if (depends(q, parts.key) || depends(k, parts.row))
      continue;
    if (depends(*valueElement, parts.row))
      return "every query has values of its own";
    if (agreeOnType(choices(q, queryOrder, -1, true),
                    choices(k, keyOrder, headDim, true),
                    choices(*valueElement, valueOrder, headDim, false), query,
                    key, value))
      return "";
    return "queries, keys and values do not have the shape or the type of an "
           "attention";
  }
  return "the scores are not a product of queries and keys";
}
