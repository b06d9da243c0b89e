//===- DriverApiTest.cpp - our declarations against <cuda.h> --------------===//
//
// Nothing runs here: what differs does not compile. Empty where there is no
// CUDA toolkit.
//
//===----------------------------------------------------------------------===//

#include "CUDA/DriverApi.h"

#include <gtest/gtest.h>

#if __has_include(<cuda.h>)
#include <cuda.h>

#include <type_traits>

namespace api = smx::cuda::api;

/// Arguments are passed alike: pointers as pointers, and integers and
/// enumerations of one size.
template <typename Ours, typename Theirs>
constexpr bool isPassedAlike = std::is_pointer_v<Ours> ==
                                   std::is_pointer_v<Theirs> &&
                                       std::is_floating_point_v<Ours> ==
                                   std::is_floating_point_v<Theirs> &&
                               sizeof(Ours) == sizeof(Theirs);

template <typename Ours, typename Theirs>
constexpr bool isSameCall = false;
template <typename... Ours, typename... Theirs>
constexpr bool isSameCall<api::Status (*)(Ours...), CUresult (*)(Theirs...)> =
    [] {
      if constexpr (sizeof...(Ours) == sizeof...(Theirs))
        return (isPassedAlike<Ours, Theirs> && ... &&
                (sizeof(api::Status) == sizeof(CUresult)));
      return false;
    }();

/// A member of the table calls a function as it wants to be called.
template <typename Ours, typename Theirs>
constexpr bool agree(Ours api::Table::*, Theirs *) {
  return isSameCall<Ours, Theirs *>;
}
/// A constant of ours has the toolkit's value.
template <typename Ours, typename Theirs>
constexpr bool same(Ours ours, Theirs theirs) {
  return static_cast<int>(ours) == static_cast<int>(theirs);
}

static_assert(agree(&api::Table::init, cuInit));
static_assert(agree(&api::Table::driverGetVersion, cuDriverGetVersion));
static_assert(agree(&api::Table::getErrorName, cuGetErrorName));
static_assert(agree(&api::Table::getErrorString, cuGetErrorString));
static_assert(agree(&api::Table::deviceGet, cuDeviceGet));
static_assert(agree(&api::Table::deviceGetCount, cuDeviceGetCount));
static_assert(agree(&api::Table::deviceGetName, cuDeviceGetName));
static_assert(agree(&api::Table::deviceTotalMem, cuDeviceTotalMem_v2));
static_assert(agree(&api::Table::deviceGetAttribute, cuDeviceGetAttribute));
static_assert(agree(&api::Table::devicePrimaryCtxRetain,
                    cuDevicePrimaryCtxRetain));
static_assert(agree(&api::Table::devicePrimaryCtxRelease,
                    cuDevicePrimaryCtxRelease_v2));
static_assert(agree(&api::Table::ctxPushCurrent, cuCtxPushCurrent_v2));
static_assert(agree(&api::Table::ctxPopCurrent, cuCtxPopCurrent_v2));
static_assert(agree(&api::Table::ctxSynchronize, cuCtxSynchronize));
static_assert(agree(&api::Table::streamCreate, cuStreamCreate));
static_assert(agree(&api::Table::streamDestroy, cuStreamDestroy_v2));
static_assert(agree(&api::Table::streamSynchronize, cuStreamSynchronize));
static_assert(agree(&api::Table::streamWaitEvent, cuStreamWaitEvent));
static_assert(agree(&api::Table::eventCreate, cuEventCreate));
static_assert(agree(&api::Table::eventDestroy, cuEventDestroy_v2));
static_assert(agree(&api::Table::eventRecord, cuEventRecord));
static_assert(agree(&api::Table::eventSynchronize, cuEventSynchronize));
static_assert(agree(&api::Table::eventElapsedTime, cuEventElapsedTime));
static_assert(agree(&api::Table::memAlloc, cuMemAlloc_v2));
static_assert(agree(&api::Table::memFree, cuMemFree_v2));
static_assert(agree(&api::Table::memGetInfo, cuMemGetInfo_v2));
static_assert(agree(&api::Table::memcpyHtoDAsync, cuMemcpyHtoDAsync_v2));
static_assert(agree(&api::Table::memcpyDtoHAsync, cuMemcpyDtoHAsync_v2));
static_assert(agree(&api::Table::memcpyDtoDAsync, cuMemcpyDtoDAsync_v2));
static_assert(agree(&api::Table::memcpy2DAsync, cuMemcpy2DAsync_v2));
static_assert(agree(&api::Table::memsetD8Async, cuMemsetD8Async));
static_assert(agree(&api::Table::memPoolCreate, cuMemPoolCreate));
static_assert(agree(&api::Table::memPoolDestroy, cuMemPoolDestroy));
static_assert(agree(&api::Table::memPoolSetAttribute, cuMemPoolSetAttribute));
static_assert(agree(&api::Table::memAllocFromPoolAsync,
                    cuMemAllocFromPoolAsync));
