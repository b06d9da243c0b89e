// RUN: softmax-opt %s --smx-destination-arguments | FileCheck %s

// Inputs, then destinations in the order of the results, and nothing returned.

// CHECK-LABEL: func.func @two_results(
// CHECK-SAME: %[[X:.+]]: tensor<8x?xf32>, %[[Y:.+]]: tensor<f16>,
// CHECK-SAME: %[[D0:.+]]: memref<f16, strided<[], offset: ?>>, %[[D1:.+]]: memref<8x?xf32, strided<[?, 1], offset: ?>>) {
// CHECK: bufferization.materialize_in_destination %[[Y]] in restrict writable %[[D0]]
// CHECK: bufferization.materialize_in_destination %[[X]] in restrict writable %[[D1]]
// CHECK: return{{$}}
func.func @two_results(%x: tensor<8x?xf32>, %y: tensor<f16>) -> (tensor<f16>, tensor<8x?xf32>) {
  return %y, %x : tensor<f16>, tensor<8x?xf32>
}

// CHECK-LABEL: func.func @no_result(%{{[^:]+}}: tensor<8xf32>) {
func.func @no_result(%x: tensor<8xf32>) {
  return
}
