// RUN: softmax-opt %s --smx-online --mlir-print-local-scope | FileCheck %s

// The domain is (rows..., stream); the map of the tensor says where its axis lies.

// CHECK-LABEL: @first_axis
// CHECK: smx.identity #smx.softmax<exp> -> tensor<3x5xf32>, tensor<3x5xf32>
// CHECK: smx.update {{.*}} maps [{{.*}}, {{.*}}, affine_map<(d0, d1, d2) -> (d2, d0, d1)>]
// CHECK: smx.finish {{.*}} affine_map<(d0, d1, d2) -> (d2, d0, d1)>] : tensor<2x3x5xf32>
func.func @first_axis(%x: tensor<2x3x5xf32>) -> tensor<2x3x5xf32> {
  %y = smx.softmax %x axis(0) : tensor<2x3x5xf32> -> tensor<2x3x5xf32>
  return %y : tensor<2x3x5xf32>
}

// CHECK-LABEL: @middle_axis
// CHECK: smx.identity #smx.softmax<exp> -> tensor<2x5xf32>, tensor<2x5xf32>
// CHECK: smx.update {{.*}} maps [{{.*}}, {{.*}}, affine_map<(d0, d1, d2) -> (d0, d2, d1)>]
// CHECK: smx.finish {{.*}} affine_map<(d0, d1, d2) -> (d0, d2, d1)>] : tensor<2x3x5xf32>
func.func @middle_axis(%x: tensor<2x3x5xf32>) -> tensor<2x3x5xf32> {
  %y = smx.softmax %x axis(1) : tensor<2x3x5xf32> -> tensor<2x3x5xf32>
  return %y : tensor<2x3x5xf32>
}

// CHECK-LABEL: @last_axis
// CHECK-SAME: %[[X:.+]]: tensor<2x3x5xf32>
// CHECK: %[[I:.+]]:2 = smx.identity #smx.softmax<exp> -> tensor<2x3xf32>, tensor<2x3xf32>
// CHECK: %[[S:.+]]:2 = smx.update #smx.softmax<exp>(%[[I]]#0, %[[I]]#1 : tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-SAME: with(%[[X]] : tensor<2x3x5xf32>)
// CHECK-SAME: maps [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>]
// CHECK: %[[Y:.+]] = smx.finish #smx.softmax<exp> "softmax"(%[[S]]#0, %[[S]]#1 : {{.*}}) with(%[[X]] : {{.*}})
// CHECK: return %[[Y]]
func.func @last_axis(%x: tensor<2x3x5xf32>) -> tensor<2x3x5xf32> {
  %y = smx.softmax %x axis(2) : tensor<2x3x5xf32> -> tensor<2x3x5xf32>
  return %y : tensor<2x3x5xf32>
}

// One row: the state is scalars.
// CHECK-LABEL: @vector
// CHECK: smx.identity #smx.softmax<exp> -> tensor<f32>, tensor<f32>
// CHECK: smx.update {{.*}} maps [affine_map<(d0) -> ()>, affine_map<(d0) -> ()>, affine_map<(d0) -> (d0)>]
func.func @vector(%x: tensor<5xf32>) -> tensor<5xf32> {
  %y = smx.softmax %x axis(0) : tensor<5xf32> -> tensor<5xf32>
  return %y : tensor<5xf32>
}
