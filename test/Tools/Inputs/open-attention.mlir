func.func @attention(%q: tensor<?x2x?x?xf16>, %k: tensor<?x2x?x?xf16>, %v: tensor<?x2x?x?xf16>) -> tensor<?x2x?x?xf16> {
  %o = smx.attention %q, %k, %v scale(0.125) : tensor<?x2x?x?xf16>, tensor<?x2x?x?xf16>, tensor<?x2x?x?xf16> -> tensor<?x2x?x?xf16>
  return %o : tensor<?x2x?x?xf16>
}
