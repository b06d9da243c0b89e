/*===- smx_driver.c - open a device; its memory -----------------*- C -*-===*/

#include "smx_driver.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int smx_fail(smx_runtime *runtime, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(runtime->error, sizeof(runtime->error), format, arguments);
  va_end(arguments);
  return 1;
}

int smx_check(smx_runtime *runtime, CUresult result, const char *what,
              const char *name) {
  const char *text = NULL;
  if (result == 0)
    return 0;
  if (runtime->driver.cuGetErrorName(result, &text) != 0 || !text)
    text = "unknown error";
  return smx_fail(runtime, "%s%s%s%s: %s (CUDA error %d)", what,
                  name ? " '" : "", name ? name : "", name ? "'" : "", text,
                  result);
}

const char *smx_error(const smx_runtime *runtime) { return runtime->error; }

int smx_enter(smx_runtime *runtime) {
  return smx_check(runtime, runtime->driver.cuPush(runtime->context),
                   "can not use the device", NULL);
}

void smx_leave(smx_runtime *runtime) {
  CUcontext ignored;
  runtime->driver.cuPop(&ignored);
}

/* Fills the table. The library stays open: the driver has threads of its own.
 */
static int open_library(smx_runtime *runtime) {
  void *symbol, *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return smx_fail(runtime,
                    "no CUDA driver found (libcuda.so.1): an NVIDIA driver is "
                    "needed");
#define SMX_READ(member, name, parameters)                                     \
  symbol = dlsym(library, name);                                               \
  if (!symbol)                                                                 \
    return smx_fail(runtime,                                                   \
                    "the CUDA driver lacks '%s': CUDA 12 or newer "            \
                    "is needed",                                               \
                    name);                                                     \
  memcpy(&runtime->driver.member, &symbol, sizeof(symbol));
  SMX_DRIVER_FUNCTIONS(SMX_READ)
#undef SMX_READ
  return 0;
}

static int open_device(smx_runtime *runtime, int ordinal) {
  const smx_driver *cuda = &runtime->driver;
  int major = 0, minor = 0;
  if (open_library(runtime) ||
      smx_check(runtime, cuda->cuInit(0), "the CUDA driver does not start",
                NULL) ||
      smx_check(runtime, cuda->cuDeviceGet(&runtime->device, ordinal),
                "can not open the device", NULL) ||
      smx_check(runtime,
                cuda->cuDeviceGetAttribute(&major, SMX_CU_CAPABILITY_MAJOR,
                                           runtime->device),
                "can not open the device", NULL) ||
      smx_check(runtime,
                cuda->cuDeviceGetAttribute(&minor, SMX_CU_CAPABILITY_MINOR,
                                           runtime->device),
                "can not open the device", NULL))
    return 1;
  runtime->capability = 10 * major + minor;
  return smx_check(runtime,
                   cuda->cuPrimaryRetain(&runtime->context, runtime->device),
                   "can not open the device", NULL);
}

int smx_encode_map(smx_runtime *runtime, const smx_kernel *kernel,
                   const smx_tensor_map *map, uint64_t address,
                   const int64_t *numbers, void *encoded) {
  /* CUtensorMapDataType; a byte stands for what has no type of its own. */
  static const int types[] = {8, 7, 6, 9, 0, 0, 0, 3, 5, 0};
  const unsigned steps[SMX_MAX_MAP_RANK] = {1, 1, 1, 1, 1};
  const uint64_t most = (uint64_t)1 << 31;
  uint64_t sizes[SMX_MAX_MAP_RANK], strides[SMX_MAX_MAP_RANK] = {0};
  uint32_t dim;
  if (numbers[map->elements])
    address += (uint64_t)numbers[map->offset];
  else
    address = SMX_CU_MAP_BYTES;
  for (dim = 0; dim < map->rank; ++dim) {
    sizes[dim] = (uint64_t)numbers[map->sizes[dim]];
    /* The coordinates of a copy are signed and of 32 bits. */
    if (sizes[dim] > most)
      return smx_fail(runtime,
                      "kernel '%s' copies from a tensor of %llu elements along "
                      "a dimension; the copy engine reaches %llu",
                      kernel->name, (unsigned long long)sizes[dim],
                      (unsigned long long)most);
    if (dim + 1 < map->rank)
      strides[dim] = (uint64_t)numbers[map->strides[dim]];
  }
  /* CUtensorMapSwizzle: none, 32, 64 and 128 bytes. */
  return smx_check(runtime,
                   runtime->driver.cuTensorMapEncodeTiled(
                       encoded, types[map->dtype], map->rank,
                       (void *)(uintptr_t)address, sizes, strides, map->box,
                       steps, 0,
                       map->swizzle == 32    ? 1
                       : map->swizzle == 64  ? 2
                       : map->swizzle == 128 ? 3
                                             : 0,
                       SMX_CU_MAP_PROMOTE_128, 0),
                   "the copy engine can not take the sizes and strides of a "
                   "tensor of kernel",
                   kernel->name);
}

smx_runtime *smx_open(int device, char *error, size_t error_bytes) {
  smx_runtime *runtime = calloc(1, sizeof(*runtime));
  if (runtime && open_device(runtime, device) == 0)
    return runtime;
  if (error_bytes)
    snprintf(error, error_bytes, "%s",
             runtime ? runtime->error : "out of memory");
  free(runtime);
  return NULL;
}

void smx_close(smx_runtime *runtime) {
  int entered;
  if (!runtime)
    return;
  entered = smx_enter(runtime) == 0;
  while (runtime->loaded) {
    smx_loaded *loaded = runtime->loaded;
    runtime->loaded = loaded->next;
    if (entered)
      runtime->driver.cuModuleUnload(loaded->module);
    free(loaded->kernels);
    free(loaded);
  }
  if (entered)
    smx_leave(runtime);
  runtime->driver.cuPrimaryRelease(runtime->device);
  free(runtime);
}

/* One call of the driver with the context current. */
#define SMX_DO(runtime, call, what)                                            \
  do {                                                                         \
    int failed;                                                                \
    if (smx_enter(runtime))                                                    \
      return 1;                                                                \
    failed = smx_check(runtime, (runtime)->driver.call, what, NULL);           \
    smx_leave(runtime);                                                        \
    return failed;                                                             \
  } while (0)

int smx_synchronize(smx_runtime *runtime, smx_stream stream) {
  SMX_DO(runtime, cuStreamSynchronize(stream), "the device failed");
}

int smx_allocate(smx_runtime *runtime, size_t bytes, uint64_t *address) {
  SMX_DO(runtime, cuMemAlloc(address, bytes ? bytes : 1),
         "can not allocate device memory");
}

int smx_release(smx_runtime *runtime, uint64_t address) {
  SMX_DO(runtime, cuMemFree(address), "can not release device memory");
}

int smx_upload(smx_runtime *runtime, uint64_t to, const void *from,
               size_t bytes) {
  SMX_DO(runtime, cuMemcpyHtoD(to, from, bytes), "can not copy to the device");
}

int smx_download(smx_runtime *runtime, void *to, uint64_t from, size_t bytes) {
  SMX_DO(runtime, cuMemcpyDtoH(to, from, bytes),
         "can not copy from the device");
}

int smx_fill(smx_runtime *runtime, uint64_t address, unsigned char byte,
             size_t bytes) {
  SMX_DO(runtime, cuMemsetD8(address, byte, bytes),
         "can not fill device memory");
}
