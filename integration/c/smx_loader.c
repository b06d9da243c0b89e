/*===- smx_loader.c - load and launch a bundle ------------------*- C -*-===*/

#include "smx_driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t smx_dtype_bytes(smx_dtype dtype) {
  static const size_t bytes[] = {8, 4, 2, 2, 1, 1, 1, 4, 8, 1};
  return bytes[dtype];
}

smx_tensor smx_dense(uint64_t data, smx_dtype dtype, int rank,
                     const int64_t *sizes) {
  smx_tensor tensor;
  int64_t stride = 1;
  int dim;
  memset(&tensor, 0, sizeof(tensor));
  tensor.data = data;
  tensor.dtype = (int32_t)dtype;
  tensor.rank = rank;
  for (dim = rank; dim-- > 0; stride *= sizes[dim]) {
    tensor.sizes[dim] = sizes[dim];
    tensor.strides[dim] = stride;
  }
  return tensor;
}

int64_t smx_float_bits(float number) {
  uint32_t bits;
  memcpy(&bits, &number, sizeof(bits));
  return (int64_t)bits;
}

int64_t smx_double_bits(double number) {
  int64_t bits;
  memcpy(&bits, &number, sizeof(bits));
  return bits;
}

/* ---- Loading ----------------------------------------------------------- */

/* PTX runs on its architecture and later ones, machine code on later ones of
   the same generation; with a letter (sm_90a), both on that one alone. */
static int check_chip(smx_runtime *runtime, const smx_bundle *bundle) {
  char *letter;
  long chip = strtol(bundle->chip + strlen("sm_"), &letter, 10);
  int fits =
      *letter ? runtime->capability == chip
      : bundle->kind == SMX_CUBIN
          ? runtime->capability / 10 == chip / 10 && runtime->capability >= chip
          : runtime->capability >= chip;
  if (fits)
    return 0;
  return smx_fail(runtime,
                  "the kernels are %s for %s; the device is sm_%d: compile "
                  "them for it (--chip)",
                  bundle->kind == SMX_CUBIN ? "machine code" : "PTX",
                  bundle->chip, runtime->capability);
}

static int load_image(smx_runtime *runtime, const smx_bundle *bundle,
                      CUmodule *module) {
  char log[512] = "";
  int options[] = {SMX_CU_JIT_ERROR_LOG, SMX_CU_JIT_ERROR_LOG_BYTES};
  void *values[2];
  /* PTX ends in a zero, and machine code is read as words. */
  char *image = malloc(bundle->image_bytes + 1);
  CUresult result;
  if (!image)
    return smx_fail(runtime, "out of memory");
  memcpy(image, bundle->image, bundle->image_bytes);
  image[bundle->image_bytes] = 0;
  values[0] = log;
  values[1] = (void *)(uintptr_t)sizeof(log);
  result =
      runtime->driver.cuModuleLoadDataEx(module, image, 2, options, values);
  free(image);
  if (result && log[0])
    return smx_fail(runtime, "can not load the kernels: %s (CUDA error %d)",
                    log, result);
  return smx_check(runtime, result, "can not load the kernels", NULL);
}

/* Finds a kernel and lifts the limits that it is over. */
static int prepare(smx_runtime *runtime, CUmodule module,
                   const smx_kernel *kernel, CUfunction *found) {
  const smx_driver *cuda = &runtime->driver;
  if (smx_check(runtime, cuda->cuModuleGetFunction(found, module, kernel->name),
                "there is no kernel", kernel->name))
    return 1;
  if (kernel->shared_bytes > 48 * 1024 &&
      smx_check(runtime,
                cuda->cuFuncSetAttribute(*found, SMX_CU_MAX_DYNAMIC_SHARED,
                                         (int)kernel->shared_bytes),
                "the device has too little shared memory for kernel",
                kernel->name))
    return 1;
  return kernel->cluster > 8 &&
         smx_check(
             runtime,
             cuda->cuFuncSetAttribute(*found, SMX_CU_NON_PORTABLE_CLUSTER, 1),
             "the device has no clusters as large as those of kernel",
             kernel->name);
}

