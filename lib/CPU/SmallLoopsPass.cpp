//===- SmallLoopsPass.cpp - loops that threads would not make faster ------===//

#include "smx/CPU/Passes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::smx {
#define GEN_PASS_DEF_SMXCPUSMALLLOOPSPASS
#include "smx/CPU/Passes.h.inc"
} // namespace mlir::smx

using namespace mlir;

/// Elements of all tensors that a function is given; none if an extent is open,
/// or if it is given none.
static std::optional<uint64_t> elementsOf(FunctionOpInterface function) {
  uint64_t elements = 0;
  for (Type argument : function.getArgumentTypes())
    if (auto tensor = dyn_cast<BaseMemRefType>(argument)) {
      if (!tensor.hasRank() || !tensor.hasStaticShape())
        return std::nullopt;
      elements =
          llvm::SaturatingAdd<uint64_t>(elements, tensor.getNumElements());
    }
  return elements == 0 ? std::nullopt : std::optional(elements);
}

namespace {
struct SmallLoopsPass : smx::impl::SmxCPUSmallLoopsPassBase<SmallLoopsPass> {
  using SmxCPUSmallLoopsPassBase::SmxCPUSmallLoopsPassBase;

  void runOnOperation() override {
    std::optional<uint64_t> elements = elementsOf(getOperation());
    if (!elements || *elements > uint64_t(std::max<int64_t>(mostElements, 0)))
      return;
    SmallVector<scf::ForallOp> loops;
    getOperation()->walk([&](scf::ForallOp loop) { loops.push_back(loop); });
    IRRewriter rewriter(&getContext());
    for (scf::ForallOp loop : loops) {
      rewriter.setInsertionPoint(loop);
      if (failed(scf::forallToForLoop(rewriter, loop)))
        return signalPassFailure();
    }
  }
};
} // namespace
