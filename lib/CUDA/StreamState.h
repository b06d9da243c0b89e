//===- StreamState.h - what streams and events are made of ------*- C++ -*-===//
#ifndef SMX_LIB_CUDA_STREAMSTATE_H
#define SMX_LIB_CUDA_STREAMSTATE_H

#include "Context.h"

namespace smx::cuda::detail {

struct StreamState {
  Device device;
  api::Stream handle = nullptr;
  bool isOwned = false;

  explicit StreamState(Device device) : device(std::move(device)) {}
  ~StreamState();
};

struct EventState {
  Device device;
  api::Event handle = nullptr;

  explicit EventState(Device device) : device(std::move(device)) {}
  ~EventState();
};

} // namespace smx::cuda::detail

#endif // SMX_LIB_CUDA_STREAMSTATE_H
