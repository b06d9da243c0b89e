// RUN: softmax-opt %s --smx-to-llvm | FileCheck %s

// Every specification op takes the whole road, and nothing is left but the llvm dialect.

// CHECK-NOT: {{(smx|linalg|scf|memref|vector|arith|func|math|cf|affine)\.[a-z]}}

// CHECK-LABEL: llvm.func internal @own.row_ops(
func.func @row_ops(%x: tensor<8x?xf32>) -> (tensor<8x?xf32>, tensor<8x?xf32>, tensor<8xf32>, tensor<8x?xf32>, tensor<8x?xf32>) {
  %0 = smx.softmax %x axis(1) : tensor<8x?xf32> -> tensor<8x?xf32>
  %1 = smx.log_softmax %x axis(0) scale(-2.0) : tensor<8x?xf32> -> tensor<8x?xf32>
  %2 = smx.logsumexp %x axis(1) : tensor<8x?xf32> -> tensor<8xf32>
  %3 = smx.layer_norm %x axis(1) epsilon(1.0e-5) : tensor<8x?xf32> -> tensor<8x?xf32>
  %4 = smx.rms_norm %x axis(1) epsilon(1.0e-5) : tensor<8x?xf32> -> tensor<8x?xf32>
  return %0, %1, %2, %3, %4 : tensor<8x?xf32>, tensor<8x?xf32>, tensor<8xf32>, tensor<8x?xf32>, tensor<8x?xf32>
}

// CHECK-LABEL: llvm.func internal @own.softmax_dot(
func.func @softmax_dot(%x: tensor<8x64xf32>, %v: tensor<8x64x3xf32>) -> tensor<8x3xf32> {
  %y = smx.softmax_dot %x, %v : tensor<8x64xf32>, tensor<8x64x3xf32> -> tensor<8x3xf32>
  return %y : tensor<8x3xf32>
}

// CHECK-LABEL: llvm.func internal @own.losses(
func.func @losses(%x: tensor<8x?xf32>, %t: tensor<8xi64>, %g: tensor<8xf32>) -> (tensor<8xf32>, tensor<8x?xf32>, tensor<8x?xf32>, tensor<8x?xf32>) {
  %0, %1 = smx.cross_entropy %x, %t axis(1) smoothing(0.1) ignore(-100) : tensor<8x?xf32>, tensor<8xi64> -> tensor<8xf32>, tensor<8xf32>
  %2 = smx.cross_entropy_backward %x, %t, %1, %g axis(1) : tensor<8x?xf32>, tensor<8xi64>, tensor<8xf32>, tensor<8xf32> -> tensor<8x?xf32>
  %3 = smx.softmax_backward %x, %2 axis(1) : tensor<8x?xf32>, tensor<8x?xf32> -> tensor<8x?xf32>
  %4 = smx.log_softmax_backward %x, %2 axis(0) : tensor<8x?xf32>, tensor<8x?xf32> -> tensor<8x?xf32>
  return %0, %2, %3, %4 : tensor<8xf32>, tensor<8x?xf32>, tensor<8x?xf32>, tensor<8x?xf32>
}

// CHECK-LABEL: llvm.func internal @own.topk(
func.func @topk(%x: tensor<8x?xf32>) -> (tensor<8x3xf32>, tensor<8x3xi32>) {
  %p, %i = smx.topk_softmax %x axis(1) k(3) : tensor<8x?xf32> -> tensor<8x3xf32>, tensor<8x3xi32>
  return %p, %i : tensor<8x3xf32>, tensor<8x3xi32>
}

// CHECK-LABEL: llvm.func internal @own.attention(
func.func @attention(%q: tensor<4x?x64xbf16>, %k: tensor<2x?x64xbf16>, %v: tensor<2x?x32xbf16>) -> (tensor<4x?x32xbf16>, tensor<4x?xf32>) {
  %o, %lse = smx.attention %q, %k, %v scale(0.125) mask(#smx.band<bottom_right, left = 255, right = 0>)
     : tensor<4x?x64xbf16>, tensor<2x?x64xbf16>, tensor<2x?x32xbf16> -> tensor<4x?x32xbf16>, tensor<4x?xf32>
  return %o, %lse : tensor<4x?x32xbf16>, tensor<4x?xf32>
}
