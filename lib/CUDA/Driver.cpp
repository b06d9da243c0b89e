//===- Driver.cpp - open the driver's library -----------------------------===//

#include "smx/CUDA/Driver.h"

#include "DriverState.h"

#include "smx/CUDA/CudaError.h"

#include "llvm/ADT/Twine.h"

#include <dlfcn.h>

using namespace smx::cuda;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;
using llvm::Twine;
using smx::cuda::api::Status;

char CudaError::ID = 0;

/// CUDA 12.1, the first that has everything sm_90 needs (PTX 8.1, for what
/// clusters exchange), as cuDriverGetVersion writes it.
static constexpr int oldestVersion = 12010;

namespace {
/// Fills a function table; remembers the first name that is not there.
class SymbolReader {
public:
  explicit SymbolReader(void *library) : library(library) {}

  template <typename FunctionPointer>
  void read(FunctionPointer &place, const char *name) {
    readOptional(place, name);
    if (!place && !missing)
      missing = name;
  }
  template <typename FunctionPointer>
  void readOptional(FunctionPointer &place, const char *name) {
    place = reinterpret_cast<FunctionPointer>(dlsym(library, name));
  }

  /// Null if all were found.
  const char *firstMissing() const { return missing; }

private:
  void *library;
  const char *missing = nullptr;
};
} // namespace

