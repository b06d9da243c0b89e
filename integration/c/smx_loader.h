/*===- smx_loader.h - run kernels that softmax-compile made ------*- C -*-===//
//
// For programs without LLVM and without the CUDA toolkit: a header written by
// `softmax-compile --emit=c-header`, this one, smx_driver.c, smx_loader.c and
// smx_numbers.c are all that is compiled; the CUDA driver is found when the
// program runs. C99.
//
// Functions that return int return 0, or another number after a failure, whose
// text is smx_error(runtime). A runtime is for one thread at a time; each
// thread may open its own, they share the device's primary context.
//
//===---------------------------------------------------------------------===*/
#ifndef SMX_LOADER_H
#define SMX_LOADER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SMX_BUNDLE_VERSION 2
#define SMX_MAX_RANK 8
#define SMX_MAX_MAP_RANK 5

/* What the functions of a bundle's header are. Defined as empty before that
   header is included, they are ordinary functions of the object file. */
#ifndef SMX_ENTRY
#define SMX_ENTRY static inline
#endif

/* ---- Calls ------------------------------------------------------------- */

typedef struct smx_runtime smx_runtime;

/* A CUstream or cudaStream_t; NULL is the default stream. */
typedef struct CUstream_st *smx_stream;

typedef enum {
  SMX_F64,
  SMX_F32,
  SMX_F16,
  SMX_BF16,
  SMX_I1,
  SMX_I8,
  SMX_U8,
  SMX_I32,
  SMX_I64,
  SMX_F8E4M3FN
} smx_dtype;

/* A tensor in device memory. Sizes and strides in elements, outermost first;
   the innermost stride is 1. */
typedef struct {
  uint64_t data;
  int32_t dtype; /* smx_dtype */
  int32_t rank;
  int64_t sizes[SMX_MAX_RANK];
  int64_t strides[SMX_MAX_RANK];
} smx_tensor;

/* A row-major tensor without gaps. */
smx_tensor smx_dense(uint64_t data, smx_dtype dtype, int rank,
                     const int64_t *sizes);
/* Bytes of one element. */
size_t smx_dtype_bytes(smx_dtype dtype);

/* Opens a device, as the driver numbers it. NULL after a failure, whose text is
   then in `error`. */
smx_runtime *smx_open(int device, char *error, size_t error_bytes);
/* Unloads all kernels. The device must be done with them. */
void smx_close(smx_runtime *runtime);
/* What the last failure was; empty before the first. */
const char *smx_error(const smx_runtime *runtime);
/* Waits for everything that was queued on the stream. */
int smx_synchronize(smx_runtime *runtime, smx_stream stream);

/* Device memory, for programs that have no other source of it. Copies and
   fills have happened when the function returns. */
int smx_allocate(smx_runtime *runtime, size_t bytes, uint64_t *address);
int smx_release(smx_runtime *runtime, uint64_t address);
int smx_upload(smx_runtime *runtime, uint64_t to, const void *from,
               size_t bytes);
int smx_download(smx_runtime *runtime, void *to, uint64_t from, size_t bytes);
int smx_fill(smx_runtime *runtime, uint64_t address, unsigned char byte,
             size_t bytes);

/* ---- What a bundle's header is made of --------------------------------- */

/* One number of a call from earlier ones: the same opcodes, by the same names,
   as in the JSON manifest. */
typedef enum {
  SMX_OP_SIZE,
  SMX_OP_STRIDE,
  SMX_OP_INTEGER,
  SMX_OP_CONSTANT,
  SMX_OP_ADD,
  SMX_OP_SUB,
  SMX_OP_MUL,
  SMX_OP_DIV,
  SMX_OP_REM,
  SMX_OP_FLOORDIV,
  SMX_OP_CEILDIV,
  SMX_OP_DIVU,
  SMX_OP_REMU,
  SMX_OP_CEILDIVU,
  SMX_OP_MIN,
  SMX_OP_MAX,
  SMX_OP_MINU,
  SMX_OP_MAXU,
  SMX_OP_AND,
  SMX_OP_OR,
  SMX_OP_XOR,
  SMX_OP_SHL,
  SMX_OP_SHR,
  SMX_OP_SHRU,
  SMX_OP_EQ,
  SMX_OP_NE,
  SMX_OP_LT,
  SMX_OP_LE,
  SMX_OP_LTU,
  SMX_OP_LEU,
  SMX_OP_SELECT,
  SMX_OP_SEXT,
  SMX_OP_ZEXT
} smx_opcode;

