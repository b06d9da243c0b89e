// Loss, log-sum-exp and gradient of a training step.
func.func @cross_entropy(%x: tensor<?x?xbf16>, %t: tensor<?xi64>, %g: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?x?xbf16>) {
  %loss, %lse = smx.cross_entropy %x, %t axis(1) smoothing(0.1) ignore(3) : tensor<?x?xbf16>, tensor<?xi64> -> tensor<?xf32>, tensor<?xf32>
  %dx = smx.cross_entropy_backward %x, %t, %lse, %g axis(1) smoothing(0.1) ignore(3) : tensor<?x?xbf16>, tensor<?xi64>, tensor<?xf32>, tensor<?xf32> -> tensor<?x?xbf16>
  return %loss, %lse, %dx : tensor<?xf32>, tensor<?xf32>, tensor<?x?xbf16>
}