static void unload(smx_runtime *runtime, smx_loaded *loaded) {
  if (loaded->module)
    runtime->driver.cuModuleUnload(loaded->module);
  free(loaded->kernels);
  free(loaded);
}

static smx_loaded *load(smx_runtime *runtime, const smx_bundle *bundle) {
  smx_loaded *loaded = runtime->loaded;
  uint32_t f, k, count = 0;
  while (loaded && loaded->bundle != bundle)
    loaded = loaded->next;
  if (loaded)
    return loaded;
  if (check_chip(runtime, bundle))
    return NULL;
  for (f = 0; f < bundle->function_count; ++f)
    count += bundle->functions[f].kernel_count;
  loaded = calloc(1, sizeof(*loaded));
  if (loaded)
    loaded->kernels = calloc(count + 1, sizeof(*loaded->kernels));
  if (!loaded || !loaded->kernels) {
    free(loaded);
    smx_fail(runtime, "out of memory");
    return NULL;
  }
  loaded->bundle = bundle;
  if (load_image(runtime, bundle, &loaded->module)) {
    unload(runtime, loaded);
    return NULL;
  }
  for (f = 0, count = 0; f < bundle->function_count; ++f)
    for (k = 0; k < bundle->functions[f].kernel_count; ++k, ++count)
      if (prepare(runtime, loaded->module, &bundle->functions[f].kernels[k],
                  &loaded->kernels[count])) {
        unload(runtime, loaded);
        return NULL;
      }
  loaded->next = runtime->loaded;
  runtime->loaded = loaded;
  return loaded;
}

/* ---- Calls ------------------------------------------------------------- */

/* What a check of one argument reports about. */
typedef struct {
  smx_runtime *runtime;
  const char *function;
  const smx_argument *argument;
} place;

static int check_strides(const place *at, const smx_tensor *tensor,
                         int64_t alignment) {
  const int64_t bytes = (int64_t)smx_dtype_bytes(at->argument->dtype);
  int32_t dim;
  if (alignment && tensor->data % (uint64_t)alignment)
    return smx_fail(at->runtime,
                    "'%s': %s starts at an address that is not a multiple of "
                    "%lld bytes, which the kernels were compiled for",
                    at->function, at->argument->name, (long long)alignment);
  for (dim = 0; dim < tensor->rank; ++dim) {
    int64_t stride = tensor->strides[dim];
    if (tensor->sizes[dim] <= 1)
      continue;
    if (dim + 1 == tensor->rank && stride != 1)
      return smx_fail(at->runtime,
                      "'%s': %s has a stride of %lld elements in its innermost "
                      "dimension, which must be 1",
                      at->function, at->argument->name, (long long)stride);
    if (dim + 1 < tensor->rank && alignment && stride * bytes % alignment)
      return smx_fail(at->runtime,
                      "'%s': %s has a stride of %lld bytes along dimension %d, "
                      "which is not a multiple of the %lld that the kernels "
                      "were compiled for",
                      at->function, at->argument->name,
                      (long long)(stride * bytes), (int)dim,
                      (long long)alignment);
  }
  return 0;
}

