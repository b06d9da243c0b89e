// RUN: softmax-opt %s --smx-expand-state --canonicalize --mlir-use-nameloc-as-prefix | FileCheck %s

#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>

// The weights of the tile that an update adds are kept when they are summed: one exponential per element.
// CHECK-LABEL: @weights_of_the_tile
// CHECK: %weights_and_tile_sum:2 = linalg.generic
// CHECK: %[[W:.+]] = math.exp
// CHECK: linalg.yield %[[W]], %{{.+}} : f32, f64
// CHECK-NOT: math.exp
// CHECK: return %{{.+}}, %{{.+}}, %weights_and_tile_sum#0
func.func @weights_of_the_tile(%m: tensor<4xf32>, %l: tensor<4xf32>, %x: tensor<4x32xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4x32xf32>) {
  %s:2 = smx.update #smx.softmax<exp> (%m, %l : tensor<4xf32>, tensor<4xf32>) with (%x : tensor<4x32xf32>) maps [#row, #row, #all]
  %w = smx.finish #smx.softmax<exp> "weights" (%s#0, %s#1 : tensor<4xf32>, tensor<4xf32>)
      with (%x : tensor<4x32xf32>) maps [#row, #row, #all, #all] : tensor<4x32xf32>
  return %s#0, %s#1, %w : tensor<4xf32>, tensor<4xf32>, tensor<4x32xf32>
}

// Of another state, they are computed.
// CHECK-LABEL: @weights_by_a_given_state
// CHECK: %weights = linalg.generic
// CHECK: math.exp
// CHECK: return %weights
func.func @weights_by_a_given_state(%m: tensor<4xf32>, %l: tensor<4xf32>, %x: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %w = smx.finish #smx.softmax<exp> "weights" (%m, %l : tensor<4xf32>, tensor<4xf32>)
      with (%x : tensor<4x32xf32>) maps [#row, #row, #all, #all] : tensor<4x32xf32>
  return %w : tensor<4x32xf32>
}

// w exp(m_tile - m) / l: the exponential is one per row and tile, in f64, and the division with it.
// CHECK-LABEL: @softmax_of_weights
// CHECK: %factor_of_the_tile = linalg.generic
// CHECK: math.exp {{.*}} : f64
// CHECK: arith.divf {{.*}} : f64
// CHECK: %normalise = linalg.generic {{.*}} ins(%{{.+}}, %factor_of_the_tile :
// CHECK-NOT: math.exp
// CHECK: return %normalise
func.func @softmax_of_weights(%m: tensor<4xf32>, %l: tensor<4xf32>, %w: tensor<4x32xf32>, %then: tensor<4xf32>) -> tensor<4x32xf32> {
  %y = smx.finish #smx.softmax<exp> "softmax_of_weights" (%m, %l : tensor<4xf32>, tensor<4xf32>)
      with (%w, %then : tensor<4x32xf32>, tensor<4xf32>) maps [#row, #row, #all, #row, #all] : tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}
