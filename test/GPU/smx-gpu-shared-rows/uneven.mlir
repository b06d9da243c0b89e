// RUN: softmax-opt %s --smx-to-gpu='chip=sm_90 alignment=16' | FileCheck %s

// Of 7 accesses of a thread 4 have their weights at a time, and then 3: what both are reduced to has as many columns as divide theirs.

// CHECK-LABEL: smx_gpu.kernel @uneven_kernel
// CHECK: smx_gpu.partial_reduce <add> {{.*}} : tensor<1x[[#%u,FOUR:]]xf32, {{.*}} -> tensor<1x[[#%u,ONE:]]xf32
// CHECK: smx_gpu.partial_reduce <add> {{.*}} -> tensor<1x[[#ONE]]xf32
// CHECK: smx_gpu.return
func.func @uneven(%x: tensor<64x2501xf16>, %w: tensor<2501xf16>) -> tensor<64x2501xf32> {
  %n = smx.rms_norm %x axis(1) epsilon(1.0e-5) : tensor<64x2501xf16> -> tensor<64x2501xf32>
  %e = tensor.empty() : tensor<64x2501xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%n, %w : tensor<64x2501xf32>, tensor<2501xf16>) outs(%e : tensor<64x2501xf32>) {
  ^bb0(%a: f32, %b: f16, %c: f32):
    %b1 = arith.extf %b : f16 to f32
    %p = arith.mulf %a, %b1 : f32
    linalg.yield %p : f32
  } -> tensor<64x2501xf32>
  return %y : tensor<64x2501xf32>
}
