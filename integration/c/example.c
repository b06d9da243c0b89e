/*===- example.c - softmax and attention from C -----------------*- C -*-===//
//
// Runs the two functions of example.mlir on device memory that was filled with
// NaN first, and compares every element with three passes in double. Prints one
// line each; returns 1 if anything is wrong.
//
//===---------------------------------------------------------------------===*/

#include "example.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Data -------------------------------------------------------------- */

/* The same numbers on every machine, in [-1, 1). */
static double next_number(void) {
  static uint64_t state = 1;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (double)(int64_t)(state >> 11) / 4503599627370496.0 - 1.0;
}

static uint16_t to_bf16(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof(bits));
  return (uint16_t)(bits >> 16);
}

static double from_bf16(uint16_t half) {
  uint32_t bits = (uint32_t)half << 16;
  float value;
  memcpy(&value, &bits, sizeof(value));
  return value;
}

static void *get_memory(size_t bytes) {
  void *memory = malloc(bytes);
  if (memory)
    return memory;
  fprintf(stderr, "example: out of memory\n");
  exit(1);
}

/* A tensor on the device: a copy of `data`, or NaN throughout. */
static smx_tensor to_device(smx_runtime *runtime, const void *data,
                            smx_dtype dtype, int rank, const int64_t *sizes) {
  uint64_t address = 0;
  size_t bytes = smx_dtype_bytes(dtype);
  int dim;
  for (dim = 0; dim < rank; ++dim)
    bytes *= (size_t)sizes[dim];
  if (smx_allocate(runtime, bytes, &address) ||
      (data ? smx_upload(runtime, address, data, bytes)
            : smx_fill(runtime, address, 0xff, bytes))) {
    fprintf(stderr, "example: %s\n", smx_error(runtime));
    exit(1);
  }
  return smx_dense(address, dtype, rank, sizes);
}

/* ---- The reference ----------------------------------------------------- */

/* Three passes over one row; -INFINITY is masked. */
static void reference_softmax(double *row, int64_t length) {
  double most = -INFINITY, sum = 0;
  int64_t j;
  for (j = 0; j < length; ++j)
    most = fmax(most, row[j]);
  for (j = 0; j < length; ++j)
    sum += row[j] = exp(row[j] - most);
  for (j = 0; j < length; ++j)
    row[j] /= sum;
}

static int report(const char *what, int64_t count, int64_t wrong,
                  double largest) {
  printf("%s: %lld elements, %lld wrong, largest error %.3g of its bound\n",
         what, (long long)count, (long long)wrong, largest);
  return wrong != 0;
}

/* Counts an error, in units of its bound; NaN is one. */
static void count_error(double error, int64_t *wrong, double *largest) {
  if (!(error <= 1))
    ++*wrong;
  if (error > *largest)
    *largest = error;
}

/* ---- The two calls ----------------------------------------------------- */

static int run_softmax(smx_runtime *runtime, int64_t rows) {
  enum { columns = 1000 };
  const int64_t sizes[] = {rows, columns}, count = rows * columns;
  const size_t bytes = (size_t)count * sizeof(float);
  float *x = get_memory(bytes), *y = get_memory(bytes);
  double row[columns], largest = 0;
  int64_t i, j, wrong = 0;
  smx_tensor dx, dy;
  /* Rising by 8 along the row, so that the running maximum moves; in steps of
     1/64, so that the difference from it is exact in f32. */
  for (i = 0; i < count; ++i)
    x[i] =
        (float)(floor(512 * next_number()) / 64 + (double)(i % columns / 125));
  dx = to_device(runtime, x, SMX_F32, 2, sizes);
  dy = to_device(runtime, NULL, SMX_F32, 2, sizes);
  if (softmax(runtime, &dx, &dy, NULL) || smx_synchronize(runtime, NULL) ||
      smx_download(runtime, y, dy.data, bytes)) {
    fprintf(stderr, "example: %s\n", smx_error(runtime));
    return 1;
  }
  for (i = 0; i < rows; ++i) {
    for (j = 0; j < columns; ++j)
      row[j] = x[i * columns + j];
    reference_softmax(row, columns);
    /* 4 units in the last place. */
    for (j = 0; j < columns; ++j)
      count_error(fabs(y[i * columns + j] - row[j]) / (row[j] * 4 / 8388608),
                  &wrong, &largest);
  }
  smx_release(runtime, dx.data);
  smx_release(runtime, dy.data);
  free(x);
  free(y);
  return report("softmax", count, wrong, largest);
}

