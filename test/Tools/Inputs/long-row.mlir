func.func @softmax(%x: tensor<1x1048576xf32>) -> tensor<1x1048576xf32> {
  %y = smx.softmax %x axis(1) : tensor<1x1048576xf32> -> tensor<1x1048576xf32>
  return %y : tensor<1x1048576xf32>
}
