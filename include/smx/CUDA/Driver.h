//===- Driver.h - the CUDA driver, found at run time ------------*- C++ -*-===//
//
// Nothing of CUDA is linked: the driver's library is opened when asked for, so
// the same program starts where there is no GPU and says so.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_CUDA_DRIVER_H
#define SMX_CUDA_DRIVER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>

namespace smx::cuda {

namespace detail {
struct DriverState;
} // namespace detail

/// The newest CUDA that a driver supports, as 13.0.
struct DriverVersion {
  int major = 0;
  int minor = 0;
};

/// An initialised driver with at least one device. Copies share it. One process
/// should load it once and hand it around: what is known about broken contexts
/// lives here.
class Driver {
public:
  /// Opens the driver's library and initialises it. Fails with one sentence
  /// where there is no driver, it is too old, or it has no GPU.
  static llvm::Expected<Driver>
  load(llvm::StringRef libraryPath = "libcuda.so.1");

  DriverVersion version() const;
  /// Number of devices, at least 1.
  int deviceCount() const;

private:
  friend class Device;
  explicit Driver(std::shared_ptr<detail::DriverState> state)
      : state(std::move(state)) {}
  std::shared_ptr<detail::DriverState> state;
};

} // namespace smx::cuda

#endif // SMX_CUDA_DRIVER_H
