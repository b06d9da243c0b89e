//===- Compile.cpp - from module text to code -----------------------------===//

#include "DeviceCompile.h"
#include "HostCode.h"
#include "KernelRecords.h"
#include "KernelState.h"
#include "StepTimer.h"

#include "smx/NVVM/Pipeline.h"
#include "smx/Pipeline/Entry.h"
#include "smx/Pipeline/ScheduleTable.h"
#include "smx/Runtime/KernelCache.h"

#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Support/raw_ostream.h"

using namespace smx;
using llvm::createStringError;
using llvm::Expected;
using mlir::smx::Stage;
using mlir::smx::Target;

using State = std::shared_ptr<const detail::KernelState>;

/// The parts of the files of a kernel; those of code for a GPU are beside them.
static constexpr llvm::StringLiteral functionPart = "function",
                                     hostPart = "host";

static State finish(const FunctionRecord &function, const KernelFiles &files,
                    std::vector<CompileStep> steps,
                    std::shared_ptr<detail::KernelState> state) {
  state->name = function.name;
  state->signature = function.signature;
  state->resultShapes = function.resultShapes;
  state->files = files;
  state->steps = std::move(steps);
  return state;
}

/// A kernel that an earlier process has compiled, as far as its files have it;
/// null if they do not.
static Expected<State> loadKernel(llvm::StringRef text,
                                  const CompileOptions &options,
                                  const KernelFiles &files) {
  std::vector<CompileStep> steps;
  StepTimer timer(steps);
  FunctionRecord function;
  const bool isForHost = options.road.target == Target::Cpu;
  auto content = files.find(isForHost ? hostPart : functionPart, function);
  if (!content)
    return nullptr;
  timer.finish("read");
  auto state = std::make_shared<detail::KernelState>();
  if (isForHost) {
    auto code = linkHostObject(
        llvm::MemoryBuffer::getMemBufferCopy(content->bytes, function.name),
        steps);
    if (!code)
      return code.takeError();
    state->code = std::move(*code);
  } else {
    auto code = loadForDevice({text.str(), function.name, function.signature,
                               options, files, function.openExtents},
                              steps);
    if (!code)
      return code.takeError();
    state->device.emplace(std::move(*code));
  }
  return finish(function, files, std::move(steps), std::move(state));
}

/// Compiles the entry of a module for the host.
static Expected<std::unique_ptr<llvm::MemoryBuffer>>
compileForHost(ModuleInContext &module, llvm::StringRef name,
               const CompileOptions &options, std::vector<CompileStep> &steps) {
  if (llvm::Error error =
          module.lead(options.from, Stage::Llvm, options, steps))
    return error;
  StepTimer timer(steps);
  llvm::LLVMContext llvmContext;
  std::unique_ptr<llvm::Module> llvmModule =
      mlir::translateModuleToLLVMIR(module.get(), llvmContext, name);
  if (!llvmModule)
    return module.explain(
        createStringError("stage 'llvm' can not be translated to LLVM IR"));
  timer.finish("translate");
  return generateHostObject(*llvmModule, ("_mlir_ciface_" + name).str(),
                            options, steps);
}

/// Compiles the entry of a module, and keeps what comes of it in `files`.
static Expected<State> compileText(llvm::StringRef text,
                                   const CompileOptions &options,
                                   const KernelFiles &files) {
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
  FunctionRecord function;
  function.name = entry->getName().str();
  auto signature = readSignature(*entry);
  if (!signature)
    return signature.takeError();
  function.signature = std::move(*signature);
  if (options.from >= Stage::Cpu && !function.signature.outputs.empty())
    return createStringError(
        "'" + function.name + "' gives results, which functions at stage '" +
        getStageInfo(options.from).name +
        "' write into arguments; an earlier stage would work");
  if (options.from < Stage::Cpu)
    function.resultShapes = mlir::smx::ShapeProgram::build(*entry);

  auto state = std::make_shared<detail::KernelState>();
  if (options.road.target == Target::Cpu) {
    auto object = compileForHost(**module, function.name, options, steps);
    if (!object)
      return object.takeError();
    files.keep(hostPart, toJSON(function), (*object)->getBuffer());
    auto code = linkHostObject(std::move(*object), steps);
    if (!code)
      return code.takeError();
    state->code = std::move(*code);
  } else {
    DeviceFunction onDevice{text.str(), function.name, function.signature,
                            options,    files,         {}};
    auto code = compileForDevice(onDevice, std::move(*module), steps);
    if (!code)
      return code.takeError();
    state->device.emplace(std::move(*code));
    function.openExtents = std::move(onDevice.openExtents);
    files.keep(functionPart, toJSON(function), "");
  }
  return finish(function, files, std::move(steps), std::move(state));
}