static_assert(agree(&api::Table::memFreeAsync, cuMemFreeAsync));
static_assert(agree(&api::Table::moduleLoadDataEx, cuModuleLoadDataEx));
static_assert(agree(&api::Table::moduleUnload, cuModuleUnload));
static_assert(agree(&api::Table::moduleGetFunction, cuModuleGetFunction));
static_assert(agree(&api::Table::funcGetAttribute, cuFuncGetAttribute));
static_assert(agree(&api::Table::funcSetAttribute, cuFuncSetAttribute));
static_assert(agree(&api::Table::launchKernelEx, cuLaunchKernelEx));
static_assert(agree(&api::Table::tensorMapEncodeTiled, cuTensorMapEncodeTiled));
static_assert(agree(&api::Table::moduleGetFunctionCount,
                    cuModuleGetFunctionCount));
static_assert(agree(&api::Table::moduleEnumerateFunctions,
                    cuModuleEnumerateFunctions));
static_assert(agree(&api::Table::funcGetName, cuFuncGetName));
static_assert(agree(&api::Table::funcGetParamInfo, cuFuncGetParamInfo));

static_assert(same(api::Status::InvalidValue, CUDA_ERROR_INVALID_VALUE));
static_assert(same(api::Status::OutOfMemory, CUDA_ERROR_OUT_OF_MEMORY));
static_assert(same(api::Status::StubLibrary, CUDA_ERROR_STUB_LIBRARY));
static_assert(same(api::Status::NoDevice, CUDA_ERROR_NO_DEVICE));
static_assert(same(api::Status::InvalidImage, CUDA_ERROR_INVALID_IMAGE));
static_assert(same(api::Status::NoBinaryForGpu, CUDA_ERROR_NO_BINARY_FOR_GPU));
static_assert(same(api::Status::EccUncorrectable,
                   CUDA_ERROR_ECC_UNCORRECTABLE));
static_assert(same(api::Status::InvalidPtx, CUDA_ERROR_INVALID_PTX));
static_assert(same(api::Status::NvlinkUncorrectable,
                   CUDA_ERROR_NVLINK_UNCORRECTABLE));
static_assert(same(api::Status::JitCompilerNotFound,
                   CUDA_ERROR_JIT_COMPILER_NOT_FOUND));
static_assert(same(api::Status::UnsupportedPtxVersion,
                   CUDA_ERROR_UNSUPPORTED_PTX_VERSION));
static_assert(same(api::Status::NotFound, CUDA_ERROR_NOT_FOUND));
static_assert(same(api::Status::NotReady, CUDA_ERROR_NOT_READY));
static_assert(same(api::Status::IllegalAddress, CUDA_ERROR_ILLEGAL_ADDRESS));
static_assert(same(api::Status::LaunchOutOfResources,
                   CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES));
static_assert(same(api::Status::LaunchTimeout, CUDA_ERROR_LAUNCH_TIMEOUT));
static_assert(same(api::Status::ContextIsDestroyed,
                   CUDA_ERROR_CONTEXT_IS_DESTROYED));
static_assert(same(api::Status::Assert, CUDA_ERROR_ASSERT));
static_assert(same(api::Status::HardwareStackError,
                   CUDA_ERROR_HARDWARE_STACK_ERROR));
static_assert(same(api::Status::IllegalInstruction,
                   CUDA_ERROR_ILLEGAL_INSTRUCTION));
static_assert(same(api::Status::MisalignedAddress,
                   CUDA_ERROR_MISALIGNED_ADDRESS));
static_assert(same(api::Status::InvalidAddressSpace,
                   CUDA_ERROR_INVALID_ADDRESS_SPACE));
static_assert(same(api::Status::InvalidPc, CUDA_ERROR_INVALID_PC));
static_assert(same(api::Status::LaunchFailed, CUDA_ERROR_LAUNCH_FAILED));

using D = api::DeviceAttribute;
static_assert(same(D::MaxThreadsPerBlock,
                   CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK));
static_assert(same(D::MaxSharedMemoryPerBlock,
                   CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK));
