// Rows of f32, and causal attention of bf16 with two query heads per key head.
func.func @softmax(%x: tensor<?x1000xf32>) -> tensor<?x1000xf32> {
  %y = smx.softmax %x axis(1) : tensor<?x1000xf32> -> tensor<?x1000xf32>
  return %y : tensor<?x1000xf32>
}

func.func @attention(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x2x?x64xbf16>, %v: tensor<?x2x?x64xbf16>)
    -> tensor<?x4x?x64xbf16> {
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.band<top_left, right = 0>)
      : tensor<?x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16> -> tensor<?x4x?x64xbf16>
  return %o : tensor<?x4x?x64xbf16>
}