//===----------------------------------------------------------------------===//
// The caches
//===----------------------------------------------------------------------===//

/// Never destroyed: its kernels hold modules and streams of the driver, which
/// must not be called once main has returned.
static KernelCache<State> &kernelCache() {
  static auto *cache = new KernelCache<State>;
  return *cache;
}

void smx::clearKernelCache() { kernelCache().clear(); }

/// Everything that the code depends on, as one string; the name of the source
/// is in the texts of its assertions.
static std::string makeKey(llvm::StringRef text,
                           const CompileOptions &options) {
  std::string key;
  llvm::raw_string_ostream os(key);
  const mlir::smx::RoadOptions &road = options.road;
  // Where a string ends is not to be seen from its text.
  auto sized = [](llvm::StringRef text) {
    return std::to_string(text.size()) + ":" + text.str();
  };
  os << sized(hostDescription()) << "\n"
     << road.tileRows << " " << road.tileStream << " " << road.splits << " "
     << road.vectorBits << " " << road.threads << " " << road.verifyStages
     << " " << static_cast<int>(road.target) << " " << sized(road.chip) << " "
     << road.warps << " " << road.depth << " " << road.blocks << " "
     << road.alignment << " " << static_cast<int>(road.wideProducts) << " "
     << sized(options.cudaDriver) << " " << options.device << " "
     << options.optLevel << " " << options.rowLengths << " "
     << static_cast<int>(options.from) << " " << sized(options.entry) << " "
     << sized(options.sourceName) << "\n";
  std::string schedules;
  if (road.schedules) {
    llvm::raw_string_ostream scheduleOs(schedules);
    road.schedules->print(scheduleOs);
  }
  os << sized(schedules) << text;
  return key;
}

Expected<Kernel> smx::compile(llvm::StringRef mlirText,
                              const CompileOptions &options) {
  if (options.optLevel < 0 || options.optLevel > 3)
    return createStringError("the optimisation level is " +
                             llvm::Twine(options.optLevel) +
                             "; it must be from 0 to 3");
  if (options.rowLengths < 0)
    return createStringError("the lengths of rows with code of their own are " +
                             llvm::Twine(options.rowLengths) +
                             "; they must be 0 or more");
  if (llvm::Error error = mlir::smx::checkRoadOptions(options.road))
    return error;
  if (options.road.target != Target::Cpu)
    if (llvm::Error error = mlir::smx::checkChip(options.road.chip))
      return error;
  if (options.from >= Stage::Llvm && options.from != Stage::Gpu)
    return createStringError(
        "a module at stage '" + getStageInfo(options.from).name +
        "' has no func.func to call; hand over one at stage 'cpu', 'gpu' or "
        "before");
  if (options.onText) {
    auto state = compileText(mlirText, options, KernelFiles());
    if (!state)
      return state.takeError();
    return Kernel(std::move(*state));
  }
  // A failure is not kept: whoever asks again shall see it fail again, with a
  // reproducer that exists.
  const std::string key = makeKey(mlirText, options);
  // Who names a folder wants the code in it.
  const std::string inMemory = key + '\n' + KernelFiles::folderOf(options);
  Expected<State> state = kernelCache().get(inMemory, [&]() -> Expected<State> {
    // Code for the emulator is IR.
    KernelFiles files;
    if (options.road.target != Target::Emulator)
      files = KernelFiles::open(options, key);
    auto loaded = loadKernel(mlirText, options, files);
    if (!loaded || *loaded)
      return loaded;
    return compileText(mlirText, options, files);
  });
  if (!state)
    return state.takeError();
  return Kernel(std::move(*state));
}

Expected<Kernel> smx::compile(mlir::ModuleOp module,
                              const CompileOptions &options) {
  if (!module)
    return createStringError("the module is null");
  std::string text;
  llvm::raw_string_ostream os(text);
  module.print(os, mlir::OpPrintingFlags().enableDebugInfo());
  return compile(llvm::StringRef(text), options);
}
