// Attention of few queries and many keys: 2 tiles of 192 queries.
!q = tensor<1x1x300x64xbf16>
!kv = tensor<1x1x2400x64xbf16>
func.func @attention(%q: !q, %k: !kv, %v: !kv) -> !q {
  %o = smx.attention %q, %k, %v scale(0.125) : !q, !kv, !kv -> !q
  return %o : !q
}
