/*===- smx_driver.h - inside of the loader -----*- C -*-===*/
#ifndef SMX_DRIVER_H
#define SMX_DRIVER_H

#include "smx_loader.h"

/* Names and types of <cuda.h>, which is not needed to build; the driver's
   binary interface is fixed once a version is out. */
typedef int CUresult;
typedef int CUdevice;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;

enum {
  SMX_CU_CAPABILITY_MAJOR = 75,
  SMX_CU_CAPABILITY_MINOR = 76,
  SMX_CU_MAX_DYNAMIC_SHARED = 8,
  SMX_CU_NON_PORTABLE_CLUSTER = 14,
  SMX_CU_JIT_ERROR_LOG = 5,
  SMX_CU_JIT_ERROR_LOG_BYTES = 6,
  SMX_CU_MAP_PROMOTE_128 = 2, /* what the L2 fetches at once */
  SMX_CU_MAP_BYTES = 128,
  SMX_CU_MAP_ALIGNMENT = 64
};

#define SMX_DRIVER_FUNCTIONS(X)                                                \
  X(cuInit, "cuInit", (unsigned))                                              \
  X(cuGetErrorName, "cuGetErrorName", (CUresult, const char **))               \
  X(cuDeviceGet, "cuDeviceGet", (CUdevice *, int))                             \
  X(cuDeviceGetAttribute, "cuDeviceGetAttribute", (int *, int, CUdevice))      \
  X(cuPrimaryRetain, "cuDevicePrimaryCtxRetain", (CUcontext *, CUdevice))      \
  X(cuPrimaryRelease, "cuDevicePrimaryCtxRelease_v2", (CUdevice))              \
  X(cuPush, "cuCtxPushCurrent_v2", (CUcontext))                                \
  X(cuPop, "cuCtxPopCurrent_v2", (CUcontext *))                                \
  X(cuStreamSynchronize, "cuStreamSynchronize", (smx_stream))                  \
  X(cuMemAlloc, "cuMemAlloc_v2", (uint64_t *, size_t))                         \
  X(cuMemFree, "cuMemFree_v2", (uint64_t))                                     \
  X(cuMemAllocAsync, "cuMemAllocAsync", (uint64_t *, size_t, smx_stream))      \
  X(cuMemFreeAsync, "cuMemFreeAsync", (uint64_t, smx_stream))                  \
  X(cuMemcpyHtoD, "cuMemcpyHtoD_v2", (uint64_t, const void *, size_t))         \
  X(cuMemcpyDtoH, "cuMemcpyDtoH_v2", (void *, uint64_t, size_t))               \
  X(cuMemsetD8, "cuMemsetD8_v2", (uint64_t, unsigned char, size_t))            \
  X(cuModuleLoadDataEx, "cuModuleLoadDataEx",                                  \
    (CUmodule *, const void *, unsigned, int *, void **))                      \
  X(cuModuleUnload, "cuModuleUnload", (CUmodule))                              \
  X(cuModuleGetFunction, "cuModuleGetFunction",                                \
    (CUfunction *, CUmodule, const char *))                                    \
  X(cuFuncSetAttribute, "cuFuncSetAttribute", (CUfunction, int, int))          \
  X(cuTensorMapEncodeTiled, "cuTensorMapEncodeTiled",                          \
    (void *, int, unsigned, void *, const uint64_t *, const uint64_t *,        \
     const unsigned *, const unsigned *, int, int, int, int))                  \
  X(cuLaunchKernel, "cuLaunchKernel",                                          \
    (CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,   \
     unsigned, smx_stream, void **, void **))

typedef struct {
#define SMX_MEMBER(member, symbol, parameters) CUresult(*member) parameters;
  SMX_DRIVER_FUNCTIONS(SMX_MEMBER)
#undef SMX_MEMBER
} smx_driver;

/* An image that was loaded for this runtime. */
typedef struct smx_loaded {
  const smx_bundle *bundle;
  CUmodule module;
  CUfunction *kernels; /* of all functions, one after the other */
  struct smx_loaded *next;
} smx_loaded;

struct smx_runtime {
  smx_driver driver;
  CUdevice device;
  CUcontext context;
  int capability; /* 90 for 9.0 */
  smx_loaded *loaded;
  char error[1024];
};

/* Sets the text of a failure; returns 1. */
int smx_fail(smx_runtime *runtime, const char *format, ...);
/* 0 for success; otherwise sets "<what>: <CUresult>" and returns 1. */
int smx_check(smx_runtime *runtime, CUresult result, const char *what,
              const char *name);
/* Writes the SMX_CU_MAP_BYTES bytes of a tensor map of memory at `address`, for
   a kernel. */
int smx_encode_map(smx_runtime *runtime, const smx_kernel *kernel,
                   const smx_tensor_map *map, uint64_t address,
                   const int64_t *numbers, void *encoded);
/* Make the runtime's context current for the calling thread, and undo that. */
int smx_enter(smx_runtime *runtime);
void smx_leave(smx_runtime *runtime);
/* All numbers of a call, as many as the function has. */
void smx_evaluate(const smx_function *function, const smx_value *values,
                  int64_t *numbers);

#endif /* SMX_DRIVER_H */
