// RUN: softmax-opt %s --smx-bufferize --canonicalize | FileCheck %s

// Scratch is freed where its block ends, and what the block yields is not.

// CHECK-LABEL: @freed
// CHECK: %[[S:.+]] = memref.alloc() {{.*}} : memref<8xf32>
// CHECK: memref.load %[[S]]
// CHECK-NEXT: memref.dealloc %[[S]]
// CHECK-NEXT: return
func.func @freed(%x: tensor<8xf32>, %i: index) -> f32 {
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %s = tensor.extract %y[%i] : tensor<8xf32>
  return %s : f32
}

// CHECK-LABEL: @returned
// CHECK: %[[S:.+]] = memref.alloc()
// CHECK-NOT: memref.dealloc
// CHECK: return
func.func @returned(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// In a loop: once per round.
// CHECK-LABEL: @freed_in_a_loop
// CHECK: scf.for
// CHECK: %[[S:.+]] = memref.alloc()
// CHECK: memref.dealloc %[[S]]
// CHECK-NEXT: scf.yield
func.func @freed_in_a_loop(%x: tensor<8xf32>, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %z) -> f32 {
    %e = tensor.empty() : tensor<8xf32>
    %y = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %s = tensor.extract %y[%i] : tensor<8xf32>
    %t = arith.addf %sum, %s : f32
    scf.yield %t : f32
  }
  return %r : f32
}
