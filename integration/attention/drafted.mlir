// Four drafted tokens of each sequence at once, from a paged cache: a token sees the keys before it, and the last one all of them.
// The four heads that share keys are rows of one tile with their queries.

!q = tensor<?x16x4x128xbf16>
!p = tensor<?x64x4x128xbf16>
!k = tensor<?x4x?x128xbf16>
func.func @drafted(%q: !q, %k_pages: !p, %v_pages: !p, %table: tensor<?x?xi32>, %lengths: tensor<?xi32>) -> !q {
  %k = smx.paged %k_pages by(%table, %lengths : tensor<?x?xi32>, tensor<?xi32>) : !p -> !k
  %v = smx.paged %v_pages by(%table, %lengths : tensor<?x?xi32>, tensor<?xi32>) : !p -> !k
  %o = smx.attention %q, %k, %v scale(0.08838834764831845) mask(#smx.key_lengths<causal>) reads(%lengths : tensor<?xi32>) : !q, !k, !k -> !q
  return %o : !q
}
