//===- FakeDriver.h - a CUDA driver without a GPU ---------------*- C++ -*-===//
//
// A shared library with the driver's symbols: device memory is host memory,
// kernels are functions that a test registers, and any call can be told to
// fail. Tests reach its state through one more symbol, smxFakeDriverState.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_TEST_UNIT_CUDA_FAKEDRIVER_H
#define SMX_TEST_UNIT_CUDA_FAKEDRIVER_H

#include "CUDA/DriverApi.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace smx::cuda::fake {

using api::Status;

/// Where a stream, event or module was made; what a function is called.
struct Handle {
  int device;
  std::string name;
};

/// A launch as the driver saw it.
struct Launch {
  std::string kernel;
  api::LaunchConfig config = {};
  std::vector<api::LaunchAttribute> attributes;
  /// Empty for kernels without known parameters.
  std::vector<std::vector<std::byte>> arguments;
  int device = -1;

  /// Argument `index` as a value of type T.
  template <typename T>
  T argument(size_t index) const {
    T value;
    std::copy_n(arguments.at(index).data(), sizeof(T),
                reinterpret_cast<std::byte *>(&value));
    return value;
  }
};

/// What a module has; every module has all kernels that are registered.
struct Kernel {
  std::vector<size_t> parameterBytes;
  std::map<api::FunctionAttribute, int> attributes;
  std::function<void(const Launch &)> run;
  /// Shows at the next call after a launch, and for ever after.
  Status fault = Status::Success;
};

/// The last arguments of cuTensorMapEncodeTiled.
struct MapCall {
  int element = -1;
  uint64_t address = 0;
  std::vector<uint64_t> sizes, strides;
  std::vector<uint32_t> box;
  int swizzle = -1, promotion = -1, fill = -1;
};

struct Device {
  std::map<api::DeviceAttribute, int> attributes;
  Status fault = Status::Success;
  int contextUsers = 0;
};

struct State {
  std::recursive_mutex mutex;
  int version = 13000;
  std::vector<Device> devices;
  std::map<std::string, Kernel> kernels;
  /// What the named function returns instead of doing its work.
  std::map<std::string, Status> failures;
  std::map<std::string, int> calls;

  std::string jitInfo, jitError;
  std::string image;
  std::map<api::JitOption, uintptr_t> jitOptions;
  std::vector<Launch> launches;
  MapCall map;
  size_t freeBytes = size_t(1) << 30;
  float elapsed = 2.5f;

  /// Streams, events and modules that are alive.
  std::set<std::unique_ptr<Handle>> handles;
  /// By address: the memory, and the device that it is of.
  std::map<uint64_t, std::pair<std::vector<std::byte>, int>> allocations;

  /// Contexts that are current for the calling thread.
  std::function<size_t()> currentDepth;

  virtual ~State() = default;
  /// Two devices like an H200, no kernels, no failures. Virtual, since tests
  /// are not linked with the library.
  virtual void reset();

  /// What all kinds of handles point to.
  template <typename Pointer>
  Pointer makeHandle(int device) {
    auto handle = std::make_unique<Handle>(Handle{device, ""});
    auto *pointer = reinterpret_cast<Pointer>(handle.get());
    handles.insert(std::move(handle));
    return pointer;
  }
  template <typename Pointer>
  void destroyHandle(Pointer pointer) {
    std::erase_if(handles, [&](const std::unique_ptr<Handle> &handle) {
      return reinterpret_cast<Pointer>(handle.get()) == pointer;
    });
  }
};

using Lock = std::lock_guard<std::recursive_mutex>;

/// Counts a call; returns what the test wants it to return, or what a driver
/// would say without a context or after a fault.
Status enter(const char *function, bool needsContext = true);
/// Ordinal of the calling thread's context.
int currentDevice();
State &state();

/// A stream or event is good if it is null or of the current device.
template <typename Pointer>
Status check(Pointer pointer) {
  auto *handle = reinterpret_cast<Handle *>(pointer);
  return !handle || handle->device == currentDevice() ? Status::Success
                                                      : Status(400);
}

} // namespace smx::cuda::fake

#endif // SMX_TEST_UNIT_CUDA_FAKEDRIVER_H
