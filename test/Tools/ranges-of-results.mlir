// A result is as exact as the narrowest type on its way, but infinite where its own type says so.
// RUN: softmax-run %s --entry=sums --repeat=0 --random=alternating | FileCheck %s --check-prefixes=CHECK,BOTH --implicit-check-not=fail
// RUN: softmax-run %s --entry=wide --repeat=0 --random=spike_last | FileCheck %s --implicit-check-not=fail
// RUN: softmax-run %s --entry=narrow --repeat=0 --random=spike_last | FileCheck %s --implicit-check-not=fail
// CHECK: pass
// BOTH: pass

// A log-sum-exp of f16 that f16 would not hold.
func.func @sums(%x: tensor<4x64xf16>, %t: tensor<4xi64>) -> (tensor<4xf16>, tensor<4xf32>) {
  %l, %s = smx.cross_entropy %x, %t axis(1) scale(2.5) : tensor<4x64xf16>, tensor<4xi64> -> tensor<4xf16>, tensor<4xf32>
  return %l, %s : tensor<4xf16>, tensor<4xf32>
}

func.func @wide(%x: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %c = arith.constant dense<1.0e6> : tensor<4x64xf32>
  %t = arith.truncf %x : tensor<4x64xf32> to tensor<4x64xf16>
  %s = smx.softmax %t axis(1) : tensor<4x64xf16> -> tensor<4x64xf16>
  %u = arith.extf %s : tensor<4x64xf16> to tensor<4x64xf32>
  %r = arith.mulf %u, %c : tensor<4x64xf32>
  return %r : tensor<4x64xf32>
}

// bf16 would hold what f16 does not.
func.func @narrow(%x: tensor<4x64xf32>) -> tensor<4x64xf16> {
  %c = arith.constant dense<1.0e6> : tensor<4x64xf32>
  %s = smx.softmax %x axis(1) : tensor<4x64xf32> -> tensor<4x64xbf16>
  %u = arith.extf %s : tensor<4x64xbf16> to tensor<4x64xf32>
  %r = arith.mulf %u, %c : tensor<4x64xf32>
  %t = arith.truncf %r : tensor<4x64xf32> to tensor<4x64xf16>
  return %t : tensor<4x64xf16>
}
