//===- DriverApi.h - what is used of the CUDA driver API --------*- C++ -*-===//
//
// Declared by hand, so that building needs no CUDA toolkit: the driver's binary
// interface is fixed once a version is out, and a unit test compares every
// constant, size and prototype with <cuda.h> where that is installed. Names are
// those of <cuda.h> without their prefixes.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_LIB_CUDA_DRIVERAPI_H
#define SMX_LIB_CUDA_DRIVERAPI_H

#include <cstddef>
#include <cstdint>

namespace smx::cuda::api {

/// CUresult: those that this library treats in a way of their own.
enum class Status : int {
  Success = 0,
  InvalidValue = 1,
  OutOfMemory = 2,
  StubLibrary = 34,
  NoDevice = 100,
  InvalidImage = 200,
  NoBinaryForGpu = 209,
  EccUncorrectable = 214,
  InvalidPtx = 218,
  NvlinkUncorrectable = 220,
  JitCompilerNotFound = 221,
  UnsupportedPtxVersion = 222,
  Contained = 226,
  NotFound = 500,
  NotReady = 600,
  IllegalAddress = 700,
  LaunchOutOfResources = 701,
  LaunchTimeout = 702,
  ContextIsDestroyed = 709,
  Assert = 710,
  HardwareStackError = 714,
  IllegalInstruction = 715,
  MisalignedAddress = 716,
  InvalidAddressSpace = 717,
  InvalidPc = 718,
  LaunchFailed = 719,
  TensorMemoryLeak = 721,
};

/// CUdevice_attribute.
enum class DeviceAttribute : int {
  MaxThreadsPerBlock = 1,
  MaxSharedMemoryPerBlock = 8,
  ClockRate = 13,
  MultiprocessorCount = 16,
  MemoryClockRate = 36,
  GlobalMemoryBusWidth = 37,
  L2CacheSize = 38,
  ComputeCapabilityMajor = 75,
  ComputeCapabilityMinor = 76,
  MaxSharedMemoryPerMultiprocessor = 81,
  MaxRegistersPerMultiprocessor = 82,
  MaxSharedMemoryPerBlockOptin = 97,
  ClusterLaunch = 120,
  TensorMapAccessSupported = 127,
};

/// CUfunction_attribute.
enum class FunctionAttribute : int {
  MaxThreadsPerBlock = 0,
  SharedSizeBytes = 1,
  LocalSizeBytes = 3,
  NumRegs = 4,
  PtxVersion = 5,
  BinaryVersion = 6,
  MaxDynamicSharedSizeBytes = 8,
  RequiredClusterWidth = 11,
  RequiredClusterHeight = 12,
  RequiredClusterDepth = 13,
  NonPortableClusterSizeAllowed = 14,
};

/// CUjit_option.
enum class JitOption : int {
  MaxRegisters = 0,
  WallTime = 2,
  InfoLogBuffer = 3,
  InfoLogBufferSizeBytes = 4,
  ErrorLogBuffer = 5,
  ErrorLogBufferSizeBytes = 6,
  OptimizationLevel = 7,
  LogVerbose = 12,
  GenerateLineInfo = 13,
};

/// CU_STREAM_NON_BLOCKING: no order with the default stream.
inline constexpr unsigned streamNonBlocking = 1;
/// CU_EVENT_DISABLE_TIMING.
inline constexpr unsigned eventDisableTiming = 2;
/// CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION.
inline constexpr int launchAttributeClusterDimension = 4;
/// CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION.
inline constexpr int launchAttributeProgrammaticSerialization = 6;

/// CU_MEM_ALLOCATION_TYPE_PINNED, CU_MEM_LOCATION_TYPE_DEVICE.
inline constexpr int allocationPinned = 1;
inline constexpr int locationDevice = 1;
/// CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, of 64 bits.
inline constexpr int poolReleaseThreshold = 4;
/// CU_MEMORYTYPE_DEVICE.
inline constexpr int memoryDevice = 2;

struct ContextOpaque;
struct StreamOpaque;
struct EventOpaque;
struct ModuleOpaque;
struct FunctionOpaque;
struct MemoryPoolOpaque;
using Context = ContextOpaque *;
using Stream = StreamOpaque *;
using Event = EventOpaque *;
using Module = ModuleOpaque *;
using Function = FunctionOpaque *;
using MemoryPool = MemoryPoolOpaque *;
/// CUdeviceptr.
using DeviceAddress = unsigned long long;

/// CUlaunchAttribute.
struct LaunchAttribute {
  int id;
  char padding[4];
  union {
    char bytes[64];
    unsigned clusterDim[3];
    int programmaticSerializationAllowed;
  };
};

/// CUlaunchConfig.
struct LaunchConfig {
  unsigned gridDim[3];
  unsigned blockDim[3];
  unsigned sharedMemBytes;
  Stream stream;
  LaunchAttribute *attributes;
  unsigned attributeCount;
};

/// CUmemPoolProps.
struct MemoryPoolProperties {
  int allocationType;
  int handleTypes;
  int locationType, locationId;
  void *securityAttributes;
  size_t maxBytes;
  unsigned short usage;
  unsigned char reserved[54];
};

/// One side of CUDA_MEMCPY2D.
struct RowCopySide {
  size_t xInBytes, y;
  int memoryType;
  void *host;
  DeviceAddress device;
  void *array;
  size_t pitch;
};
/// CUDA_MEMCPY2D.
struct RowCopy {
  RowCopySide from, to;
  size_t rowBytes, rows;
};

/// The functions, as found in the library. Those marked optional are null where
/// the driver is older than they are.
struct Table {
  Status (*init)(unsigned flags);
  Status (*driverGetVersion)(int *version);
  Status (*getErrorName)(Status, const char **text);
  Status (*getErrorString)(Status, const char **text);

