// Documents packed into one sequence: a query sees the keys of its document, from the first one up to itself.

!t = tensor<?x16x?x128xbf16>
!i = tensor<?x?xi32>
func.func @document(%q: !t, %k: !t, %v: !t, %begin: !i, %end: !i) -> !t {
  %o = smx.attention %q, %k, %v scale(0.08838834764831845)
       mask(#smx.all_of<[#smx.band<top_left, right = 0>, #smx.key_ranges]>) reads(%begin, %end : !i, !i) : !t, !t, !t -> !t
  return %o : !t
}
