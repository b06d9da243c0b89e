// RUN: softmax-opt %s --smx-raise | FileCheck %s

// CHECK-LABEL: @plain
func.func @plain(%x: tensor<6x9xf32>) -> tensor<9xf32> {
  // CHECK-NEXT: %[[Y:.+]] = smx.logsumexp %{{.+}} axis(0) : tensor<6x9xf32> -> tensor<9xf32>
  // CHECK-NEXT: return %[[Y]]
  %m0 = arith.constant dense<0xFF800000> : tensor<9xf32>
  %l0 = arith.constant dense<0.0> : tensor<9xf32>
  %full = tensor.empty() : tensor<6x9xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<6x9xf32>) outs(%m0 : tensor<9xf32>) dimensions = [0]
  %mb = linalg.broadcast ins(%m : tensor<9xf32>) outs(%full : tensor<6x9xf32>) dimensions = [0]
  %d = arith.subf %x, %mb : tensor<6x9xf32>
  %p = math.exp %d : tensor<6x9xf32>
  %l = linalg.reduce { arith.addf } ins(%p : tensor<6x9xf32>) outs(%l0 : tensor<9xf32>) dimensions = [0]
  %g = math.log %l : tensor<9xf32>
  %lse = arith.addf %g, %m : tensor<9xf32>
  return %lse : tensor<9xf32>
}

// PyTorch replaces an infinite maximum by 0, and keepdim keeps a unit dimension.
// CHECK-LABEL: @guarded_keepdim
func.func @guarded_keepdim(%x: tensor<6x9x4xf32>) -> tensor<6x1x4xf32> {
  // CHECK-NEXT: %[[L:.+]] = smx.logsumexp %{{.+}} axis(1) : tensor<6x9x4xf32> -> tensor<6x4xf32>
  // CHECK-NEXT: %[[Y:.+]] = tensor.expand_shape %[[L]] {{\[\[}}0], [1, 2]]
  // CHECK-NEXT: return %[[Y]]
  %m0 = arith.constant dense<0xFF800000> : tensor<6x4xf32>
  %l0 = arith.constant dense<0.0> : tensor<6x4xf32>
  %inf = arith.constant dense<0x7F800000> : tensor<6x4xf32>
  %zero = arith.constant dense<0.0> : tensor<6x4xf32>
  %full = tensor.empty() : tensor<6x9x4xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<6x9x4xf32>) outs(%m0 : tensor<6x4xf32>) dimensions = [1]
  %abs = math.absf %m : tensor<6x4xf32>
  %isinf = arith.cmpf oeq, %abs, %inf : tensor<6x4xf32>
  %safe = arith.select %isinf, %zero, %m : tensor<6x4xi1>, tensor<6x4xf32>
  %mb = linalg.broadcast ins(%safe : tensor<6x4xf32>) outs(%full : tensor<6x9x4xf32>) dimensions = [1]
  %d = arith.subf %x, %mb : tensor<6x9x4xf32>
  %p = math.exp %d : tensor<6x9x4xf32>
  %l = linalg.reduce { arith.addf } ins(%p : tensor<6x9x4xf32>) outs(%l0 : tensor<6x4xf32>) dimensions = [1]
  %g = math.log %l : tensor<6x4xf32>
  %gk = tensor.expand_shape %g [[0, 1], [2]] output_shape [6, 1, 4] : tensor<6x4xf32> into tensor<6x1x4xf32>
  %mk = tensor.expand_shape %safe [[0, 1], [2]] output_shape [6, 1, 4] : tensor<6x4xf32> into tensor<6x1x4xf32>
  %y = arith.addf %gk, %mk : tensor<6x1x4xf32>
  return %y : tensor<6x1x4xf32>
}
