//===- ModuleState.h - what modules and functions are made of ---*- C++ -*-===//
#ifndef SMX_LIB_CUDA_MODULESTATE_H
#define SMX_LIB_CUDA_MODULESTATE_H

#include "Context.h"

#include "smx/CUDA/Module.h"

namespace smx::cuda::detail {

struct ModuleState {
  Device device;
  std::string name;
  api::Module handle = nullptr;
  std::string log;

  explicit ModuleState(Device device) : device(std::move(device)) {}
  ~ModuleState();
};

struct FunctionState {
  std::shared_ptr<const ModuleState> module;
  std::string name;
  api::Function handle = nullptr;
  FunctionInfo info;
  std::optional<std::vector<int64_t>> parameterBytes;
  /// What was asked of the driver already.
  std::atomic<bool> mayUseAllShared = false;
  std::atomic<bool> mayUseLargeClusters = false;
};

} // namespace smx::cuda::detail

#endif // SMX_LIB_CUDA_MODULESTATE_H
