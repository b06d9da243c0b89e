func.func @softmax(%x: tensor<9x655360xf32>) -> tensor<9x655360xf32> {
  %y = smx.softmax %x axis(1) : tensor<9x655360xf32> -> tensor<9x655360xf32>
  return %y : tensor<9x655360xf32>
}