static_assert(same(D::ClockRate, CU_DEVICE_ATTRIBUTE_CLOCK_RATE));
static_assert(same(D::MultiprocessorCount,
                   CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
static_assert(same(D::MemoryClockRate, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE));
static_assert(same(D::GlobalMemoryBusWidth,
                   CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH));
static_assert(same(D::L2CacheSize, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE));
static_assert(same(D::ComputeCapabilityMajor,
                   CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR));
static_assert(same(D::ComputeCapabilityMinor,
                   CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
static_assert(same(D::MaxSharedMemoryPerMultiprocessor,
                   CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR));
static_assert(same(D::MaxRegistersPerMultiprocessor,
                   CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR));
static_assert(same(D::MaxSharedMemoryPerBlockOptin,
                   CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
static_assert(same(D::ClusterLaunch, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH));
static_assert(same(D::TensorMapAccessSupported,
                   CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED));

using F = api::FunctionAttribute;
static_assert(same(F::MaxThreadsPerBlock,
                   CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK));
static_assert(same(F::SharedSizeBytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES));
static_assert(same(F::LocalSizeBytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES));
static_assert(same(F::NumRegs, CU_FUNC_ATTRIBUTE_NUM_REGS));
static_assert(same(F::PtxVersion, CU_FUNC_ATTRIBUTE_PTX_VERSION));
static_assert(same(F::BinaryVersion, CU_FUNC_ATTRIBUTE_BINARY_VERSION));
static_assert(same(F::MaxDynamicSharedSizeBytes,
                   CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES));
static_assert(same(F::RequiredClusterWidth,
                   CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH));
static_assert(same(F::RequiredClusterHeight,
                   CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT));
static_assert(same(F::RequiredClusterDepth,
                   CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH));
static_assert(same(F::NonPortableClusterSizeAllowed,
                   CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED));

using J = api::JitOption;
static_assert(same(J::MaxRegisters, CU_JIT_MAX_REGISTERS));
static_assert(same(J::WallTime, CU_JIT_WALL_TIME));
static_assert(same(J::InfoLogBuffer, CU_JIT_INFO_LOG_BUFFER));
static_assert(same(J::InfoLogBufferSizeBytes,
                   CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES));
static_assert(same(J::ErrorLogBuffer, CU_JIT_ERROR_LOG_BUFFER));
static_assert(same(J::ErrorLogBufferSizeBytes,
                   CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES));
static_assert(same(J::OptimizationLevel, CU_JIT_OPTIMIZATION_LEVEL));
static_assert(same(J::LogVerbose, CU_JIT_LOG_VERBOSE));
static_assert(same(J::GenerateLineInfo, CU_JIT_GENERATE_LINE_INFO));

static_assert(same(api::streamNonBlocking, CU_STREAM_NON_BLOCKING));
static_assert(same(api::launchAttributeClusterDimension,
                   CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION));
static_assert(same(api::launchAttributeProgrammaticSerialization,
                   CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION));

static_assert(same(api::allocationPinned, CU_MEM_ALLOCATION_TYPE_PINNED));
static_assert(same(api::locationDevice, CU_MEM_LOCATION_TYPE_DEVICE));
static_assert(same(api::poolReleaseThreshold,
                   CU_MEMPOOL_ATTR_RELEASE_THRESHOLD));
static_assert(same(api::memoryDevice, CU_MEMORYTYPE_DEVICE));

static_assert(sizeof(api::MemoryPoolProperties) == sizeof(CUmemPoolProps));
static_assert(offsetof(api::MemoryPoolProperties, locationType) ==
              offsetof(CUmemPoolProps, location.type));
static_assert(offsetof(api::MemoryPoolProperties, locationId) ==
              offsetof(CUmemPoolProps, location.id));
static_assert(sizeof(api::RowCopy) == sizeof(CUDA_MEMCPY2D_v2));
static_assert(offsetof(api::RowCopy, from.memoryType) ==
              offsetof(CUDA_MEMCPY2D_v2, srcMemoryType));
static_assert(offsetof(api::RowCopy, from.device) ==
              offsetof(CUDA_MEMCPY2D_v2, srcDevice));
static_assert(offsetof(api::RowCopy, from.pitch) ==
              offsetof(CUDA_MEMCPY2D_v2, srcPitch));
static_assert(offsetof(api::RowCopy, to.memoryType) ==
              offsetof(CUDA_MEMCPY2D_v2, dstMemoryType));
static_assert(offsetof(api::RowCopy, to.device) ==
              offsetof(CUDA_MEMCPY2D_v2, dstDevice));
static_assert(offsetof(api::RowCopy, to.pitch) ==
              offsetof(CUDA_MEMCPY2D_v2, dstPitch));
static_assert(offsetof(api::RowCopy, rowBytes) ==
              offsetof(CUDA_MEMCPY2D_v2, WidthInBytes));
static_assert(offsetof(api::RowCopy, rows) ==
              offsetof(CUDA_MEMCPY2D_v2, Height));

static_assert(sizeof(api::LaunchAttribute) == sizeof(CUlaunchAttribute));
static_assert(offsetof(api::LaunchAttribute, clusterDim) ==
              offsetof(CUlaunchAttribute, value));
static_assert(sizeof(api::LaunchConfig) == sizeof(CUlaunchConfig));
static_assert(offsetof(api::LaunchConfig, blockDim) ==
              offsetof(CUlaunchConfig, blockDimX));
static_assert(offsetof(api::LaunchConfig, sharedMemBytes) ==
              offsetof(CUlaunchConfig, sharedMemBytes));
static_assert(offsetof(api::LaunchConfig, stream) ==
              offsetof(CUlaunchConfig, hStream));
static_assert(offsetof(api::LaunchConfig, attributes) ==
              offsetof(CUlaunchConfig, attrs));
static_assert(offsetof(api::LaunchConfig, attributeCount) ==
              offsetof(CUlaunchConfig, numAttrs));

TEST(DriverApi, AgreesWithTheToolkit) { SUCCEED() << CUDA_VERSION; }
#else
TEST(DriverApi, AgreesWithTheToolkit) {
  GTEST_SKIP() << "no CUDA toolkit here";
}
#endif
