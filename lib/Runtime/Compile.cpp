//===- Compile.cpp - from module text to code -----------------------------===//

#include "DiagnosticText.h"
#include "HostCode.h"
#include "KernelState.h"
#include "StepTimer.h"

#include "smx/RegisterAll.h"
#include "smx/Runtime/KernelCache.h"
#include "smx/Runtime/Road.h"

#include "mlir/Dialect/Tensor/IR/TensorInferTypeOpInterfaceImpl.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/OpenMP/OpenMPToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

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

/// Leads `module` down the branch for GPUs: the host's part is taken out where
/// it stands in the IR, the kernels go on to PTX.
static Expected<DeviceCode> compileForDevice(mlir::ModuleOp module,
                                             llvm::StringRef entry,
                                             const CompileOptions &options,
                                             const DiagnosticText &diagnostics,
                                             std::vector<CompileStep> &steps) {
  auto device = findDevice(options);
  if (!device)
    return device.takeError();
  mlir::smx::RoadHooks hooks = makeHooks(options, steps);
  if (llvm::Error error = mlir::smx::runRoad(module, options.from, Stage::Gpu,
                                             options.road, hooks))
    return withDiagnostics(std::move(error), diagnostics);
  auto function = module.lookupSymbol<mlir::func::FuncOp>(entry);
  auto plan = mlir::smx::LaunchPlan::build(function);
  if (failed(plan))
    return withDiagnostics(
        createStringError("'" + entry + "' has a part that no kernel does"),
        diagnostics);
  // The stage was seen already.
  hooks.onStage = [&, inner = hooks.onStage](Stage stage, mlir::ModuleOp at,
                                             double ms) {
    if (stage != Stage::Gpu)
      inner(stage, at, ms);
  };
  if (llvm::Error error = mlir::smx::runRoad(module, Stage::Gpu, Stage::Nvvm,
                                             options.road, hooks))
    return withDiagnostics(std::move(error), diagnostics);
  auto code =
      generateDeviceCode(module, std::move(*plan), *device, options, steps);
  if (!code)
    return withDiagnostics(code.takeError(), diagnostics);
  return code;
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

  if (options.road.target == mlir::smx::Target::Cuda) {
    auto code =
        compileForDevice(module, state->name, options, diagnostics, steps);
    if (!code)
      return code.takeError();
    state->device = std::move(*code);
    state->steps = std::move(steps);
    return State(std::move(state));
  }

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

static KernelCache<State> &kernelCache() {
  static KernelCache<State> cache;
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
     << " " << static_cast<int>(road.target) << " " << road.chip << " "
     << road.warps << " " << road.depth << " " << road.alignment << " "
     << options.device << " " << options.optLevel << " "
     << static_cast<int>(options.from) << " " << options.entry << "\n"
     << text;
  return key;
}

Expected<Kernel> smx::compile(llvm::StringRef mlirText,
                              const CompileOptions &options) {
  if (options.optLevel < 0 || options.optLevel > 3)
    return createStringError("the optimisation level is " +
                             llvm::Twine(options.optLevel) +
                             "; it must be from 0 to 3");
  if (options.from >= Stage::Llvm && options.from != Stage::Gpu)
    return createStringError(
        "a module at stage '" + getStageInfo(options.from).name +
        "' has no func.func to call; hand over one at stage 'cpu', 'gpu' or "
        "before");
  auto build = [&] { return compileText(mlirText, options); };
  // A failure is not kept: whoever asks again shall see it fail again, with a
  // reproducer that exists.
  Expected<State> state =
      options.onText ? build()
                     : kernelCache().get(makeKey(mlirText, options), build);
  if (!state)
    return state.takeError();
  return Kernel(std::move(*state));
}

Expected<Kernel> smx::compile(mlir::ModuleOp module,
                              const CompileOptions &options) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module.print(os, mlir::OpPrintingFlags().enableDebugInfo());
  return compile(llvm::StringRef(text), options);
}
