//===- Compile.cpp - from module text to code -----------------------------===//

#include "DeviceCompile.h"
#include "HostCode.h"
#include "KernelState.h"
#include "StepTimer.h"

#include "smx/Pipeline/Entry.h"
#include "smx/Pipeline/ScheduleTable.h"
#include "smx/Runtime/KernelCache.h"

#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Support/raw_ostream.h"

using namespace smx;
using llvm::createStringError;
using llvm::Expected;
using mlir::smx::Stage;

using State = std::shared_ptr<const detail::KernelState>;

/// Compiles the entry of a module.
static Expected<State> compileText(llvm::StringRef text,
                                   const CompileOptions &options) {
  std::vector<CompileStep> steps;
  auto module = ModuleInContext::parse(text, options, steps);
  if (!module)
    return module.takeError();
  if (llvm::Error error = mlir::smx::checkSchedules(options.from, options.road))
    return error;
  auto entry = mlir::smx::findEntry((*module)->get(), options.entry);
  if (!entry)
    return entry.takeError();
  if (llvm::Error error = mlir::smx::checkCallees((*module)->get()))
    return error;
  auto state = std::make_shared<detail::KernelState>();
  state->name = entry->getName().str();
  auto signature = readSignature(*entry);
  if (!signature)
    return signature.takeError();
  state->signature = std::move(*signature);
  if (options.from < Stage::Cpu)
    state->resultShapes = mlir::smx::ShapeProgram::build(*entry);

  if (options.road.target != mlir::smx::Target::Cpu) {
    auto code = compileForDevice(std::move(*module), text, state->name,
                                 state->signature, options, steps);
    if (!code)
      return code.takeError();
    state->device.emplace(std::move(*code));
    state->steps = std::move(steps);
    return State(std::move(state));
  }

  if (llvm::Error error =
          (*module)->lead(options.from, Stage::Llvm, options, steps))
    return error;

  StepTimer timer(steps);
  llvm::LLVMContext llvmContext;
  std::unique_ptr<llvm::Module> llvmModule =
      mlir::translateModuleToLLVMIR((*module)->get(), llvmContext, state->name);
  if (!llvmModule)
    return (*module)->explain(
        createStringError("stage 'llvm' can not be translated to LLVM IR"));
  timer.finish("translate");

  auto code = generateHostCode(*llvmModule, "_mlir_ciface_" + state->name,
                               options, steps);
  if (!code)
    return code.takeError();
  state->code = std::move(*code);
  state->steps = std::move(steps);
  return State(std::move(state));
}

//===----------------------------------------------------------------------===//
// The cache
//===----------------------------------------------------------------------===//

/// Never destroyed: its kernels hold modules and streams of the driver, which
/// must not be called once main has returned.
static KernelCache<State> &kernelCache() {
  static auto *cache = new KernelCache<State>;
  return *cache;
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
     << road.warps << " " << road.depth << " " << road.blocks << " "
     << road.alignment << " " << static_cast<int>(road.wideProducts) << " "
     << options.cudaDriver << " " << options.device << " " << options.optLevel
     << " " << static_cast<int>(options.from) << " " << options.entry << "\n";
  if (road.schedules)
    road.schedules->print(os);
  os << text;
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
