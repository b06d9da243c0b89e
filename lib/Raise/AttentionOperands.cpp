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

/// True if `key` and `value` have the same type and as many heads.
static bool goTogether(const OperandChoice &key, const OperandChoice &value) {
  auto keys = cast<RankedTensorType>(key.tensor.getType());
  auto values = cast<RankedTensorType>(value.tensor.getType());
  auto heads = [](RankedTensorType type) {
    return type.getShape().drop_back(2);
  };
  return keys.getElementType() == values.getElementType() &&
         llvm::all_of(llvm::zip(heads(keys), heads(values)), [](auto sizes) {
           auto [a, b] = sizes;
           return a == b || ShapedType::isDynamic(a) ||
                  ShapedType::isDynamic(b);
         });
}

/// Takes the innermost choice of each operand for which the three agree.
static bool agree(ArrayRef<OperandChoice> queries, ArrayRef<OperandChoice> keys,
                  ArrayRef<OperandChoice> values, OperandChoice &query,
                  OperandChoice &key, OperandChoice &value) {
  for (const OperandChoice &q : llvm::reverse(queries))
    for (const OperandChoice &k : llvm::reverse(keys))
      for (const OperandChoice &v : llvm::reverse(values)) {
        if (getElementTypeOrSelf(q.tensor.getType()) !=
                getElementTypeOrSelf(k.tensor.getType()) ||
            !goTogether(k, v))
          continue;
        query = q;
        key = k;
        value = v;
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
    SmallVector<int64_t> extents = extentsOf(form.at);
    if (!llvm::all_of(llvm::seq(extents.size()), [&, &form = form](size_t k) {
          return form.covers(k, extents[k]);
        }))
      continue;
    stored = {form.value, factor};
    permutation = found;
  }
  if (!stored.tensor) {
    SmallVector<Value> sources;
    stored.tensor = materialize(rewriter, reader, e, order, sources);
    return stored;
  }
  stored.tensor =
      transposed(rewriter, product.op.getLoc(), stored.tensor, permutation);
  return stored;
}

Value AttentionRaiser::withQuery(Value queries) {
  if (!isOneQuery)
    return queries;
  auto type = cast<RankedTensorType>(queries.getType());
  const int64_t feature = type.getRank() - 1;
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.end() - 1, 1);
  SmallVector<ReassociationIndices> groups;
  for (int64_t k : llvm::seq(feature))
    groups.push_back({k});
  groups.push_back({feature, feature + 1});
  return tensor::ExpandShapeOp::create(
      rewriter, product.op.getLoc(),
      RankedTensorType::get(shape, type.getElementType()), queries, groups);
}

std::string AttentionRaiser::chooseOperands() {
  linalg::LinalgOp op = scoreProduct->op;
  auto type = cast<RankedTensorType>(scoreElement->value.getType());
  auto loops =
      loopsFor(scoreProduct->getResultMap(), type.getShape(), scoreElement->at);
  feature = positions.size();
  const int64_t features =
      op.getStaticLoopRanges()[scoreProduct->reductionLoop];
  if (features == 0)
    return "the head dim of queries and keys is 0";
  AffineExpr contracted = positions.add(features);
  if (loops)
    (*loops)[scoreProduct->reductionLoop] = contracted;
  if (!loops || !fillUnitLoops(positions, op, *loops))
    return "the scores are a part of the result of their product";
  Element inputs[2];
  for (unsigned n : {0u, 1u}) {
    inputs[n] = reader.tensorElement(
        op.getDpsInputOperand(n)->get(),
        indicesFor(positions, scoreProduct->getMap(n), *loops));
    inputs[n].isPart = scoreElement->isPart;
  }

  SmallVector<AffineExpr> queryOrder = orderOf(parts.row, feature);
  if (isOneQuery)
    queryOrder.erase(queryOrder.end() - 2);
  SmallVector<AffineExpr> keyOrder = orderOf(parts.key, feature);
  SmallVector<AffineExpr> valueOrder = orderOf(parts.key, valueFeature);
  int64_t dimOfHeads = (int64_t)parts.batch.size() - 1;
  auto choices = [&](const Element &e, ArrayRef<AffineExpr> order,
                     int64_t dimOfHeads, bool allowFactor) {
    auto found = findOperands(reader, e, order, dimOfHeads, allowFactor);
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
    // Keys of all of them would be copies.
    if (isOneQuery && !llvm::all_of(parts.batch, [&](unsigned position) {
          return positions.extent(position) == 1 || depends(k, position);
        }))
      return "every query has values of its own";
    if (agree(choices(q, queryOrder, -1, true),
              choices(k, keyOrder, dimOfHeads, true),
              choices(*valueElement, valueOrder, dimOfHeads, false), query, key,
              value)) {
      query.tensor = withQuery(query.tensor);
      return "";
    }
    return "queries, keys and values do not have the shape or the type of an "
           "attention";
  }
  return "the scores are not a product of queries and keys";
}
