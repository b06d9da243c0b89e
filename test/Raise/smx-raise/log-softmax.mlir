// RUN: softmax-opt %s --smx-raise | FileCheck %s

// (x - max) - log(sum), as torch-mlir decomposes it.
// CHECK-LABEL: @shifted_minus_log
func.func @shifted_minus_log(%x: tensor<6x9xf32>) -> tensor<6x9xf32> {
  // CHECK-NEXT: %[[Y:.+]] = smx.log_softmax %{{.+}} axis(1) : tensor<6x9xf32> -> tensor<6x9xf32>
  // CHECK-NEXT: return %[[Y]]
  %m0 = arith.constant dense<0xFF800000> : tensor<6xf32>
  %l0 = arith.constant dense<0.0> : tensor<6xf32>
  %full = tensor.empty() : tensor<6x9xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<6x9xf32>) outs(%m0 : tensor<6xf32>) dimensions = [1]
  %mb = linalg.broadcast ins(%m : tensor<6xf32>) outs(%full : tensor<6x9xf32>) dimensions = [1]
  %d = arith.subf %x, %mb : tensor<6x9xf32>
  %p = math.exp %d : tensor<6x9xf32>
  %l = linalg.reduce { arith.addf } ins(%p : tensor<6x9xf32>) outs(%l0 : tensor<6xf32>) dimensions = [1]
  %g = math.log %l : tensor<6xf32>
  %gb = linalg.broadcast ins(%g : tensor<6xf32>) outs(%full : tensor<6x9xf32>) dimensions = [1]
  %y = arith.subf %d, %gb : tensor<6x9xf32>
  return %y : tensor<6x9xf32>
}

// x - (max + log(sum)), along the first axis.
// CHECK-LABEL: @minus_log_sum_exp
func.func @minus_log_sum_exp(%x: tensor<6x9xf32>) -> tensor<6x9xf32> {
  // CHECK-NEXT: smx.log_softmax %{{.+}} axis(0) : tensor<6x9xf32> -> tensor<6x9xf32>
  // CHECK-NEXT: return
  %m0 = arith.constant dense<0xFF800000> : tensor<9xf32>
  %l0 = arith.constant dense<0.0> : tensor<9xf32>
  %full = tensor.empty() : tensor<6x9xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<6x9xf32>) outs(%m0 : tensor<9xf32>) dimensions = [0]
  %mb = linalg.broadcast ins(%m : tensor<9xf32>) outs(%full : tensor<6x9xf32>) dimensions = [0]
  %d = arith.subf %x, %mb : tensor<6x9xf32>
  %p = math.exp %d : tensor<6x9xf32>
  %l = linalg.reduce { arith.addf } ins(%p : tensor<6x9xf32>) outs(%l0 : tensor<9xf32>) dimensions = [0]
  %g = math.log %l : tensor<9xf32>
  %lse = arith.addf %m, %g : tensor<9xf32>
  %lb = linalg.broadcast ins(%lse : tensor<9xf32>) outs(%full : tensor<6x9xf32>) dimensions = [0]
  %y = arith.subf %x, %lb : tensor<6x9xf32>
  return %y : tensor<6x9xf32>
}
