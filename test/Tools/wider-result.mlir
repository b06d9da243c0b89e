// A result in f64 of what is computed in f32 is as exact as f32, as the naive form is.
// RUN: softmax-run %s --check=naive --repeat=0 | FileCheck %s
// RUN: softmax-run %s --check=naive --target=emulator --repeat=0 | FileCheck %s
// CHECK: against naive: pass

func.func @loss(%q: tensor<2x8x4xbf16>, %k: tensor<1x16x4xbf16>) -> tensor<8xf64> {
  %o, %lse = smx.attention %q, %k, %k scale(0.3) : tensor<2x8x4xbf16>, tensor<1x16x4xbf16>, tensor<1x16x4xbf16>
    -> tensor<2x8x4xbf16>, tensor<2x8xf32>
  %l = smx.logsumexp %lse axis(0) : tensor<2x8xf32> -> tensor<8xf64>
  return %l : tensor<8xf64>
}
