// EXTENT stands for elements of a row.
func.func @gradient(%y: tensor<3xEXTENTxbf16>, %g: tensor<3xEXTENTxbf16>) -> tensor<3xEXTENTxbf16> {
  %x = smx.softmax_backward %y, %g axis(1) : tensor<3xEXTENTxbf16>, tensor<3xEXTENTxbf16> -> tensor<3xEXTENTxbf16>
  return %x : tensor<3xEXTENTxbf16>
}
func.func @norm(%x: tensor<3xEXTENTxbf16>) -> tensor<3xEXTENTxbf16> {
  %y = smx.layer_norm %x axis(1) epsilon(1.0e-5) : tensor<3xEXTENTxbf16> -> tensor<3xEXTENTxbf16>
  return %y : tensor<3xEXTENTxbf16>
}
func.func @rms(%x: tensor<3xEXTENTxf16>) -> tensor<3xEXTENTxf16> {
  %y = smx.rms_norm %x axis(1) epsilon(1.0e-5) : tensor<3xEXTENTxf16> -> tensor<3xEXTENTxf16>
  return %y : tensor<3xEXTENTxf16>
}
func.func @narrow_softmax(%x: tensor<3xEXTENTxbf16>) -> tensor<3xEXTENTxbf16> {
  %y = smx.softmax %x axis(1) : tensor<3xEXTENTxbf16> -> tensor<3xEXTENTxbf16>
  return %y : tensor<3xEXTENTxbf16>
}
func.func @softmax(%x: tensor<3xEXTENTxf32>) -> tensor<3xEXTENTxf32> {
  %y = smx.softmax %x axis(1) : tensor<3xEXTENTxf32> -> tensor<3xEXTENTxf32>
  return %y : tensor<3xEXTENTxf32>
}
