func.func @attention(%q: tensor<2x128x64xELEMENT>, %k: tensor<2x128x64xELEMENT>, %v: tensor<2x128x64xELEMENT>) -> tensor<2x128x64xELEMENT> {
  %o = smx.attention %q, %k, %v scale(0.125) : tensor<2x128x64xELEMENT>, tensor<2x128x64xELEMENT>, tensor<2x128x64xELEMENT> -> tensor<2x128x64xELEMENT>
  return %o : tensor<2x128x64xELEMENT>
}
