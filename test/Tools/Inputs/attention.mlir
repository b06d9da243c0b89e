func.func @attention(%q: tensor<2x37x16xf32>, %k: tensor<2x41x16xf32>, %v: tensor<2x41x24xf32>) -> tensor<2x37x24xf32> {
  %o = smx.attention %q, %k, %v scale(2.500000e-01) mask(#smx.band<bottom_right, right = 0>)
    : tensor<2x37x16xf32>, tensor<2x41x16xf32>, tensor<2x41x24xf32> -> tensor<2x37x24xf32>
  return %o : tensor<2x37x24xf32>
}
