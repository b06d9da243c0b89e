func.func @main(%x: tensor<?x100xf32>) -> tensor<?x100xf32> {
  %y = smx.softmax %x axis(1) : tensor<?x100xf32> -> tensor<?x100xf32>
  return %y : tensor<?x100xf32>
}
