// The product is outside of what kernels do.
func.func @scaled(%x: tensor<8x100xf32>, %s: f32) -> tensor<8x100xf32> {
  %empty = tensor.empty() : tensor<8x100xf32>
  %fill = linalg.fill ins(%s : f32) outs(%empty : tensor<8x100xf32>) -> tensor<8x100xf32>
  %t = linalg.mul ins(%x, %fill : tensor<8x100xf32>, tensor<8x100xf32>) outs(%empty : tensor<8x100xf32>) -> tensor<8x100xf32>
  %y = smx.softmax %t axis(1) : tensor<8x100xf32> -> tensor<8x100xf32>
  return %y : tensor<8x100xf32>
}
