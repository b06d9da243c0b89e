//===- FakeMemory.cpp - memory and copies of the fake ---------------------===//

#include "FakeDriver.h"

#include <cstring>

using namespace smx::cuda;
using namespace smx::cuda::fake;

extern "C" {

Status cuMemGetInfo_v2(size_t *free, size_t *total) {
  Lock lock(state().mutex);
  *free = state().freeBytes;
  *total = size_t(140) << 30;
  return enter("cuMemGetInfo");
}

Status cuMemAlloc_v2(api::DeviceAddress *address, size_t bytes) {
  Lock lock(state().mutex);
  Status status = enter("cuMemAlloc");
  if (status != Status::Success)
    return status;
  if (bytes == 0)
    return Status::InvalidValue;
  if (bytes > state().freeBytes)
    return Status::OutOfMemory;
  // Some room around, for kernels that miss.
  std::vector<std::byte> memory(bytes + 1024);
  uint64_t start = reinterpret_cast<uint64_t>(memory.data()) + 256;
  *address = (start + 255) / 256 * 256;
  state().allocations[*address] = {std::move(memory), currentDevice()};
  return Status::Success;
}

Status cuMemFree_v2(api::DeviceAddress address) {
  Lock lock(state().mutex);
  return state().allocations.erase(address) ? enter("cuMemFree")
                                            : Status::InvalidValue;
}

static Status copy(const char *function, uint64_t target, uint64_t source,
                   size_t bytes, api::Stream stream) {
  Lock lock(state().mutex);
  Status status = enter(function);
  if (status == Status::Success)
    status = check(stream);
  if (status == Status::Success)
    memcpy(reinterpret_cast<void *>(target),
           reinterpret_cast<const void *>(source), bytes);
  return status;
}

Status cuMemcpyHtoDAsync_v2(api::DeviceAddress target, const void *source,
                            size_t bytes, api::Stream stream) {
  return copy("cuMemcpyHtoDAsync", target, reinterpret_cast<uint64_t>(source),
              bytes, stream);
}

Status cuMemcpyDtoHAsync_v2(void *target, api::DeviceAddress source,
                            size_t bytes, api::Stream stream) {
  return copy("cuMemcpyDtoHAsync", reinterpret_cast<uint64_t>(target), source,
              bytes, stream);
}

Status cuMemcpyDtoDAsync_v2(api::DeviceAddress target,
                            api::DeviceAddress source, size_t bytes,
                            api::Stream stream) {
  return copy("cuMemcpyDtoDAsync", target, source, bytes, stream);
}

Status cuMemsetD8Async(api::DeviceAddress target, unsigned char value,
                       size_t bytes, api::Stream stream) {
  Lock lock(state().mutex);
  Status status = enter("cuMemsetD8Async");
  if (status == Status::Success)
    status = check(stream);
  if (status == Status::Success)
    memset(reinterpret_cast<void *>(target), value, bytes);
  return status;
}

} // extern "C"
