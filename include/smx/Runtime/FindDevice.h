//===- FindDevice.h - the device that kernels run on ------------*- C++ -*-===//
#ifndef SMX_RUNTIME_FINDDEVICE_H
#define SMX_RUNTIME_FINDDEVICE_H

#include "smx/CUDA/Device.h"
#include "smx/Runtime/Kernel.h"

namespace smx {

/// The device that `options` asks for. Driver and device are opened once per
/// process.
llvm::Expected<cuda::Device> findDevice(const CompileOptions &options);

} // namespace smx

#endif // SMX_RUNTIME_FINDDEVICE_H
