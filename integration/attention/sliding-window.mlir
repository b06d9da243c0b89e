// Causal, and a query sees no more than 1024 keys before its own.

!t = tensor<?x16x?x128xbf16>
func.func @sliding_window(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.08838834764831845) mask(#smx.band<top_left, left = 1024, right = 0>) : !t, !t, !t -> !t
  return %o : !t
}
