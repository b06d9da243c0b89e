//===- RowQuotient.cpp - what divides a row by its sum --------------------===//

#include "RowQuotient.h"

namespace mlir::smx::gpu {

std::optional<RowQuotient> RowQuotient::of(Value weights) {
  for (Operation *user : weights.getUsers()) {
    RowQuotient found;
    found.result = dyn_cast<math::FmaOp>(user);
    if (!found.result || found.result.getA() != weights)
      continue;
    found.reciprocal = found.result.getB().getDefiningOp<BroadcastOp>();
    found.small = found.result.getC().getDefiningOp<arith::MulFOp>();
    if (!found.reciprocal || !found.small || !found.small->hasOneUse() ||
        found.small.getLhs() != weights)
      continue;
    found.rest = found.small.getRhs().getDefiningOp<BroadcastOp>();
    if (found.rest)
      return found;
  }
  return std::nullopt;
}

} // namespace mlir::smx::gpu
