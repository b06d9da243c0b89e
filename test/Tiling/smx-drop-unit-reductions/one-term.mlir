// RUN: softmax-opt %s --smx-drop-unit-reductions --split-input-file | FileCheck %s

#m = affine_map<(d0, d1) -> (d0, d1)>
#r = affine_map<(d0, d1) -> (d0)>

// CHECK-LABEL: func.func @conjunction(
// CHECK-SAME: %[[B:.*]]: tensor<6x1xi1>
// CHECK: %[[C:.*]] = tensor.collapse_shape %[[B]] {{\[}}[0, 1]] : tensor<6x1xi1> into tensor<6xi1>
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%[[C]] : tensor<6xi1>)
// CHECK: arith.andi
func.func @conjunction(%b: tensor<6x1xi1>) -> tensor<6xi1> {
  %t = arith.constant true
  %e = tensor.empty() : tensor<6xi1>
  %f = linalg.fill ins(%t : i1) outs(%e : tensor<6xi1>) -> tensor<6xi1>
  %all = linalg.generic {indexing_maps = [#m, #r], iterator_types = ["parallel", "reduction"]} ins(%b : tensor<6x1xi1>) outs(%f : tensor<6xi1>) {
  ^bb0(%i: i1, %o: i1):
    %x = arith.andi %o, %i : i1
    linalg.yield %x : i1
  } -> tensor<6xi1>
  return %all : tensor<6xi1>
}

// -----

#m = affine_map<(d0, d1) -> (d0, d1)>
#r = affine_map<(d0, d1) -> (d0)>

// More terms, an open number of them, and products stay.
// CHECK-LABEL: func.func @stays(
// CHECK-NOT: collapse_shape
// CHECK-COUNT-3: "reduction"
func.func @stays(%a: tensor<6x2xf32>, %b: tensor<6x?xf32>, %p: tensor<4x1xf32>, %q: tensor<1x5xf32>, %i: tensor<6xf32>, %z: tensor<4x5xf32>) -> (tensor<6xf32>, tensor<6xf32>, tensor<4x5xf32>) {
  %x = linalg.generic {indexing_maps = [#m, #r], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<6x2xf32>) outs(%i : tensor<6xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %o, %v : f32
    linalg.yield %s : f32
  } -> tensor<6xf32>
  %y = linalg.generic {indexing_maps = [#m, #r], iterator_types = ["parallel", "reduction"]} ins(%b : tensor<6x?xf32>) outs(%i : tensor<6xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %o, %v : f32
    linalg.yield %s : f32
  } -> tensor<6xf32>
  %w = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p, %q : tensor<4x1xf32>, tensor<1x5xf32>) outs(%z : tensor<4x5xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %t = arith.mulf %u, %v : f32
    %s = arith.addf %o, %t : f32
    linalg.yield %s : f32
  } -> tensor<4x5xf32>
  return %x, %y, %w : tensor<6xf32>, tensor<6xf32>, tensor<4x5xf32>
}
