// A query sees its own key and those before it.

!t = tensor<?x16x?x128xbf16>
func.func @causal(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.08838834764831845) mask(#smx.band<top_left, right = 0>) : !t, !t, !t -> !t
  return %o : !t
}
