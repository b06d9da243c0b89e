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

static Status allocate(const char *function, api::DeviceAddress *address,
                       size_t bytes) {
  Lock lock(state().mutex);
  Status status = enter(function);
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

Status cuMemAlloc_v2(api::DeviceAddress *address, size_t bytes) {
  return allocate("cuMemAlloc", address, bytes);
}

Status cuMemPoolCreate(api::MemoryPool *pool,
                       const api::MemoryPoolProperties *properties) {
  Lock lock(state().mutex);
  Status status = enter("cuMemPoolCreate");
  if (status != Status::Success)
    return status;
  if (properties->allocationType != api::allocationPinned ||
      properties->locationType != api::locationDevice)
    return Status::InvalidValue;
  *pool = state().makeHandle<api::MemoryPool>(properties->locationId);
  return status;
}

Status cuMemPoolDestroy(api::MemoryPool pool) {
  Lock lock(state().mutex);
  state().destroyHandle(pool);
  return enter("cuMemPoolDestroy");
}

Status cuMemPoolSetAttribute(api::MemoryPool pool, int, void *) {
  Lock lock(state().mutex);
  Status status = enter("cuMemPoolSetAttribute");
  return status == Status::Success ? check(pool) : status;
}

Status cuMemAllocFromPoolAsync(api::DeviceAddress *address, size_t bytes,
                               api::MemoryPool pool, api::Stream stream) {
  Lock lock(state().mutex);
  for (Status status : {check(pool), check(stream)})
    if (status != Status::Success)
      return status;
  return allocate("cuMemAllocFromPoolAsync", address, bytes);
}

Status cuMemFreeAsync(api::DeviceAddress address, api::Stream stream) {
  Lock lock(state().mutex);
  Status status = enter("cuMemFreeAsync");
  if (status == Status::Success)
    status = check(stream);
  if (status != Status::Success)
    return status;
  return state().allocations.erase(address) ? status : Status::InvalidValue;
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

Status cuMemcpy2DAsync_v2(const api::RowCopy *rows, api::Stream stream) {
  Lock lock(state().mutex);
  if (rows->from.pitch < rows->rowBytes || rows->to.pitch < rows->rowBytes)
    return Status::InvalidValue;
  Status status = enter("cuMemcpy2DAsync");
  if (status == Status::Success)
    status = check(stream);
  for (size_t row = 0; status == Status::Success && row < rows->rows; ++row)
    memcpy(reinterpret_cast<void *>(rows->to.device + row * rows->to.pitch),
           reinterpret_cast<const void *>(rows->from.device +
                                          row * rows->from.pitch),
           rows->rowBytes);
  return status;
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
