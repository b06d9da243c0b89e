// Scores, their NaN and the target's are computed in f32 where logits have 8 bits.
// RUN: softmax-run %s --entry=f --dims=33 --target=cpu --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=f --dims=33 --target=emulator --repeat=0 | FileCheck %s
// CHECK: against raised: pass
// CHECK: against raised: pass
// RUN: softmax-compile %s --entry=negated --target=cuda --chip=sm_90a --emit=ptx | FileCheck %s --check-prefix=PTX
// PTX: .visible .entry negated_kernel

func.func @f(%x: tensor<4x?xf8E4M3FN>, %t: tensor<4xi64>) -> (tensor<4xf32>, tensor<4xf32>) {
  %l = smx.cross_entropy %x, %t axis(1) : tensor<4x?xf8E4M3FN>, tensor<4xi64> -> tensor<4xf32>
  %n = smx.cross_entropy %x, %t axis(1) scale(-1.0) : tensor<4x?xf8E4M3FN>, tensor<4xi64> -> tensor<4xf32>
  return %l, %n : tensor<4xf32>, tensor<4xf32>
}

func.func @negated(%x: tensor<4x16xf8E4M3FN>, %t: tensor<4xi64>) -> tensor<4xf32> {
  %n = smx.cross_entropy %x, %t axis(1) scale(-1.0) : tensor<4x16xf8E4M3FN>, tensor<4xi64> -> tensor<4xf32>
  return %n : tensor<4xf32>
}
