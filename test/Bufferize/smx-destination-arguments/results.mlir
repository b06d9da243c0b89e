// RUN: softmax-opt %s --smx-destination-arguments | FileCheck %s

// Inputs, then destinations in the order of the results, and nothing returned.

// CHECK-LABEL: func.func @two_results(
// CHECK-SAME: %[[X:[^:]+]]: tensor<8x?xf32> {bufferization.writable = false}, %[[Y:[^:]+]]: tensor<f16> {bufferization.writable = false},
// CHECK-SAME: %[[D0:.+]]: memref<f16, strided<[], offset: ?>>, %[[D1:.+]]: memref<8x?xf32, strided<[?, 1], offset: ?>>) {
// CHECK: bufferization.materialize_in_destination %[[Y]] in restrict writable %[[D0]]
// CHECK: bufferization.materialize_in_destination %[[X]] in restrict writable %[[D1]]
// CHECK: return{{$}}
func.func @two_results(%x: tensor<8x?xf32>, %y: tensor<f16>) -> (tensor<f16>, tensor<8x?xf32>) {
  return %y, %x : tensor<f16>, tensor<8x?xf32>
}

// CHECK-LABEL: func.func @no_result(%{{[^:]+}}: tensor<8xf32> {bufferization.writable = false}) {
func.func @no_result(%x: tensor<8xf32>) {
  return
}

// An input that only says what the result looks like is no memory to write to.
// CHECK-LABEL: func.func @shape(
// CHECK-SAME: %[[X:[^:]+]]: tensor<8x?xf32>
// CHECK: %[[N:.+]] = tensor.dim %[[X]], %c1
// CHECK: %[[E:.+]] = tensor.empty(%[[N]]) : tensor<8x?xf32>
// CHECK: linalg.exp ins(%[[X]] : tensor<8x?xf32>) outs(%[[E]] :
func.func @shape(%x: tensor<8x?xf32>) -> tensor<8x?xf32> {
  %y = linalg.exp ins(%x : tensor<8x?xf32>) outs(%x : tensor<8x?xf32>) -> tensor<8x?xf32>
  return %y : tensor<8x?xf32>
}

// Elements off the diagonal are those of the input.
// CHECK-LABEL: func.func @diagonal(
// CHECK-SAME: %[[V:[^:]+]]: tensor<8xf32> {{.*}}, %[[X:[^:]+]]: tensor<8x8xf32>
// CHECK: linalg.generic {{.*}} ins(%[[V]] : {{.*}}) outs(%[[X]] :
func.func @diagonal(%v: tensor<8xf32>, %x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i, i)>], iterator_types = ["parallel"]}
      ins(%v : tensor<8xf32>) outs(%x : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}
