//===- Buffer.cpp - device memory and its copies --------------------------===//

#include "smx/CUDA/Buffer.h"

#include "Context.h"

#include "smx/CUDA/CudaError.h"

#include <utility>

using namespace smx::cuda;
using namespace smx::cuda::detail;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;
using llvm::Twine;
using smx::cuda::api::Status;

/// Alignment of what cuMemAlloc returns; guards keep the payload at it.
static constexpr int64_t allocationAlignment = 256;

static api::Stream handleOf(const Stream &stream) {
  return static_cast<api::Stream>(stream.handle());
}

/// Byte `index` of the guards of the buffer at `base`: noise that differs
/// between buffers, so that a kernel that copies one buffer's guard over
/// another's is caught too.
static uint8_t guardByte(uint64_t base, int64_t index) {
  uint64_t bits = base + static_cast<uint64_t>(index) * 0x9e3779b97f4a7c15;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  return static_cast<uint8_t>(bits >> 56);
}

static Expected<uint64_t> allocateBytes(Context &context, int64_t bytes) {
  if (bytes < 0)
    return createStringError("a buffer can not have " + Twine(bytes) +
                             " bytes");
  api::DeviceAddress address = 0;
  if (bytes == 0)
    return address;
  auto addFreeMemory = [&](Status status) -> std::string {
    size_t free = 0, total = 0;
    if (status != Status::OutOfMemory ||
        context.api().memGetInfo(&free, &total) != Status::Success)
      return "";
    return ("; " + Twine(free) + " of " + Twine(total) + " bytes are free")
        .str();
  };
  if (Error error = context.call(
          "can not allocate " + Twine(bytes) + " bytes", "cuMemAlloc",
          [&] { return context.api().memAlloc(&address, bytes); },
          addFreeMemory))
    return error;
  return address;
}

Expected<Buffer> Buffer::allocate(const Device &device, int64_t bytes) {
  Buffer buffer(device);
  auto address = allocateBytes(*device.context(), bytes);
  if (!address)
    return address.takeError();
  buffer.base = buffer.payload = *address;
  buffer.size = bytes;
  return buffer;
}

Expected<Buffer> Buffer::allocateGuarded(const Stream &stream, int64_t bytes,
                                         std::string name, int64_t guardBytes) {
  if (guardBytes <= 0 || guardBytes % allocationAlignment)
    return createStringError("a guard has " + Twine(guardBytes) +
                             " bytes; it must be a positive multiple of " +
                             Twine(allocationAlignment));
  Buffer buffer(stream.device());
  Context &context = *stream.device().context();
  auto address =
      allocateBytes(context, bytes < 0 ? bytes : bytes + 2 * guardBytes);
  if (!address)
    return address.takeError();
  buffer.base = *address;
  buffer.payload = *address + guardBytes;
  buffer.size = bytes;
  buffer.guard = guardBytes;
  buffer.name = std::move(name);

  std::vector<uint8_t> pattern(guardBytes);
  for (int64_t i = 0; i < guardBytes; ++i)
    pattern[i] = guardByte(buffer.base, i);
  for (uint64_t place : {buffer.base, buffer.payload + bytes})
    if (Error error = context.call(
            "can not write the guards of buffer '" + Twine(buffer.name) + "'",
            "cuMemcpyHtoDAsync", [&] {
              return context.api().memcpyHtoDAsync(
                  place, pattern.data(), guardBytes, handleOf(stream));
            }))
      return error;
  if (Error error = buffer.fill(stream, 0xff))
    return error;
  return buffer;
}

Buffer::Buffer(Buffer &&other)
    : owner(other.owner), base(std::exchange(other.base, 0)),
      payload(std::exchange(other.payload, 0)),
      size(std::exchange(other.size, 0)), guard(std::exchange(other.guard, 0)),
      name(std::move(other.name)) {}

Buffer &Buffer::operator=(Buffer &&other) {
  std::swap(owner, other.owner);
  std::swap(base, other.base);
  std::swap(payload, other.payload);
  std::swap(size, other.size);
  std::swap(guard, other.guard);
  std::swap(name, other.name);
  return *this;
}

Buffer::~Buffer() {
  Context &context = *owner.context();
  if (base)
    context.release([&] { return context.api().memFree(base); });
}

