//===- Module.cpp - load GPU code -----------------------------------------===//

#include "smx/CUDA/Module.h"

#include "ModuleState.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace smx::cuda;
using namespace smx::cuda::detail;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;
using smx::cuda::api::JitOption;
using smx::cuda::api::Status;

/// Bytes for each of the assembler's two logs.
static constexpr size_t logBytes = 16384;
/// Kernels listed in a message at most.
static constexpr unsigned maxListed = 16;

ModuleState::~ModuleState() {
  Context &context = *device.context();
  if (handle)
    context.release([&] { return context.api().moduleUnload(handle); });
}

namespace {
/// The options of a load and the texts that it writes.
class JitRequest {
public:
  explicit JitRequest(const ModuleOptions &options)
      : info(logBytes), error(logBytes) {
    // Numbers travel in the pointers themselves.
    add(JitOption::InfoLogBuffer, info.data());
    add(JitOption::InfoLogBufferSizeBytes, asValue(logBytes));
    add(JitOption::ErrorLogBuffer, error.data());
    add(JitOption::ErrorLogBufferSizeBytes, asValue(logBytes));
    add(JitOption::LogVerbose, asValue(1));
    add(JitOption::OptimizationLevel, asValue(options.optLevel));
    if (options.maxRegisters > 0)
      add(JitOption::MaxRegisters, asValue(options.maxRegisters));
    if (options.lineInfo)
      add(JitOption::GenerateLineInfo, asValue(1));
  }

  Status load(const api::Table &api, api::Module &module, const char *image) {
    return api.moduleLoadDataEx(&module, image,
                                static_cast<unsigned>(options.size()),
                                options.data(), values.data());
  }
  /// The driver ends its texts with a zero; the last byte stays one in case it
  /// does not.
  std::string infoText() const { return textOf(info); }
  std::string errorText() const { return textOf(error); }

private:
  static void *asValue(uintptr_t number) {
    return reinterpret_cast<void *>(number);
  }
  static std::string textOf(const std::vector<char> &log) {
    return StringRef(log.data(), strnlen(log.data(), log.size())).trim().str();
  }
  void add(JitOption option, void *value) {
    options.push_back(option);
    values.push_back(value);
  }

  std::vector<char> info, error;
  std::vector<JitOption> options;
  std::vector<void *> values;
};
} // namespace

/// What to do about a refused image.
static std::string loadHint(const Context &context, Status status) {
  switch (status) {
  case Status::NoBinaryForGpu:
    return "; the image holds no code for " + context.info().chip();
  case Status::InvalidImage:
    return "; the image is neither PTX nor a cubin or fatbin";
  case Status::UnsupportedPtxVersion:
    return ("; the driver knows the PTX of CUDA " +
            Twine(context.driverVersion().major) + "." +
            Twine(context.driverVersion().minor) +
            ": emit an older PTX version, or update the NVIDIA driver")
        .str();
  case Status::JitCompilerNotFound:
    return "; the driver's PTX assembler (libnvidia-ptxjitcompiler) is not "
           "installed: load a cubin";
  default:
    return "";
  }
}

Expected<Module> Module::load(const Device &device, StringRef image,
                              const ModuleOptions &options) {
  if (options.optLevel < 0 || options.optLevel > 4)
    return createStringError("the optimisation level of module '" +
                             options.name + "' is " + Twine(options.optLevel) +
                             "; it must be from 0 to 4");
  if (image.empty())
    return createStringError("the image of module '" + options.name +
                             "' is empty");
  // PTX is read up to a zero.
  std::string terminated = image.str();
  JitRequest request(options);
  auto state = std::make_shared<ModuleState>(device);
  state->name = options.name;
  Context &context = *device.context();
  auto hint = [&](Status status) {
    std::string text = loadHint(context, status);
    std::string log = request.errorText();
    return log.empty() ? text : text + "\n" + log;
  };
  if (Error error = context.call(
          "can not load module '" + Twine(options.name) + "' for " +
              context.info().chip(),
          "cuModuleLoadDataEx",
          [&] {
            return request.load(context.api(), state->handle,
                                terminated.c_str());
          },
          hint)) {
    state->handle = nullptr;
    return error;
  }
  state->log = request.infoText();
  return Module(std::move(state));
}

const Device &Module::device() const { return state->device; }

StringRef Module::log() const { return state->log; }

/// ": it has 'a', 'b'", or nothing if the driver is too old to tell.
static std::string listKernels(const api::Table &api, api::Module module) {
  unsigned count = 0;
  if (!api.moduleGetFunctionCount || !api.moduleEnumerateFunctions ||
      !api.funcGetName ||
      api.moduleGetFunctionCount(&count, module) != Status::Success)
    return "";
  if (count == 0)
    return "; it has no kernels";
  std::vector<api::Function> functions(std::min(count, maxListed));
  if (api.moduleEnumerateFunctions(functions.data(),
                                   static_cast<unsigned>(functions.size()),
                                   module) != Status::Success)
    return "";
  std::string text = "; it has ";
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(functions, os, [&](api::Function function) {
    const char *name = nullptr;
    Status status = api.funcGetName(&name, function);
    os << "'" << (status == Status::Success && name ? name : "?") << "'";
  });
  if (count > functions.size())
    os << " and " << count - functions.size() << " more";
  return text;
}

Expected<Function> Module::function(StringRef name) const {
  auto function = std::make_shared<FunctionState>();
  function->module = state;
  function->name = name.str();
  Context &context = *state->device.context();
  auto hint = [&](Status status) {
    return status == Status::NotFound
               ? listKernels(context.api(), state->handle)
               : "";
  };
  if (Error error = context.call(
          "can not find kernel '" + Twine(name) + "' in module '" +
              state->name + "'",
          "cuModuleGetFunction",
          [&] {
            return context.api().moduleGetFunction(
                &function->handle, state->handle, function->name.c_str());
          },
          hint))
    return error;
  Function result(std::move(function));
  if (Error error = result.describe())
    return error;
  return result;
}
