//===- Compile.cpp - from module text to code -----------------------------===//

#include "DiagnosticText.h"
#include "HostCode.h"
#include "KernelState.h"
#include "StepTimer.h"

#include "smx/RegisterAll.h"
#include "smx/Runtime/Road.h"

#include "mlir/Dialect/Tensor/IR/TensorInferTypeOpInterfaceImpl.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/OpenMP/OpenMPToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <future>
#include <map>
#include <mutex>

using namespace smx;
using llvm::createStringError;
using llvm::Expected;
using mlir::smx::DiagnosticText;
using mlir::smx::Stage;

using State = std::shared_ptr<const detail::KernelState>;

/// `error` with the diagnostics that led to it in front.
static llvm::Error withDiagnostics(llvm::Error error,
                                   const DiagnosticText &diagnostics) {
  if (diagnostics.empty())
    return error;
  return createStringError(diagnostics.str() + "\n" +
                           llvm::toString(std::move(error)));
}

static std::string reproducerDir(const CompileOptions &options) {
  if (options.reproducerDir)
    return *options.reproducerDir;
  llvm::SmallString<64> dir;
  llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, dir);
  return dir.str().str();
}

static mlir::smx::RoadHooks makeHooks(const CompileOptions &options,
                                      std::vector<CompileStep> &steps) {
  mlir::smx::RoadHooks hooks;
  hooks.reproducerDir = reproducerDir(options);
  hooks.onStage = [&](Stage stage, mlir::ModuleOp module, double ms) {
    llvm::StringRef name = mlir::smx::getStageInfo(stage).name;
    if (stage != options.from)
      steps.push_back({name.str(), ms});
    if (!options.onText)
      return;
    std::string text;
    llvm::raw_string_ostream(text) << module;
    options.onText(name, text);
  };
  return hooks;
}

/// Compiles the entry of `module`, consuming it.
static Expected<State> compileModule(mlir::ModuleOp module,
                                     const CompileOptions &options,
                                     const DiagnosticText &diagnostics,
                                     std::vector<CompileStep> steps) {
  auto entry = findEntry(module, options.entry);
  if (!entry)
    return entry.takeError();
  auto state = std::make_shared<detail::KernelState>();
  state->name = entry->getName().str();
  auto signature = readSignature(*entry);
  if (!signature)
    return signature.takeError();
  state->signature = std::move(*signature);
  if (options.from < Stage::Cpu)
    state->resultShapes = mlir::smx::ShapeProgram::build(*entry);

  if (llvm::Error error =
          mlir::smx::runRoad(module, options.from, Stage::Llvm, options.road,
                             makeHooks(options, steps)))
    return withDiagnostics(std::move(error), diagnostics);

  StepTimer timer(steps);
  llvm::LLVMContext llvmContext;
  std::unique_ptr<llvm::Module> llvmModule =
      mlir::translateModuleToLLVMIR(module, llvmContext, state->name);
  if (!llvmModule)
    return withDiagnostics(
        createStringError("stage 'llvm' can not be translated to LLVM IR"),
        diagnostics);
  timer.finish("translate");

  auto code = generateHostCode(*llvmModule, "_mlir_ciface_" + state->name,
                               options, steps);
  if (!code)
    return code.takeError();
  state->code = std::move(*code);
  state->steps = std::move(steps);
  return State(std::move(state));
}

static Expected<State> compileText(llvm::StringRef text,
                                   const CompileOptions &options) {
  std::vector<CompileStep> steps;
  StepTimer timer(steps);
  mlir::DialectRegistry registry;
  mlir::smx::registerAllDialects(registry);
  mlir::tensor::registerInferTypeOpInterfaceExternalModels(registry);
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  mlir::registerOpenMPDialectTranslation(registry);
  // Threads of its own would cost more than they save on one function, and
  // callers may compile on several threads themselves.
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  DiagnosticText diagnostics(&context);
  timer.finish("context");

  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceString<mlir::ModuleOp>(
          text, mlir::ParserConfig(&context), options.sourceName);
  if (!module)
    return withDiagnostics(
        createStringError("'" + options.sourceName + "' is not valid MLIR"),
        diagnostics);
  timer.finish("parse");
  return compileModule(*module, options, diagnostics, std::move(steps));
}

//===----------------------------------------------------------------------===//
// The cache
//===----------------------------------------------------------------------===//

namespace {
/// What a compilation ends with: a kernel, or why there is none.
struct Outcome {
  State state;
  std::string error;
};

class Cache {
public:
  Outcome get(const std::string &key, llvm::StringRef text,
              const CompileOptions &options) {
    std::promise<Outcome> promise;
    std::shared_future<Outcome> outcome;
    bool isMine = false;
    {
      std::lock_guard<std::mutex> lock(mutex);
      auto [place, inserted] = entries.try_emplace(key);
      if (inserted)
        place->second = promise.get_future().share();
      outcome = place->second;
      isMine = inserted;
    }
    if (!isMine)
      return outcome.get();
    Outcome mine = compileNow(text, options);
    promise.set_value(mine);
    if (!mine.state) {
      // Whoever asks again shall see it fail again, with a reproducer that
      // exists.
      std::lock_guard<std::mutex> lock(mutex);
      entries.erase(key);
    }
    return mine;
  }

  void clear() {
    std::lock_guard<std::mutex> lock(mutex);
    entries.clear();
  }

  static Outcome compileNow(llvm::StringRef text,
                            const CompileOptions &options) {
    Expected<State> state = compileText(text, options);
    if (!state)
      return {nullptr, llvm::toString(state.takeError())};
    return {std::move(*state), ""};
  }

private:
  std::mutex mutex;
  std::map<std::string, std::shared_future<Outcome>> entries;
};
} // namespace

static Cache &kernelCache() {
  static Cache cache;
  return cache;
}

void smx::clearKernelCache() { kernelCache().clear(); }

/// Everything that the code depends on, as one string.
static std::string makeKey(llvm::StringRef text,
                           const CompileOptions &options) {
  std::string key;
  llvm::raw_string_ostream os(key);
  const mlir::smx::RoadOptions &road = options.road;
  os << hostDescription() << "\n"
     << road.tileRows << " " << road.tileStream << " " << road.splits << " "
     << road.vectorBits << " " << road.threads << " " << road.verifyStages
     << " " << options.optLevel << " " << static_cast<int>(options.from) << " "
     << options.entry << "\n"
     << text;
  return key;
}

Expected<Kernel> smx::compile(llvm::StringRef mlirText,
                              const CompileOptions &options) {
  if (options.optLevel < 0 || options.optLevel > 3)
    return createStringError("the optimisation level is " +
                             llvm::Twine(options.optLevel) +
                             "; it must be from 0 to 3");
  if (options.from >= Stage::Llvm)
    return createStringError(
        "a module at stage 'llvm' has no func.func to call; hand over one at "
        "stage 'cpu' or before");
  Outcome outcome =
      options.onText
          ? Cache::compileNow(mlirText, options)
          : kernelCache().get(makeKey(mlirText, options), mlirText, options);
  if (!outcome.state)
    return createStringError(outcome.error);
  return Kernel(std::move(outcome.state));
}

Expected<Kernel> smx::compile(mlir::ModuleOp module,
                              const CompileOptions &options) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module.print(os, mlir::OpPrintingFlags().enableDebugInfo());
  return compile(llvm::StringRef(text), options);
}
