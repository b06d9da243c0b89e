// RUN: softmax-opt %s --smx-online --mlir-print-local-scope | FileCheck %s

// The average of values: a third component, with the columns that only it has.

// CHECK-LABEL: @values_with_columns
// CHECK-SAME: %[[X:.+]]: tensor<2x5xf32>, %[[V:.+]]: tensor<2x5x7xf32>
// CHECK: %[[I:.+]]:3 = smx.identity #smx.softmax<exp, scale = 5.000000e-01> -> tensor<2xf32>, tensor<2xf32>, tensor<2x7xf32>
// CHECK: %[[S:.+]]:3 = smx.update {{.*}} with(%[[X]], %[[V]] : tensor<2x5xf32>, tensor<2x5x7xf32>)
// CHECK-SAME: maps [affine_map<(d0, d1, d2) -> (d0)>, affine_map<(d0, d1, d2) -> (d0)>, affine_map<(d0, d1, d2) -> (d0, d2)>,
// CHECK-SAME: affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>]
// CHECK: smx.finish {{.*}} "average"(%[[S]]#0, %[[S]]#1, %[[S]]#2 : {{.*}} : tensor<2x7xf32>
func.func @values_with_columns(%x: tensor<2x5xf32>, %v: tensor<2x5x7xf32>) -> tensor<2x7xf32> {
  %y = smx.softmax_dot %x, %v scale(0.5) : tensor<2x5xf32>, tensor<2x5x7xf32> -> tensor<2x7xf32>
  return %y : tensor<2x7xf32>
}

// CHECK-LABEL: @one_value_per_score
// CHECK: smx.identity #smx.softmax<exp> -> tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
func.func @one_value_per_score(%x: tensor<2x5xf32>, %v: tensor<2x5xf32>) -> tensor<2xf32> {
  %y = smx.softmax_dot %x, %v : tensor<2x5xf32>, tensor<2x5xf32> -> tensor<2xf32>
  return %y : tensor<2xf32>
}