Error Buffer::checkRange(const char *what, const Stream &stream, int64_t bytes,
                         int64_t offset) const {
  if (Error error = stream.device().context()->requireSame(*owner.context(),
                                                           "stream", "buffer"))
    return error;
  if (bytes < 0 || offset < 0 || bytes > size || offset > size - bytes)
    return createStringError(Twine("can not ") + what + " " + Twine(bytes) +
                             " bytes at offset " + Twine(offset) +
                             ": the buffer has " + Twine(size) + " bytes");
  return Error::success();
}

Error Buffer::copyFromHost(const Stream &stream, const void *source,
                           int64_t bytes, int64_t offset) {
  if (Error error = checkRange("write", stream, bytes, offset))
    return error;
  if (bytes == 0)
    return Error::success();
  Context &context = *owner.context();
  return context.call("can not copy " + Twine(bytes) + " bytes to the device",
                      "cuMemcpyHtoDAsync", [&] {
                        return context.api().memcpyHtoDAsync(
                            payload + offset, source, bytes, handleOf(stream));
                      });
}

Error Buffer::copyToHost(const Stream &stream, void *target, int64_t bytes,
                         int64_t offset) const {
  if (Error error = checkRange("read", stream, bytes, offset))
    return error;
  if (bytes == 0)
    return Error::success();
  Context &context = *owner.context();
  return context.call("can not copy " + Twine(bytes) + " bytes to the host",
                      "cuMemcpyDtoHAsync", [&] {
                        return context.api().memcpyDtoHAsync(
                            target, payload + offset, bytes, handleOf(stream));
                      });
}

Error Buffer::copyFrom(const Stream &stream, const Buffer &source,
                       int64_t bytes) {
  if (Error error = checkRange("write", stream, bytes, /*offset=*/0))
    return error;
  if (Error error = source.owner.context()->requireSame(
          *owner.context(), "source buffer", "target buffer"))
    return error;
  if (Error error = source.checkRange("read", stream, bytes, /*offset=*/0))
    return error;
  if (bytes == 0)
    return Error::success();
  Context &context = *owner.context();
  return context.call("can not copy " + Twine(bytes) + " bytes between buffers",
                      "cuMemcpyDtoDAsync", [&] {
                        return context.api().memcpyDtoDAsync(
                            payload, source.payload, bytes, handleOf(stream));
                      });
}

Error Buffer::fill(const Stream &stream, uint8_t value) {
  if (Error error = checkRange("write", stream, size, /*offset=*/0))
    return error;
  if (size == 0)
    return Error::success();
  Context &context = *owner.context();
  return context.call("can not fill " + Twine(size) + " bytes",
                      "cuMemsetD8Async", [&] {
                        return context.api().memsetD8Async(payload, value, size,
                                                           handleOf(stream));
                      });
}

Error Buffer::checkCanaries(const Stream &stream) const {
  if (Error error = checkRange("check", stream, /*bytes=*/0, /*offset=*/0))
    return error;
  if (guard == 0)
    return Error::success();
  Context &context = *owner.context();
  std::vector<uint8_t> before(guard), after(guard);
  for (auto [place, copy] : {std::pair(base, before.data()),
                             std::pair(payload + size, after.data())})
    if (Error error = context.call(
            "can not read the guards of buffer '" + Twine(name) + "'",
            "cuMemcpyDtoHAsync", [&, place = place, copy = copy] {
              return context.api().memcpyDtoHAsync(copy, place, guard,
                                                   handleOf(stream));
            }))
      return error;
  if (Error error = stream.synchronize())
    return error;

  int64_t changedBefore = 0, changedAfter = 0;
  int64_t nearestBefore = 0, nearestAfter = 0;
  for (int64_t i = 0; i < guard; ++i)
    if (before[i] != guardByte(base, i)) {
      ++changedBefore;
      nearestBefore = guard - i;
    }
  for (int64_t i = guard - 1; i >= 0; --i)
    if (after[i] != guardByte(base, i)) {
      ++changedAfter;
      nearestAfter = i;
    }
  if (changedBefore == 0 && changedAfter == 0)
    return Error::success();
  std::string text = ("buffer '" + Twine(name) + "' of " + Twine(size) +
                      " bytes was written outside of its bounds:")
                         .str();
  if (changedBefore)
    text += (" " + Twine(changedBefore) + " bytes changed in front of it, " +
             "the nearest at offset -" + Twine(nearestBefore))
                .str();
  if (changedBefore && changedAfter)
    text += ";";
  if (changedAfter)
    text += (" " + Twine(changedAfter) + " bytes changed behind it, the " +
             "nearest at offset " + Twine(size + nearestAfter))
                .str();
  return createStringError(text);
}
