// Weights of all columns are no part of a row: read where it is written, of a few accesses at a time, and never copied.
// RUN: softmax-opt %s --smx-to-gpu='chip=sm_90a alignment=16' | FileCheck %s

#all = affine_map<(i, j) -> (i, j)>
#columns = affine_map<(i, j) -> (j)>

// 4 accesses of a thread, and one vector of weights: all at once.
// CHECK-LABEL: smx_gpu.kernel @one_vector
// CHECK-SAME: warps(4) shared_limit(232448) min_blocks(9)
// CHECK: smx_gpu.load {{.*}} -> tensor<1x4096xbf16,
// CHECK-NOT: smx_gpu.copy
// CHECK: smx_gpu.load {{.*}} memref<4096xbf16, {{.*}} -> tensor<1x4096xbf16,
// CHECK: smx_gpu.store
// CHECK-NOT: smx_gpu.store
// CHECK: smx_gpu.return
func.func @one_vector(%x: tensor<64x4096xbf16>, %w: tensor<4096xbf16>) -> tensor<64x4096xbf16> {
  %e = tensor.empty() : tensor<64x4096xbf16>
  %n = smx.rms_norm %x axis(1) epsilon(1.0e-5) : tensor<64x4096xbf16> -> tensor<64x4096xf32>
  %y = linalg.generic {indexing_maps = [#all, #columns, #all], iterator_types = ["parallel", "parallel"]}
      ins(%n, %w : tensor<64x4096xf32>, tensor<4096xbf16>) outs(%e : tensor<64x4096xbf16>) {
  ^bb0(%i: f32, %iw: bf16, %o: bf16):
    %fw = arith.extf %iw : bf16 to f32
    %p = arith.mulf %i, %fw : f32
    %t = arith.truncf %p : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<64x4096xbf16>
  return %y : tensor<64x4096xbf16>
}

// Two vectors: two accesses at a time, each of them stored before the next ones are read.
// CHECK-LABEL: smx_gpu.kernel @two_vectors
// CHECK-COUNT-2: smx_gpu.load {{.*}} memref<64x4096xbf16, {{.*}} -> tensor<1x2048xbf16,
// CHECK-COUNT-2: smx_gpu.load {{.*}} memref<4096xbf16, {{.*}} -> tensor<1x2048xbf16,
// CHECK: smx_gpu.store
// CHECK-COUNT-2: smx_gpu.load {{.*}} memref<4096xbf16, {{.*}} -> tensor<1x2048xbf16,
// CHECK: smx_gpu.store
func.func @two_vectors(%x: tensor<64x4096xbf16>, %w: tensor<4096xbf16>, %b: tensor<4096xbf16>) -> tensor<64x4096xbf16> {
  %e = tensor.empty() : tensor<64x4096xbf16>
  %n = smx.layer_norm %x axis(1) epsilon(1.0e-5) : tensor<64x4096xbf16> -> tensor<64x4096xf32>
  %y = linalg.generic {indexing_maps = [#all, #columns, #columns, #all], iterator_types = ["parallel", "parallel"]}
      ins(%n, %w, %b : tensor<64x4096xf32>, tensor<4096xbf16>, tensor<4096xbf16>) outs(%e : tensor<64x4096xbf16>) {
  ^bb0(%i: f32, %iw: bf16, %ib: bf16, %o: bf16):
    %fw = arith.extf %iw : bf16 to f32
    %fb = arith.extf %ib : bf16 to f32
    %p = arith.mulf %i, %fw : f32
    %s = arith.addf %p, %fb : f32
    %t = arith.truncf %s : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<64x4096xbf16>
  return %y : tensor<64x4096xbf16>
}

// Of longer rows a part is in shared memory, and weights are not.
// CHECK-LABEL: smx_gpu.kernel @shared
// CHECK-SAME: warps(8) shared_limit(232448) min_blocks(4)
// CHECK-NOT: smx_gpu.copy %{{.+}} : memref<14336xbf16
// CHECK: smx_gpu.copy {{.*}} memref<64x14336xbf16
// CHECK-NOT: smx_gpu.copy {{.*}} memref<14336xbf16
// CHECK: smx_gpu.return
func.func @shared(%x: tensor<64x14336xbf16>, %w: tensor<14336xbf16>) -> tensor<64x14336xbf16> {
  %e = tensor.empty() : tensor<64x14336xbf16>
  %n = smx.rms_norm %x axis(1) epsilon(1.0e-5) : tensor<64x14336xbf16> -> tensor<64x14336xf32>
  %y = linalg.generic {indexing_maps = [#all, #columns, #all], iterator_types = ["parallel", "parallel"]}
      ins(%n, %w : tensor<64x14336xf32>, tensor<14336xbf16>) outs(%e : tensor<64x14336xbf16>) {
  ^bb0(%i: f32, %iw: bf16, %o: bf16):
    %fw = arith.extf %iw : bf16 to f32
    %p = arith.mulf %i, %fw : f32
    %t = arith.truncf %p : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<64x14336xbf16>
  return %y : tensor<64x14336xbf16>
}

// Of two rows and their sum one access each is in 32 registers; f16 is widened by conversions, and has two.
// CHECK-LABEL: smx_gpu.kernel @sum
// CHECK-SAME: warps(16) shared_limit(232448) min_blocks(4)
// CHECK-LABEL: smx_gpu.kernel @converted
// CHECK-SAME: warps(8) shared_limit(232448) min_blocks(4)
func.func @sum(%x: tensor<64x4096xbf16>, %r: tensor<64x4096xbf16>, %w: tensor<4096xbf16>) -> (tensor<64x4096xbf16>, tensor<64x4096xbf16>) {
  %e = tensor.empty() : tensor<64x4096xbf16>
  %h = linalg.add ins(%x, %r : tensor<64x4096xbf16>, tensor<64x4096xbf16>) outs(%e : tensor<64x4096xbf16>) -> tensor<64x4096xbf16>
  %n = smx.rms_norm %h axis(1) epsilon(1.0e-5) : tensor<64x4096xbf16> -> tensor<64x4096xf32>
  %y = linalg.generic {indexing_maps = [#all, #columns, #all], iterator_types = ["parallel", "parallel"]}
      ins(%n, %w : tensor<64x4096xf32>, tensor<4096xbf16>) outs(%e : tensor<64x4096xbf16>) {
  ^bb0(%i: f32, %iw: bf16, %o: bf16):
    %fw = arith.extf %iw : bf16 to f32
    %p = arith.mulf %i, %fw : f32
    %t = arith.truncf %p : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<64x4096xbf16>
  return %h, %y : tensor<64x4096xbf16>, tensor<64x4096xbf16>
}
func.func @converted(%x: tensor<64x4096xf16>, %r: tensor<64x4096xf16>, %w: tensor<4096xf16>) -> (tensor<64x4096xf16>, tensor<64x4096xf16>) {
  %e = tensor.empty() : tensor<64x4096xf16>
  %h = linalg.add ins(%x, %r : tensor<64x4096xf16>, tensor<64x4096xf16>) outs(%e : tensor<64x4096xf16>) -> tensor<64x4096xf16>
  %n = smx.rms_norm %h axis(1) epsilon(1.0e-5) : tensor<64x4096xf16> -> tensor<64x4096xf32>
  %y = linalg.generic {indexing_maps = [#all, #columns, #all], iterator_types = ["parallel", "parallel"]}
      ins(%n, %w : tensor<64x4096xf32>, tensor<4096xf16>) outs(%e : tensor<64x4096xf16>) {
  ^bb0(%i: f32, %iw: f16, %o: f16):
    %fw = arith.extf %iw : f16 to f32
    %p = arith.mulf %i, %fw : f32
    %t = arith.truncf %p : f32 to f16
    linalg.yield %t : f16
  } -> tensor<64x4096xf16>
  return %h, %y : tensor<64x4096xf16>, tensor<64x4096xf16>
}

// An only row is a vector, too, and a row all the same.
// CHECK-LABEL: smx_gpu.kernel @only_row
// CHECK: smx_gpu.copy {{.*}} memref<40000xf32
func.func @only_row(%x: tensor<40000xf32>) -> tensor<40000xf32> {
  %y = smx.rms_norm %x axis(0) epsilon(1.0e-5) : tensor<40000xf32> -> tensor<40000xf32>
  return %y : tensor<40000xf32>
}
