// Globals of constants have the order and the names that the functions say, in every run: bufferization alone goes
// through functions in the order of their addresses.
// RUN: softmax-opt %s --smx-bufferize | FileCheck %s

// CHECK-DAG: memref.global "private" constant @__constant_2xf32 : memref<2xf32> = dense<[0.000000e+00, 1.000000e+00]>
// CHECK-DAG: memref.global "private" constant @__constant_2xf32_0 : memref<2xf32> = dense<[2.000000e+00, 3.000000e+00]>
// CHECK-DAG: memref.global "private" constant @__constant_2xf32_1 : memref<2xf32> = dense<[4.000000e+00, 5.000000e+00]>
// CHECK-DAG: memref.global "private" constant @__constant_2xf32_2 : memref<2xf32> = dense<[6.000000e+00, 7.000000e+00]>
// CHECK-NOT: memref.global

// CHECK-LABEL: @first
// CHECK: memref.get_global @__constant_2xf32 :
func.func @first(%i: index) -> f32 {
  %c = arith.constant dense<[0.0, 1.0]> : tensor<2xf32>
  %x = tensor.extract %c[%i] : tensor<2xf32>
  return %x : f32
}

// CHECK-LABEL: @second
// CHECK: memref.get_global @__constant_2xf32_0 :
func.func @second(%i: index) -> f32 {
  %c = arith.constant dense<[2.0, 3.0]> : tensor<2xf32>
  %x = tensor.extract %c[%i] : tensor<2xf32>
  return %x : f32
}

// CHECK-LABEL: @third
// CHECK: memref.get_global @__constant_2xf32_1 :
func.func @third(%i: index) -> f32 {
  %c = arith.constant dense<[4.0, 5.0]> : tensor<2xf32>
  %x = tensor.extract %c[%i] : tensor<2xf32>
  return %x : f32
}

// A constant that was there before keeps its name.
// CHECK-LABEL: @fourth
// CHECK-DAG: memref.get_global @__constant_2xf32 :
// CHECK-DAG: memref.get_global @__constant_2xf32_2 :
func.func @fourth(%i: index) -> f32 {
  %c = arith.constant dense<[6.0, 7.0]> : tensor<2xf32>
  %d = arith.constant dense<[0.0, 1.0]> : tensor<2xf32>
  %x = tensor.extract %c[%i] : tensor<2xf32>
  %y = tensor.extract %d[%i] : tensor<2xf32>
  %z = arith.addf %x, %y : f32
  return %z : f32
}
