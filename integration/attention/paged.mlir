// Decoding from a paged cache: keys and values of a sequence lie in pages of 64 that a table names, 4 query heads share a head of them.

!q = tensor<?x16x1x128xbf16>
!p = tensor<?x64x4x128xbf16>
!k = tensor<?x4x?x128xbf16>
func.func @paged(%q: !q, %k_pages: !p, %v_pages: !p, %table: tensor<?x?xi32>, %lengths: tensor<?xi32>) -> !q {
  %k = smx.paged %k_pages by(%table, %lengths : tensor<?x?xi32>, tensor<?xi32>) : !p -> !k
  %v = smx.paged %v_pages by(%table, %lengths : tensor<?x?xi32>, tensor<?xi32>) : !p -> !k
  %o = smx.attention %q, %k, %v scale(0.08838834764831845) mask(#smx.key_lengths) reads(%lengths : tensor<?xi32>) : !q, !k, !k -> !q
  return %o : !q
}
