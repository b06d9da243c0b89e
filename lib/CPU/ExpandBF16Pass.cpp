//===- ExpandBF16Pass.cpp - bf16 on hosts that do not know it -------------===//

#include "smx/CPU/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mlir::smx {
#define GEN_PASS_DEF_SMXCPUEXPANDBF16PASS
#include "smx/CPU/Passes.h.inc"
} // namespace mlir::smx

using namespace mlir;

namespace {
struct ExpandBF16Pass : smx::impl::SmxCPUExpandBF16PassBase<ExpandBF16Pass> {
  using SmxCPUExpandBF16PassBase::SmxCPUExpandBF16PassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    arith::populateExpandBFloat16Patterns(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};
} // namespace
