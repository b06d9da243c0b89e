//===- ChannelDepth.h - stages of a kernel's channels -----------*- C++ -*-===//
#ifndef SMX_LIB_GPU_CHANNELDEPTH_H
#define SMX_LIB_GPU_CHANNELDEPTH_H

#include "smx/GPU/SmxGpu.h"

namespace mlir::smx::gpu {

/// Gives the channels that loops of a kernel put to `wanted` stages, or as many
/// as the chip's shared memory holds beside `operandBytes` that a later pass
/// takes, and returns how many. A remark of the category `pass` says if they
/// are fewer. Roles must not have captured the channels yet.
int64_t deepenChannels(KernelOp kernel, int64_t wanted, StringRef pass,
                       int64_t operandBytes = 0);

/// The stages that `deepenChannels` would give them.
int64_t depthOfChannels(KernelOp kernel, int64_t wanted,
                        int64_t operandBytes = 0);

/// Doubles the stages of a channel that roles have captured; false, and nothing
/// is changed, if the chip's shared memory does not hold them.
bool doubleStages(KernelOp kernel, MakeChannelOp channel);

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_CHANNELDEPTH_H