static int check_tensor(const place *at, const smx_tensor *tensor,
                        int64_t alignment) {
  const smx_argument *argument = at->argument;
  int is_empty = 0;
  int32_t dim;
  if (!tensor)
    return smx_fail(at->runtime, "'%s': %s is NULL", at->function,
                    argument->name);
  if (tensor->dtype != (int32_t)argument->dtype)
    return smx_fail(at->runtime, "'%s': %s has another element type",
                    at->function, argument->name);
  if (tensor->rank != argument->rank)
    return smx_fail(at->runtime, "'%s': %s must have %d dimensions, not %d",
                    at->function, argument->name, (int)argument->rank,
                    (int)tensor->rank);
  for (dim = 0; dim < tensor->rank; ++dim) {
    int64_t size = tensor->sizes[dim], wanted = argument->sizes[dim];
    if (size < 0)
      return smx_fail(at->runtime, "'%s': dimension %d of %s is %lld",
                      at->function, (int)dim, argument->name, (long long)size);
    if (size == 0)
      is_empty = 1;
    if (wanted >= 0 && size != wanted)
      return smx_fail(at->runtime,
                      "'%s': dimension %d of %s is %lld; %lld is needed",
                      at->function, (int)dim, argument->name, (long long)size,
                      (long long)wanted);
  }
  if (!is_empty && !tensor->data)
    return smx_fail(at->runtime, "'%s': %s has no memory", at->function,
                    argument->name);
  return argument->rank ? check_strides(at, tensor, alignment) : 0;
}

/* What follows from the other arguments: sizes of results, and assertions. */
static int check_numbers(smx_runtime *runtime, const smx_function *function,
                         const smx_value *values, const int64_t *numbers) {
  uint32_t i;
  int32_t dim;
  for (i = 0; i < function->argument_count; ++i) {
    const smx_argument *argument = &function->arguments[i];
    for (dim = 0; argument->extents && dim < argument->rank; ++dim) {
      int32_t extent = argument->extents[dim];
      if (extent >= 0 && numbers[extent] != values[i].tensor->sizes[dim])
        return smx_fail(runtime,
                        "'%s': dimension %d of %s is %lld; for these inputs it "
                        "must be %lld",
                        function->name, (int)dim, argument->name,
                        (long long)values[i].tensor->sizes[dim],
                        (long long)numbers[extent]);
    }
  }
  for (i = 0; i < function->assertion_count; ++i)
    if (!numbers[function->assertions[i].holds])
      return smx_fail(runtime, "'%s': %s", function->name,
                      function->assertions[i].message);
  return 0;
}

/* Room for the tensor maps of a kernel; `maps` is the first, as aligned as the
   driver wants it. Returns what is to be freed. */
static void *allocate_maps(const smx_kernel *kernel, unsigned char **maps) {
  unsigned char *room = malloc((size_t)kernel->map_count * SMX_CU_MAP_BYTES +
                               SMX_CU_MAP_ALIGNMENT);
  if (room)
    *maps =
        room + (SMX_CU_MAP_ALIGNMENT - (uintptr_t)room % SMX_CU_MAP_ALIGNMENT);
  return room;
}

/* A kernel reads each parameter where a number, of up to 8 bytes, an address or
   a tensor map lies. */
