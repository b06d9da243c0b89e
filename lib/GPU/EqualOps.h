//===- EqualOps.h - ops that compute the same -------------------*- C++ -*-===//
#ifndef SMX_LIB_GPU_EQUALOPS_H
#define SMX_LIB_GPU_EQUALOPS_H

#include "smx/GPU/SmxGpu.h"

#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/RegionUtils.h"

namespace mlir::smx::gpu {

/// Of ops that compute the same one is left: what is loaded or computed twice
/// is seen to be one value.
inline void uniteEqualOps(KernelOp kernel) {
  IRRewriter rewriter(kernel.getContext());
  DominanceInfo dominance(kernel);
  eliminateCommonSubExpressions(rewriter, dominance, kernel);
}

/// The same for what blocks of a cluster agree on, which is an exchange for
/// each op.
inline void uniteEqualExchanges(KernelOp kernel) {
  uniteEqualOps(kernel);
  llvm::DenseMap<std::pair<Value, Combiner>, ClusterReduceOp> known;
  for (auto reduce : llvm::make_early_inc_range(
           kernel.getBody().front().getOps<ClusterReduceOp>())) {
    ClusterReduceOp &first = known[{reduce.getValues(), reduce.getKind()}];
    if (!first) {
      first = reduce;
      continue;
    }
    reduce.getResult().replaceAllUsesWith(first.getResult());
    reduce.erase();
  }
  uniteEqualOps(kernel);
}

/// What nothing depends on any more is erased.
inline void eraseDeadOps(KernelOp kernel) {
  IRRewriter rewriter(kernel.getContext());
  // Failure says that nothing was dead.
  (void)runRegionDCE(rewriter, kernel->getRegions());
}

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_EQUALOPS_H
