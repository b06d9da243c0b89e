!q = tensor<1x8x512x64xbf16>
!k = tensor<1x8x?x64xbf16>
func.func @attention(%q: !q, %k: !k, %v: !k) -> !q {
  %o = smx.attention %q, %k, %v scale(0.125) : !q, !k, !k -> !q
  return %o : !q
}
