//===- KernelState.h - what a kernel is made of -----------------*- C++ -*-===//
#ifndef SMX_LIB_RUNTIME_KERNELSTATE_H
#define SMX_LIB_RUNTIME_KERNELSTATE_H

#include "DeviceVariants.h"
#include "HostCode.h"
#include "KernelFiles.h"
#include "smx/Runtime/Signature.h"

#include "smx/Evaluator/ShapeProgram.h"

namespace smx::detail {

struct KernelState {
  std::string name;
  Signature signature;
  /// None for a function on memrefs, whose destinations are inputs.
  std::optional<mlir::smx::ShapeProgram> resultShapes;
  HostCode code;
  /// Set for GPUs and the emulator; then there is no host code.
  std::optional<DeviceVariants> device;
  std::vector<CompileStep> steps;
  KernelFiles files;
};

} // namespace smx::detail

#endif // SMX_LIB_RUNTIME_KERNELSTATE_H