/// The names are those of the library's symbols, whose versions never change
/// meaning.
static const char *readTable(void *library, api::Table &table) {
  SymbolReader symbols(library);
  symbols.read(table.init, "cuInit");
  symbols.read(table.driverGetVersion, "cuDriverGetVersion");
  symbols.read(table.getErrorName, "cuGetErrorName");
  symbols.read(table.getErrorString, "cuGetErrorString");

  symbols.read(table.deviceGet, "cuDeviceGet");
  symbols.read(table.deviceGetCount, "cuDeviceGetCount");
  symbols.read(table.deviceGetName, "cuDeviceGetName");
  symbols.read(table.deviceTotalMem, "cuDeviceTotalMem_v2");
  symbols.read(table.deviceGetAttribute, "cuDeviceGetAttribute");
  symbols.read(table.devicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain");
  symbols.read(table.devicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2");
  symbols.read(table.ctxPushCurrent, "cuCtxPushCurrent_v2");
  symbols.read(table.ctxPopCurrent, "cuCtxPopCurrent_v2");
  symbols.read(table.ctxSynchronize, "cuCtxSynchronize");

  symbols.read(table.streamCreate, "cuStreamCreate");
  symbols.read(table.streamDestroy, "cuStreamDestroy_v2");
  symbols.read(table.streamSynchronize, "cuStreamSynchronize");
  symbols.read(table.streamWaitEvent, "cuStreamWaitEvent");
  symbols.read(table.eventCreate, "cuEventCreate");
  symbols.read(table.eventDestroy, "cuEventDestroy_v2");
  symbols.read(table.eventRecord, "cuEventRecord");
  symbols.read(table.eventSynchronize, "cuEventSynchronize");
  symbols.read(table.eventElapsedTime, "cuEventElapsedTime");

  symbols.read(table.memAlloc, "cuMemAlloc_v2");
  symbols.read(table.memFree, "cuMemFree_v2");
  symbols.read(table.memGetInfo, "cuMemGetInfo_v2");
  symbols.read(table.memcpyHtoDAsync, "cuMemcpyHtoDAsync_v2");
  symbols.read(table.memcpyDtoHAsync, "cuMemcpyDtoHAsync_v2");
  symbols.read(table.memcpyDtoDAsync, "cuMemcpyDtoDAsync_v2");
  symbols.read(table.memcpy2DAsync, "cuMemcpy2DAsync_v2");
  symbols.read(table.memsetD8Async, "cuMemsetD8Async");
  symbols.read(table.memPoolCreate, "cuMemPoolCreate");
  symbols.read(table.memPoolDestroy, "cuMemPoolDestroy");
  symbols.read(table.memPoolSetAttribute, "cuMemPoolSetAttribute");
  symbols.read(table.memAllocFromPoolAsync, "cuMemAllocFromPoolAsync");
  symbols.read(table.memFreeAsync, "cuMemFreeAsync");

  symbols.read(table.moduleLoadDataEx, "cuModuleLoadDataEx");
  symbols.read(table.moduleUnload, "cuModuleUnload");
  symbols.read(table.moduleGetFunction, "cuModuleGetFunction");
  symbols.read(table.funcGetAttribute, "cuFuncGetAttribute");
  symbols.read(table.funcSetAttribute, "cuFuncSetAttribute");
  symbols.read(table.launchKernelEx, "cuLaunchKernelEx");
  symbols.read(table.tensorMapEncodeTiled, "cuTensorMapEncodeTiled");

  symbols.readOptional(table.moduleGetFunctionCount,
                       "cuModuleGetFunctionCount");
  symbols.readOptional(table.moduleEnumerateFunctions,
                       "cuModuleEnumerateFunctions");
  symbols.readOptional(table.funcGetName, "cuFuncGetName");
  symbols.readOptional(table.funcGetParamInfo, "cuFuncGetParamInfo");
  return symbols.firstMissing();
}

std::string detail::DriverState::describe(Status status) const {
  const char *name = nullptr, *text = nullptr;
  if (api.getErrorName(status, &name) != Status::Success || !name)
    return ("CUDA error " + Twine(static_cast<int>(status))).str();
  if (api.getErrorString(status, &text) != Status::Success || !text)
    return name;
  return (Twine(name) + " (" + text + ")").str();
}

void detail::DriverState::noteFailure(int ordinal, std::string failure) {
  std::lock_guard<std::mutex> lock(mutex);
  failures.try_emplace(ordinal, std::move(failure));
}

Error detail::DriverState::lostError(int ordinal, const Twine &doing) {
  std::lock_guard<std::mutex> lock(mutex);
  return llvm::make_error<CudaError>(
      static_cast<int>(Status::ContextIsDestroyed), /*sticky=*/true,
      (doing + failures[ordinal] + lostContextText(ordinal)).str());
}

std::string detail::lostContextText(int ordinal) {
  return ("; the context of device " + Twine(ordinal) +
          " can not be used any more: start the process again")
      .str();
}

static Error makeError(Status status, const Twine &text) {
  return llvm::make_error<CudaError>(static_cast<int>(status), /*sticky=*/false,
                                     text.str());
}

/// "12.4" for 12040.
static std::string printVersion(int version) {
  return (Twine(version / 1000) + "." + Twine(version % 1000 / 10)).str();
}

Expected<Driver> Driver::load(llvm::StringRef libraryPath) {
  auto state = std::make_shared<detail::DriverState>();
  state->path = libraryPath.str();
  // Never closed: the driver starts threads of its own that outlive any object
  // here.
  void *library = dlopen(state->path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return createStringError("no CUDA driver found (" + state->path +
                             "): a GPU target needs an NVIDIA driver; "
                             "--target=cpu works everywhere");
  if (const char *missing = readTable(library, state->api)) {
    dlclose(library);
    return createStringError("the CUDA driver (" + state->path + ") lacks '" +
                             missing + "': CUDA " +
                             printVersion(oldestVersion) +
                             " or newer is needed, so update the NVIDIA "
                             "driver; --target=cpu works everywhere");
  }

  const api::Table &api = state->api;
  Status status = api.init(/*flags=*/0);
  if (status == Status::NoDevice)
    return makeError(
        status, "the CUDA driver finds no GPU: " + state->describe(status) +
                    "; --target=cpu works everywhere");
  if (status != Status::Success)
    return makeError(status,
                     "the CUDA driver does not start: cuInit returned " +
                         state->describe(status) +
                         "; --target=cpu works everywhere");

  int version = 0;
  status = api.driverGetVersion(&version);
  if (status != Status::Success)
    return makeError(status,
                     "cuDriverGetVersion returned " + state->describe(status));
  if (version < oldestVersion)
    return createStringError(
        "the CUDA driver is for CUDA " + printVersion(version) + "; CUDA " +
        printVersion(oldestVersion) +
        " or newer is needed, so update the NVIDIA driver; --target=cpu works "
        "everywhere");
  state->version = {version / 1000, version % 1000 / 10};

  status = api.deviceGetCount(&state->deviceCount);
  if (status != Status::Success)
    return makeError(status,
                     "cuDeviceGetCount returned " + state->describe(status));
  if (state->deviceCount == 0)
    return createStringError("the CUDA driver finds no GPU: it counts 0 "
                             "devices; --target=cpu works everywhere");
  return Driver(std::move(state));
}

DriverVersion Driver::version() const { return state->version; }

int Driver::deviceCount() const { return state->deviceCount; }
