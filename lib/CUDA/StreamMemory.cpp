//===- StreamMemory.cpp - memory in the order of a stream -----------------===//

#include "smx/CUDA/StreamMemory.h"

#include "Context.h"

using namespace smx::cuda;
using namespace smx::cuda::detail;
using llvm::Error;
using llvm::Expected;
using llvm::Twine;

/// What the driver's copy of rows takes as a pitch, in bytes.
static constexpr int64_t maxPitch = (int64_t(1) << 31) - 1;

Expected<api::MemoryPool> Context::scratchPool() {
  std::lock_guard<std::mutex> lock(poolMutex);
  if (pool)
    return pool;
  api::MemoryPoolProperties properties = {};
  properties.allocationType = api::allocationPinned;
  properties.locationType = api::locationDevice;
  properties.locationId = device.ordinal;
  api::MemoryPool made = nullptr;
  if (Error error =
          call("can not make a pool of memory", "cuMemPoolCreate",
               [&] { return api().memPoolCreate(&made, &properties); }))
    return error;
  // By default all memory goes back to the system whenever anybody waits.
  uint64_t keepAll = ~uint64_t(0);
  if (Error error =
          call("can not keep memory in a pool", "cuMemPoolSetAttribute", [&] {
            return api().memPoolSetAttribute(made, api::poolReleaseThreshold,
                                             &keepAll);
          })) {
    release([&] { return api().memPoolDestroy(made); });
    return error;
  }
  return pool = made;
}

Expected<uint64_t> smx::cuda::allocateOnStream(const Stream &stream,
                                               int64_t bytes) {
  Context &context = *stream.device().context();
  auto pool = context.scratchPool();
  if (!pool)
    return pool.takeError();
  api::DeviceAddress address = 0;
  if (Error error =
          context.call("can not allocate " + Twine(bytes) + " bytes",
                       "cuMemAllocFromPoolAsync", [&] {
                         return context.api().memAllocFromPoolAsync(
                             &address, bytes, *pool,
                             static_cast<api::Stream>(stream.handle()));
                       }))
    return error;
  return address;
}

Error smx::cuda::freeOnStream(const Stream &stream, uint64_t address) {
  Context &context = *stream.device().context();
  return context.call("can not free memory", "cuMemFreeAsync", [&] {
    return context.api().memFreeAsync(
        address, static_cast<api::Stream>(stream.handle()));
  });
}

Error smx::cuda::copyRows(const Stream &stream, uint64_t to, int64_t toPitch,
                          uint64_t from, int64_t fromPitch, int64_t rowBytes,
                          int64_t rows) {
  Context &context = *stream.device().context();
  auto handle = static_cast<api::Stream>(stream.handle());
  const bool arePitchesTaken =
      rows > 1 && toPitch <= maxPitch && fromPitch <= maxPitch;
  if (arePitchesTaken) {
    api::RowCopy copy = {};
    copy.from.memoryType = copy.to.memoryType = api::memoryDevice;
    copy.from.device = from;
    copy.from.pitch = fromPitch;
    copy.to.device = to;
    copy.to.pitch = toPitch;
    copy.rowBytes = rowBytes;
    copy.rows = rows;
    return context.call("can not copy " + Twine(rows) + " rows of " +
                            Twine(rowBytes) + " bytes",
                        "cuMemcpy2DAsync", [&] {
                          return context.api().memcpy2DAsync(&copy, handle);
                        });
  }
  for (int64_t row = 0; row < rows; ++row)
    if (Error error = context.call(
            "can not copy " + Twine(rowBytes) + " bytes", "cuMemcpyDtoDAsync",
            [&] {
              return context.api().memcpyDtoDAsync(
                  to + row * toPitch, from + row * fromPitch, rowBytes, handle);
            }))
      return error;
  return Error::success();
}
