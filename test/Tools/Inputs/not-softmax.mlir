// The maximum runs along another axis than the sum: no softmax.
func.func @maximum_axis(%x: tensor<9x9xf32>) -> tensor<9x9xf32> {
  %m0 = arith.constant dense<0xFF800000> : tensor<9xf32>
  %l0 = arith.constant dense<0.0> : tensor<9xf32>
  %full = tensor.empty() : tensor<9x9xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<9x9xf32>) outs(%m0 : tensor<9xf32>) dimensions = [0]
  %mb = linalg.broadcast ins(%m : tensor<9xf32>) outs(%full : tensor<9x9xf32>) dimensions = [0]
  %d = arith.subf %x, %mb : tensor<9x9xf32>
  %p = math.exp %d : tensor<9x9xf32>
  %l = linalg.reduce { arith.addf } ins(%p : tensor<9x9xf32>) outs(%l0 : tensor<9xf32>) dimensions = [1]
  %lb = linalg.broadcast ins(%l : tensor<9xf32>) outs(%full : tensor<9x9xf32>) dimensions = [1]
  %y = arith.divf %p, %lb : tensor<9x9xf32>
  return %y : tensor<9x9xf32>
}
