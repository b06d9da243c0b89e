// RUN: softmax-opt %s --smx-bufferize | FileCheck %s

// Any strides, but a unit stride in the fastest dimension, for arguments and for what an inner function returns.

// CHECK-LABEL: func.func @arguments(
// CHECK-SAME: memref<f32, strided<[], offset: ?>>,
// CHECK-SAME: memref<8xf32, strided<[1], offset: ?>>,
// CHECK-SAME: memref<2x?x16xbf16, strided<[?, ?, 1], offset: ?>>) {
func.func @arguments(%a: tensor<f32>, %b: tensor<8xf32>, %c: tensor<2x?x16xbf16>) {
  return
}

// CHECK-LABEL: func.func private @declared(memref<8xf32, strided<[1], offset: ?>>) -> memref<8xf32, strided<[1], offset: ?>>
func.func private @declared(tensor<8xf32>) -> tensor<8xf32>
