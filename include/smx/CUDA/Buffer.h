//===- Buffer.h - memory on a device ----------------------------*- C++ -*-===//
//
// All copies are queued on a stream of the buffer's own device. Offsets and
// sizes are in bytes and are checked against the buffer.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_CUDA_BUFFER_H
#define SMX_CUDA_BUFFER_H

#include "smx/CUDA/Stream.h"

namespace smx::cuda {

/// Device memory, freed with the object. Of no bytes it has the address 0.
class Buffer {
public:
  /// Uninitialised memory, aligned to 256 bytes.
  static llvm::Expected<Buffer> allocate(const Device &device, int64_t bytes);
  /// Memory for finding out what a kernel does to it: every payload byte is
  /// 0xff (NaN in every float type) and `guardBytes` of a known pattern lie on
  /// both sides, the upper one right after the last byte. `name` is for the
  /// message of checkCanaries. `guardBytes` must be a positive multiple of 256.
  static llvm::Expected<Buffer> allocateGuarded(const Stream &stream,
                                                int64_t bytes, std::string name,
                                                int64_t guardBytes = 4096);

  Buffer(Buffer &&other);
  Buffer &operator=(Buffer &&other);
  ~Buffer();

  const Device &device() const { return owner; }
  /// Device address of the payload.
  uint64_t address() const { return payload; }
  /// Size of the payload.
  int64_t bytes() const { return size; }

  /// `source` may be reused when this returns, unless it is pinned memory.
  llvm::Error copyFromHost(const Stream &stream, const void *source,
                           int64_t bytes, int64_t offset = 0);
  /// `target` is complete after the stream is synchronised.
  llvm::Error copyToHost(const Stream &stream, void *target, int64_t bytes,
                         int64_t offset = 0) const;
  /// The first `bytes` of another buffer of the same device.
  llvm::Error copyFrom(const Stream &stream, const Buffer &source,
                       int64_t bytes);
  /// Sets every payload byte.
  llvm::Error fill(const Stream &stream, uint8_t value);

  /// Waits for the stream and fails if a guard byte has changed, with the
  /// number of changed bytes and the place of the one nearest to the payload.
  /// Success for a buffer without guards.
  llvm::Error checkCanaries(const Stream &stream) const;

private:
  explicit Buffer(Device owner) : owner(std::move(owner)) {}
  llvm::Error checkRange(const char *what, const Stream &stream, int64_t bytes,
                         int64_t offset) const;

  Device owner;
  uint64_t base = 0;
  uint64_t payload = 0;
  int64_t size = 0;
  int64_t guard = 0;
  std::string name;
};

} // namespace smx::cuda

#endif // SMX_CUDA_BUFFER_H
