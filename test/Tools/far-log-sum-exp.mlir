// A log-sum-exp in f64, far from 0, is subtracted from logits before the difference is rounded.
// RUN: softmax-run %s --target=cpu --repeat=0 | FileCheck %s
// RUN: softmax-run %s --target=emulator --repeat=0 | FileCheck %s
// CHECK: against raised: pass

func.func @f(%x0: tensor<9x16xf32>, %t: tensor<9xi32>, %g: tensor<9xf32>) -> tensor<9x16xf32> {
  %c = arith.constant dense<32768.0> : tensor<9x16xf32>
  %x = arith.mulf %x0, %c : tensor<9x16xf32>
  %lse = smx.logsumexp %x axis(1) scale(0.001) : tensor<9x16xf32> -> tensor<9xf64>
  %d = smx.cross_entropy_backward %x, %t, %lse, %g axis(1) scale(0.001) : tensor<9x16xf32>, tensor<9xi32>, tensor<9xf64>, tensor<9xf32> -> tensor<9x16xf32>
  return %d : tensor<9x16xf32>
}
