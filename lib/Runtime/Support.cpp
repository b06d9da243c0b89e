//===- Support.cpp - what a module becomes on a target --------------------===//

#include "smx/Runtime/Support.h"

#include "DeviceCompile.h"
#include "ElementTypes.h"
#include "FixedExtents.h"
#include "PassReports.h"
#include "SupportQuestion.h"

#include "smx/IR/SourcePlace.h"
#include "smx/NVVM/Pipeline.h"
#include "smx/Pipeline/Entry.h"
#include "smx/Pipeline/ScheduleTable.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"

using namespace smx;
using llvm::Error;
using llvm::Expected;
using mlir::smx::Stage;
using mlir::smx::Target;

/// A usual head dim.
static constexpr int64_t assumedExtent = 128;

namespace {
/// The passes on their way with one module.
class Inquiry {
public:
  /// `alignment` is what is known of rows; where nothing is, that of likely
  /// inputs is tried.
  Inquiry(const SupportQuestion &question, std::optional<int64_t> alignment)
      : question(question), options(question.options), alignment(alignment) {
    // The answer says what is missing.
    options.reproducerDir = "";
    options.onText = nullptr;
  }

  Expected<Answer> run();
  /// What likely calls have instead of what their kernels ask of them; none if
  /// that is enough.
  std::optional<int64_t> lesserAlignment() const { return lesser; }

private:
  bool isDevice() const { return options.road.target != Target::Cpu; }
  Expected<std::unique_ptr<ModuleInContext>> parse();
  /// The functions that the answer is about.
  Expected<std::vector<mlir::func::FuncOp>> functions(mlir::ModuleOp module);
  /// Decides what is assumed of a call.
  Error assume(mlir::ModuleOp module);
  /// Looks at the launches of what is at stage `gpu`.
  Error plan(ModuleInContext &module);
  /// Gives open extents the size that is assumed.
  Error closeExtents(ModuleInContext &module);
  Error lead(ModuleInContext &module, PassReports &reports);

  const SupportQuestion &question;
  CompileOptions options;
  std::optional<int64_t> alignment, lesser;
  /// Likely calls of each function.
  llvm::StringMap<std::vector<TensorView>> calls;
  bool hasOpenExtents = false;
  std::vector<CompileStep> steps;
  Support support;
};
} // namespace

Expected<std::unique_ptr<ModuleInContext>> Inquiry::parse() {
  // What an op is not for is an answer, too.
  auto module = ModuleInContext::parse(question.text, options, steps,
                                       /*verify=*/false);
  if (!module)
    return module;
  for (const auto &[from, to] : question.types)
    if (mlir::failed(replaceElementType((*module)->get(), from, to)))
      return (*module)->explain(llvm::createStringError(
          "the module has no form with " + to + " instead of " + from));
  return module;
}

Expected<std::vector<mlir::func::FuncOp>>
Inquiry::functions(mlir::ModuleOp module) {
  std::vector<mlir::func::FuncOp> found;
  if (!options.entry.empty()) {
    auto entry = mlir::smx::findEntry(module, options.entry);
    if (!entry)
      return entry.takeError();
    found.push_back(*entry);
    return found;
  }
  for (auto function : module.getOps<mlir::func::FuncOp>())
    if (function.isPublic() && !function.isExternal())
      found.push_back(function);
  return found;
}

Error Inquiry::assume(mlir::ModuleOp module) {
  auto found = functions(module);
  if (!found)
    return found.takeError();
  const CompileOptions given = options;
  std::optional<int64_t> least;
  for (mlir::func::FuncOp function : *found) {
    hasOpenExtents |=
        llvm::any_of(function.getArgumentTypes(), [](mlir::Type type) {
          auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
          return tensor && !tensor.hasStaticShape();
        });
    auto signature = readSignature(function);
    if (!signature)
      return signature.takeError();
    calls[function.getName()] = likelyViews(*signature);
    int64_t likely = likelyAlignment(*signature, given);
    least = std::min(least.value_or(likely), likely);
  }
  options.road.alignment =
      alignment ? *alignment : least.value_or(given.road.alignment);
  support.alignment = options.road.alignment;
  return Error::success();
}

Error Inquiry::closeExtents(ModuleInContext &module) {
  if (!hasOpenExtents || options.from > Stage::Tiled)
    return Error::success();
  auto tiled = parse();
  if (!tiled)
    return tiled.takeError();
  if (Error error = (*tiled)->lead(options.from, Stage::Tiled, options, steps))
    return error;
  auto found = functions(module.get());
  if (!found)
    return found.takeError();
  for (mlir::func::FuncOp function : *found) {
    auto extents = findOpenExtents(**tiled, function.getName());
    if (!extents)
      return extents.takeError();
    if (extents->empty())
      continue;
    support.assumedExtent = assumedExtent;
    for (const auto &extent : *extents)
      (extent.isNeeded ? support.openExtents : support.openLengths)
          .push_back("dimension " + std::to_string(extent.dim) +
                     " of argument " + std::to_string(extent.argument) +
                     " of '" + function.getName().str() + "'");
    llvm::SmallVector<int64_t> sizes(extents->size(), assumedExtent);
    if (mlir::failed(fixExtents(function, *extents, sizes)))
      return module.explain(llvm::createStringError(
          "'" + function.getName() + "' can not be made for extents of " +
          llvm::Twine(assumedExtent)));
  }
  return Error::success();
}

