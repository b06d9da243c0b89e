// Attention as it is compiled for the asynchronous matrix unit, assembled: nothing serialised, spilled or on a stack.
// REQUIRES: ptxas, softmax-compile
// RUN: softmax-compile %s --target=cuda --emit=gpu --chip=sm_90a --alignment=16 -o %t.gpu && FileCheck %s < %t.gpu
// RUN: softmax-compile %t.gpu --from=gpu --emit=ptx --chip=sm_90a -o %t.ptx
// RUN: %assemble sm_90a %t.ptx

// CHECK-COUNT-7: smx_gpu.role @compute

!bf16_64 = tensor<?x16x?x64xbf16>
!bf16_128 = tensor<?x16x?x128xbf16>
!bf16_256 = tensor<?x16x?x256xbf16>
!f16_128 = tensor<?x16x?x128xf16>
func.func @full_64(%q: !bf16_64, %k: !bf16_64, %v: !bf16_64) -> !bf16_64 {
  %o = smx.attention %q, %k, %v scale(0.125) : !bf16_64, !bf16_64, !bf16_64 -> !bf16_64
  return %o : !bf16_64
}
func.func @causal_64(%q: !bf16_64, %k: !bf16_64, %v: !bf16_64) -> !bf16_64 {
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.band<top_left, right = 0>) : !bf16_64, !bf16_64, !bf16_64 -> !bf16_64
  return %o : !bf16_64
}
func.func @full_128(%q: !bf16_128, %k: !bf16_128, %v: !bf16_128) -> !bf16_128 {
  %o = smx.attention %q, %k, %v scale(0.08838834764831845) : !bf16_128, !bf16_128, !bf16_128 -> !bf16_128
  return %o : !bf16_128
}
func.func @causal_128(%q: !bf16_128, %k: !bf16_128, %v: !bf16_128) -> !bf16_128 {
  %o = smx.attention %q, %k, %v scale(0.08838834764831845) mask(#smx.band<top_left, right = 0>) : !bf16_128, !bf16_128, !bf16_128 -> !bf16_128
  return %o : !bf16_128
}
func.func @full_256(%q: !bf16_256, %k: !bf16_256, %v: !bf16_256) -> !bf16_256 {
  %o = smx.attention %q, %k, %v scale(0.0625) : !bf16_256, !bf16_256, !bf16_256 -> !bf16_256
  return %o : !bf16_256
}
func.func @causal_256(%q: !bf16_256, %k: !bf16_256, %v: !bf16_256) -> !bf16_256 {
  %o = smx.attention %q, %k, %v scale(0.0625) mask(#smx.band<top_left, right = 0>) : !bf16_256, !bf16_256, !bf16_256 -> !bf16_256
  return %o : !bf16_256
}
func.func @halves(%q: !f16_128, %k: !f16_128, %v: !f16_128) -> !f16_128 {
  %o = smx.attention %q, %k, %v scale(0.08838834764831845) mask(#smx.band<bottom_right, right = 0>) : !f16_128, !f16_128, !f16_128 -> !f16_128
  return %o : !f16_128
}
