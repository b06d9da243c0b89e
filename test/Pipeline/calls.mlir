// RUN: softmax-opt %s --smx-to-naive | FileCheck %s

// JAX puts parts of a formula into private functions: they are inlined, or a softmax would not be seen whole.

// CHECK-LABEL: func.func @main(
// CHECK-NEXT: smx.softmax %{{.+}} axis(1)
// CHECK-NEXT: return
// CHECK-NOT: func.func
func.func @main(%x: tensor<6x9xf32>) -> tensor<6x9xf32> {
  %full = tensor.empty() : tensor<6x9xf32>
  %m = call @maximum(%x) : (tensor<6x9xf32>) -> tensor<6xf32>
  %l0 = arith.constant dense<0.0> : tensor<6xf32>
  %mb = linalg.broadcast ins(%m : tensor<6xf32>) outs(%full : tensor<6x9xf32>) dimensions = [1]
  %d = arith.subf %x, %mb : tensor<6x9xf32>
  %p = math.exp %d : tensor<6x9xf32>
  %l = linalg.reduce { arith.addf } ins(%p : tensor<6x9xf32>) outs(%l0 : tensor<6xf32>) dimensions = [1]
  %lb = linalg.broadcast ins(%l : tensor<6xf32>) outs(%full : tensor<6x9xf32>) dimensions = [1]
  %y = arith.divf %p, %lb : tensor<6x9xf32>
  return %y : tensor<6x9xf32>
}

func.func private @maximum(%x: tensor<6x9xf32>) -> tensor<6xf32> {
  %m0 = arith.constant dense<0xFF800000> : tensor<6xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<6x9xf32>) outs(%m0 : tensor<6xf32>) dimensions = [1]
  return %m : tensor<6xf32>
}

// So are those that hold an op of ours.
// CHECK-LABEL: func.func @of_an_op(
// CHECK-NEXT: smx.softmax %{{.+}} axis(1)
// CHECK-NEXT: return
// CHECK-NOT: func.func
func.func @of_an_op(%x: tensor<6x9xf32>) -> tensor<6x9xf32> {
  %y = call @softmax(%x) : (tensor<6x9xf32>) -> tensor<6x9xf32>
  return %y : tensor<6x9xf32>
}

func.func private @softmax(%x: tensor<6x9xf32>) -> tensor<6x9xf32> {
  %y = smx.softmax %x axis(1) : tensor<6x9xf32> -> tensor<6x9xf32>
  return %y : tensor<6x9xf32>
}
