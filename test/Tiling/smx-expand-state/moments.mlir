// RUN: softmax-opt %s --smx-expand-state --canonicalize --mlir-use-nameloc-as-prefix | FileCheck %s

#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>

// The tile's own moments around its own mean, merged into the state: no sum of squares that cancels.

// CHECK-LABEL: @update
// CHECK-SAME: %[[X:[^:]+]]: tensor<4x32xf32>
// CHECK: %tile_sum = linalg.generic {{.*}} ins(%[[X]] :
// CHECK: %tile_mean = linalg.generic {{.*}} ins(%tile_sum :
// CHECK: %tile_deviations = linalg.generic {{.*}} ins(%[[X]], %tile_mean :
// CHECK: %[[D:.+]] = arith.subf
// CHECK: arith.mulf %[[D]], %[[D]]
// CHECK: %merge_moments:3 = linalg.generic
// CHECK: return %merge_moments#0, %merge_moments#1, %merge_moments#2
func.func @update(%n: tensor<4xf32>, %u: tensor<4xf32>, %q: tensor<4xf32>, %x: tensor<4x32xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %s:3 = smx.update #smx.moments<epsilon = 0.0 : f64> (%n, %u, %q : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
      with (%x : tensor<4x32xf32>) maps [#row, #row, #row, #all]
  return %s#0, %s#1, %s#2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// The count is that of the tile, also of one whose extent nobody knows.
// CHECK-LABEL: @dynamic_tile
// CHECK-SAME: %[[X:[^:]+]]: tensor<4x?xf32>
// CHECK: %[[N:.+]] = tensor.dim %[[X]], %c1
// CHECK: %[[I:.+]] = arith.index_cast %[[N]]
// CHECK: arith.uitofp %[[I]]
func.func @dynamic_tile(%n: tensor<4xf32>, %u: tensor<4xf32>, %q: tensor<4xf32>, %x: tensor<4x?xf32>) -> tensor<4xf32> {
  %s:3 = smx.update #smx.moments<epsilon = 0.0 : f64> (%n, %u, %q : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
      with (%x : tensor<4x?xf32>) maps [#row, #row, #row, #all]
  return %s#0 : tensor<4xf32>
}

// CHECK-LABEL: @normalized
// CHECK: arith.constant 9.99999974E-6 : f32
// CHECK: %reciprocal_of_the_deviation = linalg.generic
// CHECK: math.sqrt
// CHECK: %normalise = linalg.generic {{.*}} ins(%{{.+}}, %{{.+}}, %reciprocal_of_the_deviation :
func.func @normalized(%n: tensor<4xf32>, %u: tensor<4xf32>, %q: tensor<4xf32>, %x: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %y = smx.finish #smx.moments<epsilon = 1.0e-5 : f64> "normalized" (%n, %u, %q : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
      with (%x : tensor<4x32xf32>) maps [#row, #row, #row, #all, #all] : tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}