static int launch(smx_runtime *runtime, const smx_kernel *kernel,
                  CUfunction found, const smx_value *values, int64_t *numbers,
                  uint64_t *scratch, smx_stream stream) {
  static const int64_t most[] = {2147483647, 65535, 65535};
  void **parameters, *room;
  unsigned char *maps = NULL;
  uint32_t i;
  int failed;
  for (i = 0; i < 3; ++i) {
    int64_t blocks = numbers[kernel->grid[i]];
    if (blocks == 0)
      return 0;
    if (blocks < 0 || blocks > most[i])
      return smx_fail(runtime,
                      "kernel '%s' would need %lld blocks along %c; a grid has "
                      "at most %lld there",
                      kernel->name, (long long)blocks, "xyz"[i],
                      (long long)most[i]);
  }
  parameters = malloc((kernel->parameter_count + 1) * sizeof(*parameters));
  room = allocate_maps(kernel, &maps);
  failed = (!parameters || !room) && smx_fail(runtime, "out of memory");
  for (i = 0; !failed && i < kernel->map_count; ++i) {
    const smx_tensor_map *map = &kernel->maps[i];
    failed = smx_encode_map(runtime, kernel, map,
                            map->memory == SMX_ARGUMENT
                                ? values[map->index].tensor->data
                                : scratch[map->index],
                            numbers, maps + i * SMX_CU_MAP_BYTES);
  }
  for (i = 0; !failed && i < kernel->parameter_count; ++i) {
    uint32_t index = kernel->parameters[i].index;
    switch (kernel->parameters[i].kind) {
    case SMX_ARGUMENT:
      parameters[i] = (void *)(uintptr_t)&values[index].tensor->data;
      break;
    case SMX_SCRATCH:
      parameters[i] = &scratch[index];
      break;
    case SMX_NUMBER:
      parameters[i] = &numbers[index];
      break;
    case SMX_TENSOR_MAP:
      parameters[i] = maps + index * SMX_CU_MAP_BYTES;
      break;
    }
  }
  if (!failed)
    failed =
        smx_check(runtime,
                  runtime->driver.cuLaunchKernel(
                      found, (unsigned)numbers[kernel->grid[0]],
                      (unsigned)numbers[kernel->grid[1]],
                      (unsigned)numbers[kernel->grid[2]], kernel->threads, 1, 1,
                      kernel->shared_bytes, stream, parameters, NULL),
                  "can not launch kernel", kernel->name);
  free(room);
  free(parameters);
  return failed;
}

/* Launches everything, with scratch memory that comes and goes in the order of
   the stream. */
static int launch_all(smx_runtime *runtime, const smx_function *function,
                      const CUfunction *kernels, const smx_value *values,
                      int64_t *numbers, smx_stream stream) {
  const smx_driver *cuda = &runtime->driver;
  uint64_t *scratch = calloc(function->scratch_count + 1, sizeof(*scratch));
  uint32_t i, allocated = 0;
  int failed = !scratch && smx_fail(runtime, "out of memory");
  for (i = 0; !failed && i < function->scratch_count; ++i) {
    int64_t bytes = numbers[function->scratch[i]];
    failed = smx_check(runtime,
                       cuda->cuMemAllocAsync(
                           &scratch[i], bytes > 0 ? (size_t)bytes : 1, stream),
                       "no scratch memory for", function->name);
    allocated += !failed;
  }
  for (i = 0; !failed && i < function->kernel_count; ++i)
    failed = launch(runtime, &function->kernels[i], kernels[i], values, numbers,
                    scratch, stream);
  for (i = 0; i < allocated; ++i) {
    CUresult result = cuda->cuMemFreeAsync(scratch[i], stream);
    if (!failed)
      failed = smx_check(runtime, result, "can not release scratch memory of",
                         function->name);
  }
  free(scratch);
  return failed;
}

int smx_call(smx_runtime *runtime, const smx_bundle *bundle, uint32_t index,
             const smx_value *values, smx_stream stream) {
  const smx_function *function = &bundle->functions[index];
  const smx_loaded *loaded;
  int64_t *numbers;
  uint32_t i, first = 0;
  int failed;
  for (i = 0; i < function->argument_count; ++i) {
    place at = {runtime, function->name, &function->arguments[i]};
    if (at.argument->kind == SMX_TENSOR &&
        check_tensor(&at, values[i].tensor,
                     at.argument->is_anywhere ? 0 : bundle->alignment))
      return 1;
  }
  numbers = malloc((function->number_count + 1) * sizeof(*numbers));
  if (!numbers)
    return smx_fail(runtime, "out of memory");
  smx_evaluate(function, values, numbers);
  failed = check_numbers(runtime, function, values, numbers);
  if (!failed && smx_enter(runtime) == 0) {
    loaded = load(runtime, bundle);
    for (i = 0; i < index; ++i)
      first += bundle->functions[i].kernel_count;
    failed = !loaded || launch_all(runtime, function, loaded->kernels + first,
                                   values, numbers, stream);
    smx_leave(runtime);
  } else {
    failed = 1;
  }
  free(numbers);
  return failed;
}
