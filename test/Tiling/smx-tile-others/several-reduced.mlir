// Several dimensions are reduced, in another order than memory has them: a tile has one of them.
// RUN: softmax-opt %s --smx-tile-others --canonicalize | FileCheck %s
// RUN: softmax-run %s --entry=sums --target=emulator --check=naive --repeat=0 | FileCheck %s --check-prefix=GOOD
// RUN: softmax-run %s --entry=dot_products --target=emulator --check=naive --repeat=0 | FileCheck %s --check-prefix=GOOD
// RUN: softmax-run %s --entry=batch_last --target=emulator --chip=sm_90a --check=naive --repeat=0 | FileCheck %s --check-prefix=GOOD
// GOOD: against naive: pass

// The loop over k is the last one, and runs one by one.
// CHECK-LABEL: @sums
// CHECK: scf.for %[[K:.+]] = %c0 to %c3 step %c1
// CHECK: tensor.extract_slice %arg0[0, %[[K]], 0] [16, 1, 8]
func.func @sums(%x: tensor<16x3x8xf32>) -> tensor<16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, l, k) -> (i, k, l)>, affine_map<(i, l, k) -> (i)>],
      iterator_types = ["parallel", "reduction", "reduction"]} ins(%x : tensor<16x3x8xf32>) outs(%f : tensor<16xf32>) {
  ^bb0(%a: f32, %s: f32):
    %r = arith.addf %a, %s : f32
    linalg.yield %r : f32
  } -> tensor<16xf32>
  return %y : tensor<16xf32>
}

// CHECK-LABEL: @dot_products
// CHECK: scf.for %{{.+}} = %c0 to %c3 step %c1
func.func @dot_products(%x: tensor<3x8x16xf32>, %w: tensor<16x3x8xf32>) -> tensor<16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, l, k) -> (k, l, i)>, affine_map<(i, l, k) -> (i, k, l)>, affine_map<(i, l, k) -> (i)>],
      iterator_types = ["parallel", "reduction", "reduction"]} ins(%x, %w : tensor<3x8x16xf32>, tensor<16x3x8xf32>) outs(%f : tensor<16xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %p = arith.mulf %a, %b : f32
    %r = arith.addf %p, %s : f32
    linalg.yield %r : f32
  } -> tensor<16xf32>
  return %y : tensor<16xf32>
}

// What both matrices have, here the fastest dimension of all three, is no dimension of a product's tile.
// CHECK-LABEL: @batch_last
// CHECK: scf.forall (%{{.+}}, %{{.+}}, %{{.+}}) = (0, 0, 0) to (3, 80, 70) step (1, 64, 64)
func.func @batch_last(%x: tensor<80x24x3xf32>, %w: tensor<24x70x3xf32>) -> tensor<80x70x3xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<80x70x3xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<80x70x3xf32>) -> tensor<80x70x3xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(b, i, j, k) -> (i, k, b)>, affine_map<(b, i, j, k) -> (k, j, b)>, affine_map<(b, i, j, k) -> (i, j, b)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %w : tensor<80x24x3xf32>, tensor<24x70x3xf32>) outs(%f : tensor<80x70x3xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %p = arith.mulf %a, %b : f32
    %r = arith.addf %p, %s : f32
    linalg.yield %r : f32
  } -> tensor<80x70x3xf32>
  return %y : tensor<80x70x3xf32>
}
