//===- Device.cpp - open a GPU --------------------------------------------===//

#include "smx/CUDA/Device.h"

#include "Context.h"

#include "smx/CUDA/CudaError.h"

using namespace smx::cuda;
using namespace smx::cuda::detail;
using llvm::Error;
using llvm::Expected;
using llvm::Twine;
using smx::cuda::api::DeviceAttribute;
using smx::cuda::api::Status;

namespace {
/// Asks for the properties of a device; the first refusal is kept.
class PropertyReader {
public:
  PropertyReader(const api::Table &api, int device)
      : api(api), device(device) {}

  template <typename Integer>
  void read(Integer &place, DeviceAttribute attribute) {
    int value = 0;
    note(api.deviceGetAttribute(&value, attribute, device));
    place = static_cast<Integer>(value);
  }
  void readName(std::string &place) {
    char name[256] = "";
    note(api.deviceGetName(name, sizeof(name), device));
    place = name;
  }
  void readMemory(int64_t &place) {
    size_t bytes = 0;
    note(api.deviceTotalMem(&bytes, device));
    place = static_cast<int64_t>(bytes);
  }
  Status status() const { return worst; }

private:
  void note(Status status) {
    if (worst == Status::Success)
      worst = status;
  }

  const api::Table &api;
  int device;
  Status worst = Status::Success;
};
} // namespace

static Status readInfo(const api::Table &api, int device, DeviceInfo &info) {
  PropertyReader properties(api, device);
  properties.readName(info.name);
  properties.readMemory(info.memoryBytes);
  properties.read(info.major, DeviceAttribute::ComputeCapabilityMajor);
  properties.read(info.minor, DeviceAttribute::ComputeCapabilityMinor);
  properties.read(info.multiprocessors, DeviceAttribute::MultiprocessorCount);
  properties.read(info.maxThreadsPerBlock, DeviceAttribute::MaxThreadsPerBlock);
  properties.read(info.sharedPerBlock,
                  DeviceAttribute::MaxSharedMemoryPerBlock);
  properties.read(info.maxSharedPerBlock,
                  DeviceAttribute::MaxSharedMemoryPerBlockOptin);
  properties.read(info.sharedPerMultiprocessor,
                  DeviceAttribute::MaxSharedMemoryPerMultiprocessor);
  properties.read(info.registersPerMultiprocessor,
                  DeviceAttribute::MaxRegistersPerMultiprocessor);
  properties.read(info.clockKHz, DeviceAttribute::ClockRate);
  properties.read(info.memoryClockKHz, DeviceAttribute::MemoryClockRate);
  properties.read(info.memoryBusBits, DeviceAttribute::GlobalMemoryBusWidth);
  properties.read(info.l2Bytes, DeviceAttribute::L2CacheSize);
  properties.read(info.hasClusters, DeviceAttribute::ClusterLaunch);
  properties.read(info.hasTensorMaps,
                  DeviceAttribute::TensorMapAccessSupported);
  return properties.status();
}

std::string DeviceInfo::chip() const {
  return ("sm_" + Twine(major) + Twine(minor)).str();
}

std::string DeviceInfo::specificChip() const {
  // The one architecture whose own instructions there are lowerings to.
  return major == 9 && minor == 0 ? chip() + "a" : chip();
}

std::string DeviceInfo::describe() const {
  return ("device " + Twine(ordinal) + " (" + name + ", " + chip() + ")").str();
}

Expected<std::shared_ptr<Context>>
Context::open(const std::shared_ptr<DriverState> &driver, int ordinal) {
  int count = driver->deviceCount;
  if (ordinal < 0 || ordinal >= count)
    return llvm::createStringError(
        "there is no device " + Twine(ordinal) + ": the driver has " +
        Twine(count) +
        (count == 1 ? Twine(" device, number 0")
                    : " devices, numbers 0 to " + Twine(count - 1)));

  std::unique_lock<std::mutex> lock(driver->mutex);
  if (driver->failures.count(ordinal)) {
    lock.unlock();
    return driver->lostError(ordinal,
                             "can not open device " + Twine(ordinal) + ": ");
  }
  std::weak_ptr<Context> &place = driver->contexts[ordinal];
  if (std::shared_ptr<Context> held = place.lock())
    return held;

  const api::Table &api = driver->api;
  std::shared_ptr<Context> context(new Context(driver));
  context->device.ordinal = ordinal;
  auto failure = [&](const char *function, Status status) {
    return llvm::make_error<CudaError>(
        static_cast<int>(status), /*sticky=*/false,
        ("can not open device " + Twine(ordinal) + ": " + function +
         " returned " + driver->describe(status))
            .str());
  };
  Status status = api.deviceGet(&context->driverDevice, ordinal);
  if (status != Status::Success)
    return failure("cuDeviceGet", status);
  status = readInfo(api, context->driverDevice, context->device);
  if (status != Status::Success)
    return failure("cuDeviceGetAttribute", status);
  status = api.devicePrimaryCtxRetain(&context->handle, context->driverDevice);
  if (status != Status::Success) {
    context->handle = nullptr;
    return failure("cuDevicePrimaryCtxRetain", status);
  }
  place = context;
  return context;
}

Expected<Device> Device::open(const Driver &driver, int ordinal) {
  auto context = Context::open(driver.state, ordinal);
  if (!context)
    return context.takeError();
  return Device(std::move(*context));
}

const DeviceInfo &Device::info() const { return held->info(); }

Expected<int64_t> Device::freeMemory() const {
  size_t free = 0, total = 0;
  if (Error error =
          held->call("can not ask for free memory", "cuMemGetInfo",
                     [&] { return held->api().memGetInfo(&free, &total); }))
    return error;
  return static_cast<int64_t>(free);
}

Error Device::synchronize() const {
  if (Error error = held->call("can not wait for all work", "cuCtxSynchronize",
                               held->api().ctxSynchronize))
    return error;
  held->noteAllSynchronized();
  return Error::success();
}
