// Prefix LM: causal, but everyone sees the first 1024 keys.

!t = tensor<?x16x?x128xbf16>
func.func @prefix(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.08838834764831845) mask(#smx.prefix<top_left, length = 1024>) : !t, !t, !t -> !t
  return %o : !t
}
