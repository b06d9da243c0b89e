// Walks whose last wave stays as it is.
// RUN: softmax-opt %s --smx-to-gpu='alignment=16 chip=sm_90a' --split-input-file | FileCheck %s
// RUN: softmax-opt %s --smx-to-gpu='alignment=16 chip=sm_90a' --split-input-file --remarks-filter=smx-gpu-split-last-wave 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

// 7052 tiles: what two parts of the last 56 save is less than 1.5 % of 54 waves.
// CHECK-LABEL: smx_gpu.kernel @long_walk_kernel(
// CHECK-NOT: smx_gpu.kernel
// REMARK: LastWave{{.*}}the last wave stays whole: its parts and their merge would not save enough
!t = tensor<1x82x16384x128xbf16>
func.func @long_walk(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.088) : !t, !t, !t -> !t
  return %o : !t
}

// -----

// 264 tiles.
// CHECK-LABEL: smx_gpu.kernel @full_kernel(
// CHECK-NOT: smx_gpu.kernel
// REMARK: LastWave{{.*}}the last wave stays whole: every wave is a whole one
!t = tensor<1x12x4224x128xbf16>
func.func @full(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.088) : !t, !t, !t -> !t
  return %o : !t
}

// -----

// Rounds end at the diagonal.
// CHECK-LABEL: smx_gpu.kernel @causal_kernel(
// CHECK-NOT: smx_gpu.kernel
// REMARK: LastWave{{.*}}the last wave stays whole: the rounds of a tile are no known number, the same for all
!t = tensor<1x10x2688x128xbf16>
func.func @causal(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.088) mask(#smx.band<top_left, right = 0>) : !t, !t, !t -> !t
  return %o : !t
}

// -----

// CHECK-LABEL: smx_gpu.kernel @open_heads_kernel(
// CHECK-NOT: smx_gpu.kernel
// REMARK: LastWave{{.*}}the last wave stays whole: the number of tiles is open
!t = tensor<1x?x2688x128xbf16>
func.func @open_heads(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.088) : !t, !t, !t -> !t
  return %o : !t
}

// -----

// CHECK-LABEL: smx_gpu.kernel @open_keys_kernel(
// CHECK-NOT: smx_gpu.kernel
// REMARK: LastWave{{.*}}the last wave stays whole: a tile has not one loop over keys, of its own
!q = tensor<1x10x2688x128xbf16>
!kv = tensor<1x10x?x128xbf16>
func.func @open_keys(%q: !q, %k: !kv, %v: !kv) -> !q {
  %o = smx.attention %q, %k, %v scale(0.088) : !q, !kv, !kv -> !q
  return %o : !q
}

// -----

// A few queries are cut along the keys as parts of a stream, before: no tile of warpgroups.
// CHECK-LABEL: smx_gpu.kernel @queries_kernel(
// CHECK-NOT: smx_gpu.kernel @queries_kernel_merge
// REMARK-NOT: LastWave
!q = tensor<1x8x1x128xbf16>
!kv = tensor<1x8x16384x128xbf16>
func.func @queries(%q: !q, %k: !kv, %v: !kv) -> !q {
  %o = smx.attention %q, %k, %v scale(0.088) : !q, !kv, !kv -> !q
  return %o : !q
}
