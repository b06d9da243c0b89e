//===- VerifyStagePass.cpp - the contract of a stage, as a pass -----------===//

#include "smx/Analysis/Passes.h"
#include "smx/Analysis/StageContract.h"

namespace mlir::smx {
#define GEN_PASS_DEF_VERIFYSTAGEPASS
#include "smx/Analysis/Passes.h.inc"
} // namespace mlir::smx

using namespace mlir;
using namespace mlir::smx;

namespace {
struct VerifyStagePass : mlir::smx::impl::VerifyStagePassBase<VerifyStagePass> {
  using VerifyStagePassBase::VerifyStagePassBase;

  LogicalResult initialize(MLIRContext *context) override {
    parsed = parseStage(stage);
    if (!parsed)
      return emitError(UnknownLoc::get(context))
             << "smx-verify-stage: unknown stage '" << stage << "'; stages are "
             << getStageNames();
    return success();
  }

  void runOnOperation() override {
    if (failed(verifyStage(getOperation(), *parsed)))
      signalPassFailure();
    markAllAnalysesPreserved();
  }

  std::optional<Stage> parsed;
};
} // namespace
