// Five of 64 columns: results have rows of 20 and of 40 bytes.
func.func @largest(%x: tensor<?x64xf32>) -> (tensor<?x5xf32>, tensor<?x5xi64>) {
  %p, %i = smx.topk_softmax %x axis(1) k(5) : tensor<?x64xf32> -> tensor<?x5xf32>, tensor<?x5xi64>
  return %p, %i : tensor<?x5xf32>, tensor<?x5xi64>
}
