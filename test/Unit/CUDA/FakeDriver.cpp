//===- FakeDriver.cpp - devices, streams and memory of the fake -----------===//

#include "FakeDriver.h"

#include <cstdio>
#include <cstdlib>

using namespace smx::cuda;
using namespace smx::cuda::fake;

static constexpr Status invalidContext = Status(201);

/// Contexts are device ordinals plus one in disguise.
static thread_local std::vector<int> currentContexts;

namespace {
/// Of the program: a real driver may be gone when static objects are destroyed.
struct Lifetime {
  ~Lifetime() { isOver = true; }
  static bool isOver;
};
} // namespace

bool Lifetime::isOver = false;
static Lifetime lifetime;

State &fake::state() {
  static auto *theState = new State;
  return *theState;
}

int fake::currentDevice() {
  return currentContexts.empty() ? -1 : currentContexts.back();
}

Status fake::enter(const char *function, bool needsContext) {
  if (Lifetime::isOver) {
    std::fprintf(stderr, "%s: called after the end of main\n", function);
    std::abort();
  }
  State &fake = state();
  ++fake.calls[function];
  auto failure = fake.failures.find(function);
  if (failure != fake.failures.end())
    return failure->second;
  if (!needsContext)
    return Status::Success;
  if (currentContexts.empty())
    return invalidContext;
  return fake.devices[currentDevice()].fault;
}

void State::reset() {
  using A = api::DeviceAttribute;
  Device device;
  device.attributes = {{A::MaxThreadsPerBlock, 1024},
                       {A::MaxSharedMemoryPerBlock, 49152},
                       {A::ClockRate, 1980000},
                       {A::MultiprocessorCount, 132},
                       {A::MemoryClockRate, 3201000},
                       {A::GlobalMemoryBusWidth, 6144},
                       {A::L2CacheSize, 62914560},
                       {A::ComputeCapabilityMajor, 9},
                       {A::ComputeCapabilityMinor, 0},
                       {A::MaxSharedMemoryPerMultiprocessor, 233472},
                       {A::MaxRegistersPerMultiprocessor, 65536},
                       {A::MaxSharedMemoryPerBlockOptin, 232448},
                       {A::ClusterLaunch, 1},
                       {A::TensorMapAccessSupported, 1}};
  version = 13000;
  devices.assign(2, device);
  kernels.clear();
  failures.clear();
  calls.clear();
  jitInfo = jitError = image = "";
  jitOptions.clear();
  launches.clear();
  map = MapCall();
  freeBytes = size_t(1) << 30;
  handles.clear();
  allocations.clear();
  currentDepth = [] { return currentContexts.size(); };
}

extern "C" {

State *smxFakeDriverState() { return &state(); }

Status cuInit(unsigned) { return enter("cuInit", false); }

Status cuDriverGetVersion(int *version) {
  *version = state().version;
  return enter("cuDriverGetVersion", false);
}

Status cuGetErrorName(Status status, const char **text) {
  switch (status) {
  case Status::OutOfMemory:
    *text = "CUDA_ERROR_OUT_OF_MEMORY";
    return Status::Success;
  case Status::NoDevice:
    *text = "CUDA_ERROR_NO_DEVICE";
    return Status::Success;
  case Status::IllegalAddress:
    *text = "CUDA_ERROR_ILLEGAL_ADDRESS";
    return Status::Success;
  case Status::InvalidPtx:
    *text = "CUDA_ERROR_INVALID_PTX";
    return Status::Success;
  default:
    return Status::InvalidValue;
  }
}

Status cuGetErrorString(Status status, const char **text) {
  *text = status == Status::IllegalAddress ? "an illegal memory access"
                                           : "some text";
  return Status::Success;
}

Status cuDeviceGet(int *device, int ordinal) {
  *device = ordinal;
  return enter("cuDeviceGet", false);
}

Status cuDeviceGetCount(int *count) {
  *count = static_cast<int>(state().devices.size());
  return enter("cuDeviceGetCount", false);
}

Status cuDeviceGetName(char *name, int size, int) {
  snprintf(name, size, "Fake H200");
  return enter("cuDeviceGetName", false);
}

Status cuDeviceTotalMem_v2(size_t *bytes, int) {
  *bytes = size_t(140) << 30;
  return enter("cuDeviceTotalMem", false);
}

Status cuDeviceGetAttribute(int *value, api::DeviceAttribute attribute,
                            int device) {
  *value = state().devices[device].attributes[attribute];
  return enter("cuDeviceGetAttribute", false);
}

Status cuDevicePrimaryCtxRetain(api::Context *context, int device) {
  Lock lock(state().mutex);
  Status status = enter("cuDevicePrimaryCtxRetain", false);
  if (status != Status::Success)
    return status;
  ++state().devices[device].contextUsers;
  *context = reinterpret_cast<api::Context>(uintptr_t(device) + 1);
  return Status::Success;
}

Status cuDevicePrimaryCtxRelease_v2(int device) {
  Lock lock(state().mutex);
  --state().devices[device].contextUsers;
  return enter("cuDevicePrimaryCtxRelease", false);
}

Status cuCtxPushCurrent_v2(api::Context context) {
  currentContexts.push_back(reinterpret_cast<uintptr_t>(context) - 1);
  return Status::Success;
}

Status cuCtxPopCurrent_v2(api::Context *context) {
  if (currentContexts.empty())
    return invalidContext;
  *context = reinterpret_cast<api::Context>(uintptr_t(currentDevice()) + 1);
  currentContexts.pop_back();
  return Status::Success;
}

Status cuCtxSynchronize() {
  Lock lock(state().mutex);
  return enter("cuCtxSynchronize");
}

Status cuStreamCreate(api::Stream *stream, unsigned flags) {
  Lock lock(state().mutex);
  Status status = enter("cuStreamCreate");
  if (status == Status::Success && flags == api::streamNonBlocking)
    *stream = state().makeHandle<api::Stream>(currentDevice());
  return status;
}

Status cuStreamDestroy_v2(api::Stream stream) {
  Lock lock(state().mutex);
  state().destroyHandle(stream);
  return enter("cuStreamDestroy");
}

Status cuStreamSynchronize(api::Stream stream) {
  Lock lock(state().mutex);
  Status status = enter("cuStreamSynchronize");
  return status == Status::Success ? check(stream) : status;
}

Status cuStreamWaitEvent(api::Stream stream, api::Event, unsigned) {
  Lock lock(state().mutex);
  Status status = enter("cuStreamWaitEvent");
  return status == Status::Success ? check(stream) : status;
}

Status cuEventCreate(api::Event *event, unsigned) {
  Lock lock(state().mutex);
  Status status = enter("cuEventCreate");
  if (status == Status::Success)
    *event = state().makeHandle<api::Event>(currentDevice());
  return status;
}

Status cuEventDestroy_v2(api::Event event) {
  Lock lock(state().mutex);
  state().destroyHandle(event);
  return enter("cuEventDestroy");
}

Status cuEventRecord(api::Event event, api::Stream stream) {
  Lock lock(state().mutex);
  Status status = enter("cuEventRecord");
  if (status == Status::Success)
    status = check(stream);
  return status == Status::Success ? check(event) : status;
}

Status cuEventSynchronize(api::Event) {
  Lock lock(state().mutex);
  return enter("cuEventSynchronize");
}

Status cuEventElapsedTime(float *milliseconds, api::Event, api::Event) {
  Lock lock(state().mutex);
  *milliseconds = state().elapsed;
  return enter("cuEventElapsedTime");
}

} // extern "C"
