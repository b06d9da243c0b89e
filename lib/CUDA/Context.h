//===- Context.h - where every call of the driver goes through --*- C++ -*-===//
//
// A device's primary context. Calls are made with it current; refusals become
// errors with text, and those that break the context are remembered, so that
// later ones can say what really happened.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_LIB_CUDA_CONTEXT_H
#define SMX_LIB_CUDA_CONTEXT_H

#include "DriverState.h"

#include "smx/CUDA/Device.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/Twine.h"

#include <atomic>
#include <vector>

namespace smx::cuda::detail {

class Context {
public:
  /// The context of device `ordinal`; the same object as long as somebody holds
  /// it.
  static llvm::Expected<std::shared_ptr<Context>>
  open(const std::shared_ptr<DriverState> &driver, int ordinal);
  ~Context();
  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;

  const DeviceInfo &info() const { return device; }
  const api::Table &api() const { return driver->api; }
  DriverVersion driverVersion() const { return driver->version; }

  using Body = llvm::function_ref<api::Status()>;
  /// Runs `body`, which calls `function`, with this context current. `doing` is
  /// how the error starts: "can not allocate 64 bytes". Does not run it if the
  /// context is lost already. `hint` may add to the text of a status.
  llvm::Error call(const llvm::Twine &doing, const char *function, Body body,
                   llvm::function_ref<std::string(api::Status)> hint = nullptr);
  /// The same for destructors: what can not be reported is remembered if it
  /// breaks the context, and has no other effect.
  void release(Body body);

  /// Where scratch memory comes from; made when first asked for.
  llvm::Expected<api::MemoryPool> scratchPool();

  /// Keeps record of what may be at fault when an error shows later.
  void noteLaunch(api::Stream stream, llvm::StringRef kernel);
  void noteSynchronized(api::Stream stream);
  void noteAllSynchronized();

  /// An error if `other` is not this context: "the stream is on device 1 but
  /// the buffer is on device 0".
  llvm::Error requireSame(const Context &other, const char *what,
                          const char *otherWhat) const;

private:
  explicit Context(std::shared_ptr<DriverState> driver)
      : driver(std::move(driver)) {}
  api::Status runCurrent(Body body);
  /// The kernels that may be to blame for what shows now.
  std::string suspects();
  /// Marks the context lost and returns the suspects.
  std::string noteLoss(api::Status status);

  std::shared_ptr<DriverState> driver;
  DeviceInfo device;
  int driverDevice = 0;
  api::Context handle = nullptr;
  std::atomic<bool> isLost = false;

  std::mutex poolMutex;
  api::MemoryPool pool = nullptr;

  struct PendingLaunch {
    api::Stream stream;
    std::string kernel;
  };
  std::mutex pendingMutex;
  /// Kernels launched since their stream was last seen to be done; each once
  /// per stream.
  std::vector<PendingLaunch> pending;
};

} // namespace smx::cuda::detail

#endif // SMX_LIB_CUDA_CONTEXT_H
