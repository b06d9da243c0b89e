func.func @causal(%q: tensor<2x512x64xbf16>, %k: tensor<2x512x64xbf16>, %v: tensor<2x512x64xbf16>) -> tensor<2x512x64xbf16> {
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.band<top_left, right = 0>) : tensor<2x512x64xbf16>, tensor<2x512x64xbf16>, tensor<2x512x64xbf16> -> tensor<2x512x64xbf16>
  return %o : tensor<2x512x64xbf16>
}
