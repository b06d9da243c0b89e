// RUN: softmax-opt %s --smx-raise | FileCheck %s

// The three passes in named ops, along the first axis.
// CHECK-LABEL: @softmax
// CHECK-SAME: %[[X:.+]]: tensor<6x9xf32>
func.func @softmax(%x: tensor<6x9xf32>) -> tensor<6x9xf32> {
  // CHECK-NEXT: %[[Y:.+]] = smx.softmax %[[X]] axis(0) : tensor<6x9xf32> -> tensor<6x9xf32>
  // CHECK-NEXT: return %[[Y]]
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %row = tensor.empty() : tensor<9xf32>
  %full = tensor.empty() : tensor<6x9xf32>
  %m0 = linalg.fill ins(%lowest : f32) outs(%row : tensor<9xf32>) -> tensor<9xf32>
  %m = linalg.reduce { arith.maxnumf } ins(%x : tensor<6x9xf32>) outs(%m0 : tensor<9xf32>) dimensions = [0]
  %mb = linalg.broadcast ins(%m : tensor<9xf32>) outs(%full : tensor<6x9xf32>) dimensions = [0]
  %d = linalg.sub ins(%x, %mb : tensor<6x9xf32>, tensor<6x9xf32>) outs(%full : tensor<6x9xf32>) -> tensor<6x9xf32>
  %p = linalg.exp ins(%d : tensor<6x9xf32>) outs(%full : tensor<6x9xf32>) -> tensor<6x9xf32>
  %l0 = linalg.fill ins(%zero : f32) outs(%row : tensor<9xf32>) -> tensor<9xf32>
  %l = linalg.reduce { arith.addf } ins(%p : tensor<6x9xf32>) outs(%l0 : tensor<9xf32>) dimensions = [0]
  %lb = linalg.broadcast ins(%l : tensor<9xf32>) outs(%full : tensor<6x9xf32>) dimensions = [0]
  %y = linalg.div ins(%p, %lb : tensor<6x9xf32>, tensor<6x9xf32>) outs(%full : tensor<6x9xf32>) -> tensor<6x9xf32>
  return %y : tensor<6x9xf32>
}

// Elementwise ops on whole tensors, and linalg.map.
// CHECK-LABEL: @tensor_arith
func.func @tensor_arith(%x: tensor<6x9xf32>) -> tensor<6x9xf32> {
  // CHECK-NEXT: smx.softmax %{{.+}} axis(1)
  // CHECK-NEXT: return
  %m0 = arith.constant dense<0xFF800000> : tensor<6xf32>
  %l0 = arith.constant dense<0.0> : tensor<6xf32>
  %full = tensor.empty() : tensor<6x9xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<6x9xf32>) outs(%m0 : tensor<6xf32>) dimensions = [1]
  %mb = linalg.broadcast ins(%m : tensor<6xf32>) outs(%full : tensor<6x9xf32>) dimensions = [1]
  %d = arith.subf %x, %mb : tensor<6x9xf32>
  %p = math.exp %d : tensor<6x9xf32>
  %l = linalg.reduce { arith.addf } ins(%p : tensor<6x9xf32>) outs(%l0 : tensor<6xf32>) dimensions = [1]
  %lb = linalg.broadcast ins(%l : tensor<6xf32>) outs(%full : tensor<6x9xf32>) dimensions = [1]
  %y = linalg.map { arith.divf } ins(%p, %lb : tensor<6x9xf32>, tensor<6x9xf32>) outs(%full : tensor<6x9xf32>)
  return %y : tensor<6x9xf32>
}
