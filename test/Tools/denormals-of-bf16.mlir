// Numbers below the normal range stay what they are where a CPU has conversions that do not know them.
// RUN: softmax-run %s --random=denormals --repeat=0 | FileCheck %s
// CHECK: against raised: pass
func.func @rounded(%x: tensor<4x64xf32>) -> tensor<4x64xbf16> {
  %y = arith.truncf %x : tensor<4x64xf32> to tensor<4x64xbf16>
  return %y : tensor<4x64xbf16>
}
