// RUN: softmax-opt %s --smx-to-tiled | FileCheck %s --check-prefixes=CHECK,TILED
// RUN: softmax-opt %s --smx-to-llvm -o /dev/null

// What is no softmax stays as it is, and still takes the road to its end.

// CHECK-LABEL: @row_sums
// TILED: linalg.reduce
// CHECK: return
func.func @row_sums(%x: tensor<64x1000xf32>) -> tensor<64xf32> {
  %zero = arith.constant 0.0 : f32
  %r = tensor.empty() : tensor<64xf32>
  %l0 = linalg.fill ins(%zero : f32) outs(%r : tensor<64xf32>) -> tensor<64xf32>
  %l = linalg.reduce { arith.addf } ins(%x : tensor<64x1000xf32>) outs(%l0 : tensor<64xf32>) dimensions = [1]
  return %l : tensor<64xf32>
}

// Arithmetic on whole tensors takes it as linalg.
// CHECK-LABEL: @scaled_softmax
// TILED: smx.update
// TILED: linalg.generic
// CHECK: return
func.func @scaled_softmax(%x: tensor<4x?xf32>, %w: tensor<4x?xf32>) -> tensor<4x?xf32> {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<4x?xf32>
  %e = tensor.empty(%n) : tensor<4x?xf32>
  %p = linalg.softmax dimension(1) ins(%x : tensor<4x?xf32>) outs(%e : tensor<4x?xf32>) -> tensor<4x?xf32>
  %t = math.tanh %w : tensor<4x?xf32>
  %y = arith.mulf %p, %t : tensor<4x?xf32>
  return %y : tensor<4x?xf32>
}
