// Warps of which a row leaves nothing have the least number of its type, which is not an infinity: f8E4M3FN has none.
// RUN: softmax-run %s --entry=log_sum_exp --target=emulator --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=largest --target=emulator --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=loss --target=emulator --repeat=0 | FileCheck %s
// RUN: softmax-compile %s --target=cuda --chip=sm_90a -o %t
// CHECK: against raised: pass
func.func @log_sum_exp(%x: tensor<4x2865xf8E4M3FN>) -> tensor<4xf32> {
  %y = smx.logsumexp %x axis(1) : tensor<4x2865xf8E4M3FN> -> tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func @largest(%x: tensor<4x2865xf8E4M3FN>) -> (tensor<4x5xf32>, tensor<4x5xi32>) {
  %p, %i = smx.topk_softmax %x axis(1) k(5) : tensor<4x2865xf8E4M3FN> -> tensor<4x5xf32>, tensor<4x5xi32>
  return %p, %i : tensor<4x5xf32>, tensor<4x5xi32>
}
func.func @loss(%x: tensor<4x2865xf8E4M3FN>, %t: tensor<4xi32>) -> tensor<4xf32> {
  %l = smx.cross_entropy %x, %t axis(1) : tensor<4x2865xf8E4M3FN>, tensor<4xi32> -> tensor<4xf32>
  return %l : tensor<4xf32>
}
