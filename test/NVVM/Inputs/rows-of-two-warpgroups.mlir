func.func @attention(%q: tensor<8x100x128xbf16>, %k: tensor<8x512x128xbf16>, %v: tensor<8x512x128xbf16>) -> tensor<8x100x128xbf16> {
  %y = smx.attention %q, %k, %v scale(0.088) : tensor<8x100x128xbf16>, tensor<8x512x128xbf16>, tensor<8x512x128xbf16> -> tensor<8x100x128xbf16>
  return %y : tensor<8x100x128xbf16>
}
