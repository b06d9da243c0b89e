// Probabilities of f32 are as exact as of scores of f32, whose long sums along columns are f64.
// RUN: softmax-run %s --repeat=0 | FileCheck %s
// RUN: softmax-run %s --repeat=0 --random=uniform | FileCheck %s
// CHECK: against raised: pass
// CHECK: against raised: pass
func.func @topk_of_columns(%x: tensor<4096x64xbf16>) -> (tensor<5x64xf32>, tensor<5x64xi32>) {
  %p, %i = smx.topk_softmax %x axis(0) k(5) : tensor<4096x64xbf16> -> tensor<5x64xf32>, tensor<5x64xi32>
  return %p, %i : tensor<5x64xf32>, tensor<5x64xi32>
}