Error Inquiry::plan(ModuleInContext &module) {
  auto launched = functions(module.get());
  if (!launched)
    return launched.takeError();
  int64_t had = options.road.alignment;
  for (mlir::func::FuncOp function : *launched) {
    auto plan = planLaunches(module, function);
    if (!plan)
      return plan.takeError();
    had = alignmentOf(calls[function.getName()], plan->getAligned(), had);
  }
  if (question.alignment == AlignmentIs::LookedFor &&
      had < options.road.alignment)
    lesser = had;
  return Error::success();
}

/// Bits of the widest vector in code for the host.
static int64_t widestVectorOf(mlir::ModuleOp module) {
  int64_t bits = 0;
  module->walk([&](mlir::Operation *op) {
    for (mlir::Type type : op->getResultTypes())
      if (auto vector = mlir::dyn_cast<mlir::VectorType>(type);
          vector && vector.getElementType().isIntOrFloat())
        bits = std::max<int64_t>(bits, vector.getNumElements() *
                                           vector.getElementTypeBitWidth());
  });
  return bits;
}

Error Inquiry::lead(ModuleInContext &module, PassReports &reports) {
  if (mlir::failed(mlir::verify(module.get())))
    return llvm::createStringError("the module is not valid");
  if (Error error = mlir::smx::checkSchedules(options.from, options.road))
    return error;
  if (Error error = assume(module.get()))
    return error;
  // Objects for a CPU are linked.
  if (isDevice())
    if (Error error = mlir::smx::checkCallees(module.get()))
      return error;
  if (isDevice())
    if (Error error = closeExtents(module))
      return error;
  Stage reached = options.from;
  auto leadTo = [&](Stage to) -> Error {
    if (to <= reached)
      return Error::success();
    Stage from = std::exchange(reached, to);
    return module.lead(from, to, options, steps);
  };
  if (reached <= Stage::Naive) {
    if (Error error = leadTo(Stage::Naive))
      return error;
    reports.markOps(module.get());
  }
  if (!isDevice()) {
    if (Error error = leadTo(Stage::Llvm))
      return error;
    support.vectorBits = widestVectorOf(module.get());
    return Error::success();
  }
  if (Error error = leadTo(Stage::Gpu))
    return error;
  reports.readKernels(module.get());
  if (Error error = plan(module))
    return error;
  // The emulator runs this stage; other code is asked about next.
  if (lesser || options.road.target == Target::Emulator)
    return Error::success();
  if (Error error = leadTo(Stage::Nvvm))
    return error;
  reports.readProducts(module.get());
  return Error::success();
}

Expected<Answer> Inquiry::run() {
  const std::string &chip = options.road.chip;
  support.target = !isDevice() ? "cpu"
                   : options.road.target == Target::Emulator
                       ? "emulator of " + chip
                       : chip;
  if (isDevice())
    if (Error error = mlir::smx::checkChip(chip))
      return std::move(error);
  auto module = parse();
  if (!module)
    return module.takeError();
  std::vector<ElementTypeName> types = elementTypesOf((*module)->get());
  auto reports = PassReports::attach((*module)->get()->getContext());
  if (!reports)
    return reports.takeError();
  Error error = lead(**module, **reports);
  (*reports)->moveTo(support);
  support.compiles = !error;
  if (error)
    support.errors.push_back(llvm::toString(std::move(error)));
  return Answer{std::move(support), std::move(types)};
}

Expected<Answer> smx::answer(const SupportQuestion &question) {
  std::optional<int64_t> alignment;
  if (question.alignment == AlignmentIs::Known)
    alignment = question.options.road.alignment;
  while (true) {
    Inquiry inquiry(question, alignment);
    auto answer = inquiry.run();
    if (!answer || !inquiry.lesserAlignment())
      return answer;
    alignment = inquiry.lesserAlignment();
  }
}

Expected<Support> smx::supports(llvm::StringRef mlirText,
                                const CompileOptions &options,
                                AlignmentIs alignment) {
  SupportQuestion question{mlirText, options, alignment, {}};
  auto found = answer(question);
  if (!found)
    return found.takeError();
  found->support.alternatives = findAlternatives(question, *found);
  return std::move(found->support);
}

Expected<Support> smx::supports(mlir::ModuleOp module,
                                const CompileOptions &options,
                                AlignmentIs alignment) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module.print(os, mlir::OpPrintingFlags().enableDebugInfo());
  return supports(llvm::StringRef(text), options, alignment);
}
