// Blocks of 128 queries and 128 keys that data mark for each batch, the same for all heads; causal within.

!t = tensor<?x16x?x128xbf16>
!b = tensor<?x1x?x?xi8>
func.func @block_sparse(%q: !t, %k: !t, %v: !t, %blocks: !b) -> !t {
  %o = smx.attention %q, %k, %v scale(0.08838834764831845)
       mask(#smx.all_of<[#smx.band<top_left, right = 0>, #smx.blocks<rows = 128, keys = 128>]>) reads(%blocks : !b) : !t, !t, !t -> !t
  return %o : !t
}
