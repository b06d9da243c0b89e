//===- Road.cpp - run the road stage by stage -----------------------------===//

#include "smx/Runtime/Road.h"

#include "smx/Analysis/StageContract.h"
#include "smx/IR/SourcePlace.h"
#include "smx/Pipeline/ScheduleTable.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"

#include <chrono>
#include <climits>

using namespace mlir;
using namespace mlir::smx;

/// A name in `dir` that no file has yet, or an empty one if there can be none.
static std::string makeReproducerPath(StringRef dir, Stage stage) {
  SmallString<128> model(dir);
  llvm::sys::path::append(model, "smx-reproducer-" + getStageInfo(stage).name +
                                     "-%%%%%%.mlir");
  SmallString<128> path;
  llvm::sys::fs::createUniquePath(model, path, /*MakeAbsolute=*/false);
  return path.str().str();
}

/// Runs the passes again on what the stage started from, this time looking at
/// the IR after each of them, so that the reproducer says which one broke it.
static void reproduceInvalidModule(ModuleOp before, Stage stage,
                                   const RoadOptions &options,
                                   StringRef reproducer) {
  ScopedDiagnosticHandler silence(before.getContext(),
                                  [](Diagnostic &) { return success(); });
  PassManager passes(before.getContext());
  buildStage(passes, stage, options);
  passes.enableCrashReproducerGeneration(reproducer);
  LogicalResult known = passes.run(before);
  assert(failed(known) && "the module was invalid in the end");
  (void)known;
}

/// Runs the passes without what MLIR says last: the error of the stage names
/// the file that repeats the failure, too.
static LogicalResult runQuietly(PassManager &passes, ModuleOp module) {
  ScopedDiagnosticHandler quiet(
      module->getContext(), [](Diagnostic &diagnostic) {
        return success(
            StringRef(diagnostic.str()).starts_with("Failures have been"));
      });
  return passes.run(module);
}

/// Fails with a diagnostic at the first value whose type has more bytes than
/// are counted in 64 bits: code of wrapped sizes would compute nothing, and say
/// nothing. Of open extents, which calls are checked for, the least is assumed.
static LogicalResult checkCounts(ModuleOp module) {
  auto check = [](Value value) -> LogicalResult {
    auto type = dyn_cast<ShapedType>(value.getType());
    if (!type || !type.hasRank() || !type.getElementType().isIntOrFloat() ||
        llvm::is_contained(type.getShape(), 0))
      return success();
    int64_t bytes = llvm::divideCeil(type.getElementTypeBitWidth(), CHAR_BIT);
    for (int64_t extent : type.getShape())
      if (!ShapedType::isDynamic(extent) &&
          llvm::MulOverflow(bytes, extent, bytes))
        return emitError(value.getLoc())
               << type << " has more than 2^63 bytes, which can not be "
               << "counted; smaller extents would work";
    return success();
  };
  WalkResult walked = module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Value result : op->getResults())
      if (failed(check(result)))
        return WalkResult::interrupt();
    for (Region &region : op->getRegions())
      for (Value argument : region.getArguments())
        if (failed(check(argument)))
          return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}

static llvm::Error runStage(ModuleOp module, Stage stage,
                            const RoadOptions &given, const RoadHooks &hooks) {
  // Later on sizes are what they are on tensors, or parts of them.
  if (stage <= Stage::Tiled && failed(checkCounts(module)))
    return llvm::createStringError("stage '" + getStageInfo(stage).name +
                                   "' was not begun");
  // The ops that a table is about are there at stage `naive` for the last time.
  if (stage == Stage::Online)
    if (llvm::Error error = applyScheduleTable(module, given))
      return error;
  const RoadOptions options = withScheduleOf(module, given);
  PassManager passes(module->getContext());
  buildStage(passes, stage, options);
  std::string reproducer;
  OwningOpRef<ModuleOp> before;
  if (!hooks.reproducerDir.empty()) {
    reproducer = makeReproducerPath(hooks.reproducerDir, stage);
    passes.enableCrashReproducerGeneration(reproducer);
    before = module.clone();
  }
  // Verified once, at the end: after each of some thirty passes it would take
  // as long as they do.
  passes.enableVerifier(false);
  if (hooks.onPasses)
    hooks.onPasses(stage, passes);
  if (succeeded(runQuietly(passes, module))) {
    if (succeeded(verify(module)))
      return llvm::Error::success();
    if (before)
      reproduceInvalidModule(*before, stage, options, reproducer);
  }
  std::string message =
      ("stage '" + getStageInfo(stage).name + "' failed").str();
  if (given.schedules && module->hasAttr(scheduleAttrName))
    message += " with the schedule that '" + given.schedules->getName() +
               "' has for it";
  if (!reproducer.empty() && llvm::sys::fs::exists(reproducer))
    message += "; 'softmax-opt --run-reproducer " + reproducer + "' repeats it";
  else if (!reproducer.empty())
    message += "; no file that repeats it can be written in '" +
               hooks.reproducerDir + "'";
  return llvm::createStringError(message);
}

/// What is wrong with a module that was handed over as one at `stage`, with its
/// place; empty if nothing is.
static std::string whyNotAt(ModuleOp module, Stage stage) {
  std::string why;
  ScopedDiagnosticHandler handler(
      module.getContext(), [&](Diagnostic &diagnostic) {
        if (why.empty() &&
            diagnostic.getSeverity() == DiagnosticSeverity::Error)
          why = placed(diagnostic.getLocation(), diagnostic.str());
        return success();
      });
  return failed(verifyStage(module, stage)) ? why : "";
}

llvm::Error mlir::smx::runRoad(ModuleOp module, Stage from, Stage to,
                               const RoadOptions &options,
                               const RoadHooks &hooks) {
  for (Stage end : {from, to})
    if (!getStageInfo(end).isOnRoadTo(options.target))
      return llvm::createStringError("stage '" + getStageInfo(end).name +
                                     "' is not on the road to " +
                                     describeTarget(options.target));
  if (to < from)
    return llvm::createStringError(
        "the module is at stage '" + getStageInfo(from).name +
        "', which comes after stage '" + getStageInfo(to).name +
        "'; the order is " + getStageNames());
  if (hooks.onStage)
    hooks.onStage(from, module, 0);
  // Whoever names a wrong stage is told so where that is why the next one
  // fails: code that breaks the contract may get there all the same.
  std::string notThere = from == Stage::Input ? "" : whyNotAt(module, from);
  for (const StageInfo &info : getStages()) {
    if (info.stage <= from || info.stage > to ||
        !info.isOnRoadTo(options.target))
      continue;
    auto start = std::chrono::steady_clock::now();
    if (llvm::Error error = runStage(module, info.stage, options, hooks)) {
      if (notThere.empty())
        return error;
      return llvm::joinErrors(
          std::move(error),
          llvm::createStringError("the module is not at stage '" +
                                  getStageInfo(from).name + "': " + notThere));
    }
    notThere.clear();
    std::chrono::duration<double, std::milli> time =
        std::chrono::steady_clock::now() - start;
    if (hooks.onStage)
      hooks.onStage(info.stage, module, time.count());
  }
  return llvm::Error::success();
}