typedef struct {
  smx_opcode opcode;
  int64_t operands[3];
} smx_number;

typedef enum { SMX_TENSOR, SMX_INTEGER, SMX_FLOAT } smx_argument_kind;

/* `sizes`: -1 for any. `extents`: of a result, the number that each size must
   equal, -1 for none; NULL for inputs. `is_anywhere`: a tensor that the
   alignment of the bundle is not asked of. */
typedef struct {
  const char *name;
  smx_argument_kind kind;
  smx_dtype dtype;
  int32_t rank;
  const int64_t *sizes;
  const int32_t *extents;
  int32_t is_anywhere;
} smx_argument;

/* The number `holds` must not be 0. */
typedef struct {
  uint32_t holds;
  const char *message;
} smx_assertion;

typedef enum {
  SMX_ARGUMENT,
  SMX_SCRATCH,
  SMX_NUMBER,
  SMX_TENSOR_MAP
} smx_parameter_kind;

typedef struct {
  smx_parameter_kind kind;
  uint32_t index;
} smx_parameter;

/* How the copy engine sees memory. Innermost dimension first, and no stride of
   it. The number `elements` says how many there are: without any, any address
   will do. `offset`, `sizes` and `strides` are numbers, too; offset and strides
   count bytes. `box`, in elements, is what one copy moves; `swizzle` is the
   span of the swizzle in bytes. */
typedef struct {
  smx_parameter_kind memory; /* SMX_ARGUMENT or SMX_SCRATCH */
  uint32_t index;
  smx_dtype dtype;
  uint32_t rank;
  uint32_t elements, offset;
  uint32_t sizes[SMX_MAX_MAP_RANK];
  uint32_t strides[SMX_MAX_MAP_RANK];
  uint32_t box[SMX_MAX_MAP_RANK];
  uint32_t swizzle;
} smx_tensor_map;

/* Not launched if one of the grid's numbers is 0. */
typedef struct {
  const char *name;
  uint32_t grid[3];
  uint32_t threads, cluster, shared_bytes;
  uint32_t parameter_count;
  const smx_parameter *parameters;
  uint32_t map_count;
  const smx_tensor_map *maps;
} smx_kernel;

/* `scratch`: the numbers of the bytes of each piece. */
typedef struct {
  const char *name;
  uint32_t argument_count;
  const smx_argument *arguments;
  uint32_t number_count;
  const smx_number *numbers;
  uint32_t assertion_count;
  const smx_assertion *assertions;
  uint32_t scratch_count;
  const uint32_t *scratch;
  uint32_t kernel_count;
  const smx_kernel *kernels;
} smx_function;

typedef enum { SMX_PTX, SMX_CUBIN } smx_image_kind;

typedef struct {
  const char *chip;
  smx_image_kind kind;
  int64_t alignment;
  const unsigned char *image;
  size_t image_bytes;
  uint32_t function_count;
  const smx_function *functions;
} smx_bundle;

/* `integer`: of a float its bits. */
typedef union {
  const smx_tensor *tensor;
  int64_t integer;
} smx_value;

int64_t smx_float_bits(float number);
int64_t smx_double_bits(double number);

/* Queues all kernels of a function on the stream; its header's functions call
   this. The first call of a bundle loads its image. */
int smx_call(smx_runtime *runtime, const smx_bundle *bundle, uint32_t function,
             const smx_value *values, smx_stream stream);

#ifdef __cplusplus
}
#endif

#endif /* SMX_LOADER_H */
