//===- DriverState.h - a loaded driver, and what broke ----------*- C++ -*-===//
#ifndef SMX_LIB_CUDA_DRIVERSTATE_H
#define SMX_LIB_CUDA_DRIVERSTATE_H

#include "DriverApi.h"

#include "smx/CUDA/Driver.h"

#include "llvm/ADT/Twine.h"

#include <map>
#include <mutex>
#include <string>

namespace smx::cuda::detail {

class Context;

/// Shared by everything that was made with one Driver.
struct DriverState {
  std::string path;
  api::Table api;
  DriverVersion version;
  int deviceCount = 0;

  /// "CUDA_ERROR_INVALID_VALUE (invalid argument)".
  std::string describe(api::Status status) const;

  /// Keeps the first failure that makes the context of device `ordinal`
  /// unusable.
  void noteFailure(int ordinal, std::string failure);
  /// `doing`, then that failure. `doing` ends in ": ".
  llvm::Error lostError(int ordinal, const llvm::Twine &doing);

  std::mutex mutex;
  /// Per device: the context that is held, so that all of its users learn of a
  /// failure.
  std::map<int, std::weak_ptr<Context>> contexts;
  /// Per device: the failure after which its context is lost.
  std::map<int, std::string> failures;
};

/// "; the context of device 0 can not be used any more: ...".
std::string lostContextText(int ordinal);

} // namespace smx::cuda::detail

#endif // SMX_LIB_CUDA_DRIVERSTATE_H
