//===- RowQuotient.cpp - what divides a row by its sum --------------------===//

#include "RowQuotient.h"

namespace mlir::smx::gpu {

RowQuotient::RowQuotient(Value weights) {
  for (Operation *user : weights.getUsers()) {
    first = dyn_cast<arith::MulFOp>(user);
    if (!first || first.getLhs() != weights)
      continue;
    reciprocal = first.getRhs().getDefiningOp<BroadcastOp>();
    for (Operation *next : first->getUsers())
      if (auto op = dyn_cast<arith::NegFOp>(next); op && op->hasOneUse())
        negated = op;
    left =
        negated ? dyn_cast<math::FmaOp>(*negated->user_begin()) : math::FmaOp();
    if (!reciprocal || !left || !left->hasOneUse() ||
        left.getA() != negated.getResult() || left.getC() != weights)
      continue;
    divisor = left.getB().getDefiningOp<BroadcastOp>();
    auto last = dyn_cast<math::FmaOp>(*left->user_begin());
    if (divisor && last && last.getA() == left.getResult() &&
        last.getB() == reciprocal.getResult() &&
        last.getC() == first.getResult()) {
      result = last;
      return;
    }
  }
}

} // namespace mlir::smx::gpu
