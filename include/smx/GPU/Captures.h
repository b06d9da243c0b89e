//===- Captures.h - what roles have from outside ----------------*- C++ -*-===//
#ifndef SMX_GPU_CAPTURES_H
#define SMX_GPU_CAPTURES_H

#include "smx/GPU/SmxGpu.h"

#include <optional>

namespace mlir::smx::gpu {

/// What `value` is outside of all roles: what the role captures if it is an
/// argument of one, and else `value` itself.
Value outsideOfRoles(Value value);

/// The channel of a put or get, in roles or not; null if it is not known where
/// it was made.
MakeChannelOp channelOf(Value channel);

/// The number of the kernel's argument that `value` is, in roles or not.
std::optional<unsigned> argumentOfKernel(Value value);

} // namespace mlir::smx::gpu

#endif // SMX_GPU_CAPTURES_H
