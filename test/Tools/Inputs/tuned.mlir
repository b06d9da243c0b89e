!t = tensor<1x96x32xbf16>
func.func @attention(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.18) mask(#smx.band<top_left, right = 0>) : !t, !t, !t -> !t
  return %o : !t
}