  Status (*deviceGet)(int *device, int ordinal);
  Status (*deviceGetCount)(int *count);
  Status (*deviceGetName)(char *name, int size, int device);
  Status (*deviceTotalMem)(size_t *bytes, int device);
  Status (*deviceGetAttribute)(int *value, DeviceAttribute, int device);
  Status (*devicePrimaryCtxRetain)(Context *, int device);
  Status (*devicePrimaryCtxRelease)(int device);
  Status (*ctxPushCurrent)(Context);
  Status (*ctxPopCurrent)(Context *);
  Status (*ctxSynchronize)();

  Status (*streamCreate)(Stream *, unsigned flags);
  Status (*streamDestroy)(Stream);
  Status (*streamSynchronize)(Stream);
  Status (*streamWaitEvent)(Stream, Event, unsigned flags);
  Status (*eventCreate)(Event *, unsigned flags);
  Status (*eventDestroy)(Event);
  Status (*eventRecord)(Event, Stream);
  Status (*eventSynchronize)(Event);
  Status (*eventElapsedTime)(float *milliseconds, Event start, Event end);

  Status (*memAlloc)(DeviceAddress *, size_t bytes);
  Status (*memFree)(DeviceAddress);
  Status (*memGetInfo)(size_t *free, size_t *total);
  Status (*memcpyHtoDAsync)(DeviceAddress, const void *, size_t, Stream);
  Status (*memcpyDtoHAsync)(void *, DeviceAddress, size_t, Stream);
  Status (*memcpyDtoDAsync)(DeviceAddress, DeviceAddress, size_t, Stream);
  Status (*memcpy2DAsync)(const RowCopy *, Stream);
  Status (*memsetD8Async)(DeviceAddress, unsigned char, size_t, Stream);
  Status (*memPoolCreate)(MemoryPool *, const MemoryPoolProperties *);
  Status (*memPoolDestroy)(MemoryPool);
  Status (*memPoolSetAttribute)(MemoryPool, int attribute, void *value);
  Status (*memAllocFromPoolAsync)(DeviceAddress *, size_t bytes, MemoryPool,
                                  Stream);
  Status (*memFreeAsync)(DeviceAddress, Stream);

  Status (*moduleLoadDataEx)(Module *, const void *image, unsigned optionCount,
                             JitOption *options, void **values);
  Status (*moduleUnload)(Module);
  Status (*moduleGetFunction)(Function *, Module, const char *name);
  Status (*funcGetAttribute)(int *value, FunctionAttribute, Function);
  Status (*funcSetAttribute)(Function, FunctionAttribute, int value);
  Status (*launchKernelEx)(const LaunchConfig *, Function, void **parameters,
                           void **extra);

  /// Arrays are innermost dimension first; `strides` has one entry less, in
  /// bytes.
  Status (*tensorMapEncodeTiled)(void *map, int elementType, uint32_t rank,
                                 void *address, const uint64_t *sizes,
                                 const uint64_t *strides, const uint32_t *box,
                                 const uint32_t *elementStrides, int interleave,
                                 int swizzle, int l2Promotion, int fill);

  /// Optional (CUDA 12.4): the kernels of a module and their parameters.
  Status (*moduleGetFunctionCount)(unsigned *count, Module);
  Status (*moduleEnumerateFunctions)(Function *, unsigned count, Module);
  Status (*funcGetName)(const char **name, Function);
  Status (*funcGetParamInfo)(Function, size_t index, size_t *offset,
                             size_t *size);
};

} // namespace smx::cuda::api

#endif // SMX_LIB_CUDA_DRIVERAPI_H
