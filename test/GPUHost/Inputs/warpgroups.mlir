func.func @full(%q: tensor<2x?x64xbf16>, %k: tensor<2x?x64xbf16>, %v: tensor<2x?x64xbf16>) -> tensor<2x?x64xbf16> {
  %o = smx.attention %q, %k, %v scale(1.250000e-01)
    : tensor<2x?x64xbf16>, tensor<2x?x64xbf16>, tensor<2x?x64xbf16> -> tensor<2x?x64xbf16>
  return %o : tensor<2x?x64xbf16>
}
func.func @causal(%q: tensor<2x?x128xf16>, %k: tensor<2x?x128xf16>, %v: tensor<2x?x128xf16>) -> tensor<2x?x128xf16> {
  %o = smx.attention %q, %k, %v scale(1.250000e-01) mask(#smx.band<bottom_right, right = 0>)
    : tensor<2x?x128xf16>, tensor<2x?x128xf16>, tensor<2x?x128xf16> -> tensor<2x?x128xf16>
  return %o : tensor<2x?x128xf16>
}
