func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
     %c0 = arith.constant 0 : index
     %n = tensor.dim %x, %c0 : tensor<?xf32>
     %e = tensor.empty(%n, %n) : tensor<?x?xf32>
     %m = linalg.broadcast ins(%x : tensor<?xf32>) outs(%e : tensor<?x?xf32>) dimensions = [0]
     %s = smx.softmax %m axis(0) : tensor<?x?xf32> -> tensor<?x?xf32>
     %t = smx.softmax %s axis(1) : tensor<?x?xf32> -> tensor<?x?xf32>
     %l = smx.logsumexp %t axis(1) : tensor<?x?xf32> -> tensor<?xf32>
     return %l : tensor<?xf32> }