/* Row `i` of head `h`: what the keys up to i give. */
static void reference_attention(const uint16_t *q, const uint16_t *k,
                                const uint16_t *v, int64_t i, double *scores,
                                double *out) {
  int64_t j, d;
  for (j = 0; j <= i; ++j)
    for (scores[j] = 0, d = 0; d < 64; ++d)
      scores[j] += 0.125 * from_bf16(q[i * 64 + d]) * from_bf16(k[j * 64 + d]);
  reference_softmax(scores, i + 1);
  for (d = 0; d < 64; ++d)
    for (out[d] = 0, j = 0; j <= i; ++j)
      out[d] += scores[j] * from_bf16(v[j * 64 + d]);
}

static int run_attention(smx_runtime *runtime, int64_t batch, int64_t length) {
  enum { heads = 4, key_heads = 2, dim = 64 };
  const int64_t query_sizes[] = {batch, heads, length, dim};
  const int64_t key_sizes[] = {batch, key_heads, length, dim};
  const int64_t matrix = length * dim, count = batch * heads * matrix;
  const int64_t key_count = batch * key_heads * matrix;
  const size_t bytes = (size_t)count * 2, key_bytes = (size_t)key_count * 2;
  uint16_t *q = get_memory(bytes), *o = get_memory(bytes);
  uint16_t *k = get_memory(key_bytes), *v = get_memory(key_bytes);
  double *scores = get_memory((size_t)length * sizeof(double));
  double out[dim], largest = 0;
  int64_t i, d, h, wrong = 0;
  smx_tensor dq, dk, dv, d_out;
  for (i = 0; i < count; ++i)
    q[i] = to_bf16((float)(4 * next_number()));
  for (i = 0; i < key_count; ++i) {
    k[i] = to_bf16((float)(4 * next_number()));
    v[i] = to_bf16((float)next_number());
  }
  dq = to_device(runtime, q, SMX_BF16, 4, query_sizes);
  dk = to_device(runtime, k, SMX_BF16, 4, key_sizes);
  dv = to_device(runtime, v, SMX_BF16, 4, key_sizes);
  d_out = to_device(runtime, NULL, SMX_BF16, 4, query_sizes);
  if (attention(runtime, &dq, &dk, &dv, &d_out, NULL) ||
      smx_synchronize(runtime, NULL) ||
      smx_download(runtime, o, d_out.data, bytes)) {
    fprintf(stderr, "example: %s\n", smx_error(runtime));
    return 1;
  }
  for (h = 0; h < batch * heads; ++h)
    for (i = 0; i < length; ++i) {
      const int64_t key_head = h / heads * key_heads + h % heads / 2;
      reference_attention(q + h * matrix, k + key_head * matrix,
                          v + key_head * matrix, i, scores, out);
      /* Weights and results are rounded to 8 bits; values are below 1. */
      for (d = 0; d < dim; ++d)
        count_error(fabs(from_bf16(o[h * matrix + i * dim + d]) - out[d]) /
                        (1.0 / 256 + fabs(out[d]) / 256),
                    &wrong, &largest);
    }
  smx_release(runtime, dq.data);
  smx_release(runtime, dk.data);
  smx_release(runtime, dv.data);
  smx_release(runtime, d_out.data);
  free(q);
  free(k);
  free(v);
  free(o);
  free(scores);
  return report("attention", count, wrong, largest);
}

int main(void) {
  char error[256];
  smx_runtime *runtime = smx_open(/*device=*/0, error, sizeof(error));
  int wrong;
  if (!runtime) {
    fprintf(stderr, "example: %s\n", error);
    return 1;
  }
  wrong = run_softmax(runtime, /*rows=*/37);
  wrong |= run_softmax(runtime, /*rows=*/0);
  wrong |= run_attention(runtime, /*batch=*/2, /*length=*/150);
  smx_close(runtime);
  return wrong;
}
