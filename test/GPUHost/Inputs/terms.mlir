!q = tensor<2x448x64xbf16>
!k = tensor<2x328x64xbf16>
!b = tensor<2x448x328xf32>
!b16 = tensor<2x448x328xbf16>
func.func @full(%q: !q, %k: !k, %v: !k, %bias: !b) -> !q {
  %o = smx.attention %q, %k, %v scale(1.250000e-01) score {
  ^bb0(%s: f32, %b: index, %i: index, %j: index):
    %x = tensor.extract %bias[%b, %i, %j] : !b
    %t = arith.addf %s, %x : f32
    smx.yield %t : f32
  } : !q, !k, !k -> !q
  return %o : !q
}
func.func @causal(%q: !q, %k: !k, %v: !k, %bias: !b16) -> !q {
  %o = smx.attention %q, %k, %v scale(1.250000e-01) mask(#smx.band<top_left, right = 0>) score {
  ^bb0(%s: f32, %b: index, %i: index, %j: index):
    %x = tensor.extract %bias[%b, %i, %j] : !b16
    %wide = arith.extf %x : bf16 to f32
    %t = arith.addf %s, %wide : f32
    smx.yield %t : f32
  } : !q, !k, !k -> !q
  return %o : !q
}
