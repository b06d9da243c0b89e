func.func @softmax(%x: tensor<?x67xf32>) -> tensor<?x67xf32> {
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %x, %c0 : tensor<?x67xf32>
  %empty = tensor.empty(%rows) : tensor<?x67xf32>
  %y = linalg.softmax dimension(1) ins(%x : tensor<?x67xf32>) outs(%empty : tensor<?x67xf32>) -> tensor<?x67xf32>
  return %y : tensor<?x67xf32>
}
