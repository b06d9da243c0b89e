//===- StreamMemory.h - memory in the order of a stream ---------*- C++ -*-===//
//
// Nothing here waits: memory is taken and given back as the stream gets there,
// from a pool of this library's own that keeps what was given back.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_CUDA_STREAMMEMORY_H
#define SMX_CUDA_STREAMMEMORY_H

#include "smx/CUDA/Stream.h"

namespace smx::cuda {

/// Address of uninitialised memory for work queued on `stream` from now on,
/// aligned to 256 bytes.
llvm::Expected<uint64_t> allocateOnStream(const Stream &stream, int64_t bytes);
/// Gives it back after the work that is queued on `stream` now.
llvm::Error freeOnStream(const Stream &stream, uint64_t address);

/// Copies `rows` pieces of `rowBytes` between addresses of the stream's device.
/// Starts of rows are a pitch apart, which is at least `rowBytes` and means
/// nothing for a single row.
llvm::Error copyRows(const Stream &stream, uint64_t to, int64_t toPitch,
                     uint64_t from, int64_t fromPitch, int64_t rowBytes,
                     int64_t rows);

} // namespace smx::cuda

#endif // SMX_CUDA_STREAMMEMORY_H
