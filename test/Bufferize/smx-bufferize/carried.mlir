// A loop carries the memory that it was given: what a round leaves elsewhere is copied there, and the round's own memory is freed.
// RUN: softmax-opt %s --smx-bufferize | FileCheck %s

// CHECK-LABEL: func @crossed
// CHECK: %[[A:.*]] = memref.alloc
// CHECK: %[[B:.*]] = memref.alloc
// CHECK: scf.for
// CHECK: %[[OWN:.*]] = memref.alloc
// CHECK: memref.copy %[[OWN]]
// CHECK: memref.dealloc %[[OWN]]
// CHECK: scf.yield
func.func @crossed(%x: tensor<8x4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %z, %b = %z) -> (tensor<4xf32>, tensor<4xf32>) {
    %row = tensor.extract_slice %x[%i, 0] [1, 4] [1, 1] : tensor<8x4xf32> to tensor<4xf32>
    %greater = linalg.max ins(%a, %row : tensor<4xf32>, tensor<4xf32>) outs(%b : tensor<4xf32>) -> tensor<4xf32>
    %less = linalg.min ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %greater, %less : tensor<4xf32>, tensor<4xf32>
  }
  %s = linalg.sub ins(%r#0, %r#1 : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %s : tensor<4xf32>
}
