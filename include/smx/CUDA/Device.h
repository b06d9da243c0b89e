//===- Device.h - one GPU and its context -----------------------*- C++ -*-===//
//
// A device is used through its primary context, the one that the CUDA run-time
// and PyTorch use too. Every call makes it current for the calling thread and
// puts back what was current before.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_CUDA_DEVICE_H
#define SMX_CUDA_DEVICE_H

#include "smx/CUDA/Driver.h"

#include <cstdint>
#include <memory>
#include <string>

namespace smx::cuda {

namespace detail {
class Context;
} // namespace detail

/// What a device is able to do. Bytes unless a name says otherwise.
struct DeviceInfo {
  int ordinal = 0;
  std::string name;
  /// Compute capability.
  int major = 0;
  int minor = 0;
  int multiprocessors = 0;
  int maxThreadsPerBlock = 0;
  /// Shared memory of a block without asking (48 KiB).
  int64_t sharedPerBlock = 0;
  /// Shared memory of a block that asked for it.
  int64_t maxSharedPerBlock = 0;
  int64_t sharedPerMultiprocessor = 0;
  /// 32-bit registers.
  int registersPerMultiprocessor = 0;
  int clockKHz = 0;
  int memoryClockKHz = 0;
  int memoryBusBits = 0;
  int64_t l2Bytes = 0;
  int64_t memoryBytes = 0;
  bool hasClusters = false;
  bool hasTensorMaps = false;

  /// The architecture as PTX names it, "sm_90"; without the suffix for
  /// architecture-specific features.
  std::string chip() const;
  /// What code for this device alone is best made for: "sm_90a", with wgmma, on
  /// a Hopper; elsewhere `chip()`.
  std::string specificChip() const;
  /// For messages: "device 0 (NVIDIA H200, sm_90)".
  std::string describe() const;
};

/// A device whose primary context is held. Copies share it; it is released when
/// the last copy and the last stream, buffer, module made with it are gone.
class Device {
public:
  /// Opens device `ordinal` of the driver.
  static llvm::Expected<Device> open(const Driver &driver, int ordinal = 0);

  const DeviceInfo &info() const;
  int ordinal() const { return info().ordinal; }
  /// Memory that is free now, in bytes.
  llvm::Expected<int64_t> freeMemory() const;
  /// Waits for all work on the device.
  llvm::Error synchronize() const;

  /// For the library's own classes.
  const std::shared_ptr<detail::Context> &context() const { return held; }
  explicit Device(std::shared_ptr<detail::Context> context)
      : held(std::move(context)) {}

private:
  std::shared_ptr<detail::Context> held;
};

} // namespace smx::cuda

#endif // SMX_CUDA_DEVICE_H
