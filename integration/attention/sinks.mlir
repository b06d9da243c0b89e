// Attention sinks: a learned score of each head, beside those of the keys, that has no value. Causal, grouped heads.

!q = tensor<?x16x?x128xbf16>
!k = tensor<?x4x?x128xbf16>
func.func @sinks(%q: !q, %k: !k, %v: !k, %sinks: tensor<16xf32>) -> !q {
  %o = smx.attention %q, %k, %v scale(0.08838834764831845) mask(#smx.band<top_left, right = 0>) sinks(%sinks : tensor<16xf32>)
     : !q, !k, !k -> !q
  return %o : !q
}
