//===- RowQuotient.cpp - what divides a row by its sum --------------------===//

#include "RowQuotient.h"

namespace mlir::smx::gpu {

std::optional<RowQuotient> RowQuotient::of(Value weights) {
  for (Operation *user : weights.getUsers()) {
    RowQuotient found;
    found.first = dyn_cast<arith::MulFOp>(user);
    if (!found.first || found.first.getLhs() != weights)
      continue;
    found.reciprocal = found.first.getRhs().getDefiningOp<BroadcastOp>();
    for (Operation *next : found.first->getUsers())
      if (auto op = dyn_cast<arith::NegFOp>(next); op && op->hasOneUse())
        found.negated = op;
    if (!found.reciprocal || !found.negated)
      continue;
    found.left = dyn_cast<math::FmaOp>(*found.negated->user_begin());
    if (!found.left || !found.left->hasOneUse() ||
        found.left.getA() != found.negated.getResult() ||
        found.left.getC() != weights)
      continue;
    found.divisor = found.left.getB().getDefiningOp<BroadcastOp>();
    found.result = dyn_cast<math::FmaOp>(*found.left->user_begin());
    if (found.divisor && found.result &&
        found.result.getA() == found.left.getResult() &&
        found.result.getB() == found.reciprocal.getResult() &&
        found.result.getC() == found.first.getResult())
      return found;
  }
  return std::nullopt;
}

} // namespace mlir::smx::gpu
