// A tile of so many rows would have thousands of registers for each thread.
// RUN: softmax-opt %s --smx-to-gpu='chip=sm_80 rows=4096' -verify-diagnostics

func.func @attention(%q: tensor<2x?x64xf16>, %k: tensor<2x?x64xf16>, %v: tensor<2x?x64xf16>) -> tensor<2x?x64xf16> {
  // expected-error @+1 {{a tile of 4096 rows is more than 64 for each of 4 warps; tiles of at most 256 rows (tile-rows) would work}}
  %o = smx.attention %q, %k, %v scale(0.125) : tensor<2x?x64xf16>, tensor<2x?x64xf16>, tensor<2x?x64xf16> -> tensor<2x?x64xf16>
  return %o : tensor<2x?x64xf16>
}
