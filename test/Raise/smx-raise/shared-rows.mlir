// RUN: softmax-opt %s --smx-raise --split-input-file --verify-diagnostics | FileCheck %s

// What a softmax, its logarithm and a log-sum-exp share is left to nobody when all three are raised.
// CHECK-LABEL: @all_three
// CHECK-SAME: (%[[X:.+]]: tensor<8x30xf32>)
// CHECK-NEXT: smx.softmax %[[X]]
// CHECK-NEXT: smx.logsumexp %[[X]]
// CHECK-NEXT: smx.log_softmax %[[X]]
// CHECK-NEXT: return
func.func @all_three(%x: tensor<8x30xf32>) -> (tensor<8x30xf32>, tensor<8xf32>, tensor<8x30xf32>) {
  %m0 = arith.constant dense<0xFF800000> : tensor<8xf32>
  %l0 = arith.constant dense<0.0> : tensor<8xf32>
  %full = tensor.empty() : tensor<8x30xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<8x30xf32>) outs(%m0 : tensor<8xf32>) dimensions = [1]
  %mb = linalg.broadcast ins(%m : tensor<8xf32>) outs(%full : tensor<8x30xf32>) dimensions = [1]
  %d = arith.subf %x, %mb : tensor<8x30xf32>
  %e = math.exp %d : tensor<8x30xf32>
  %l = linalg.reduce { arith.addf } ins(%e : tensor<8x30xf32>) outs(%l0 : tensor<8xf32>) dimensions = [1]
  %lb = linalg.broadcast ins(%l : tensor<8xf32>) outs(%full : tensor<8x30xf32>) dimensions = [1]
  %y = arith.divf %e, %lb : tensor<8x30xf32>
  %g = math.log %l : tensor<8xf32>
  %lse = arith.addf %m, %g : tensor<8xf32>
  %gb = linalg.broadcast ins(%g : tensor<8xf32>) outs(%full : tensor<8x30xf32>) dimensions = [1]
  %ls = arith.subf %d, %gb : tensor<8x30xf32>
  return %y, %lse, %ls : tensor<8x30xf32>, tensor<8xf32>, tensor<8x30xf32>
}

// -----

// The log-sum-exp that a log-softmax subtracts may be a result as well.
// CHECK-LABEL: @subtracted
// CHECK: smx.logsumexp
// CHECK-NEXT: smx.log_softmax
// CHECK-NEXT: return
func.func @subtracted(%x: tensor<8x30xf32>) -> (tensor<8x30xf32>, tensor<8xf32>) {
  %m0 = arith.constant dense<0xFF800000> : tensor<8xf32>
  %l0 = arith.constant dense<0.0> : tensor<8xf32>
  %full = tensor.empty() : tensor<8x30xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<8x30xf32>) outs(%m0 : tensor<8xf32>) dimensions = [1]
  %mb = linalg.broadcast ins(%m : tensor<8xf32>) outs(%full : tensor<8x30xf32>) dimensions = [1]
  %d = arith.subf %x, %mb : tensor<8x30xf32>
  %e = math.exp %d : tensor<8x30xf32>
  %l = linalg.reduce { arith.addf } ins(%e : tensor<8x30xf32>) outs(%l0 : tensor<8xf32>) dimensions = [1]
  %g = math.log %l : tensor<8xf32>
  %lse = arith.addf %m, %g : tensor<8xf32>
  %lseb = linalg.broadcast ins(%lse : tensor<8xf32>) outs(%full : tensor<8x30xf32>) dimensions = [1]
  %ls = arith.subf %x, %lseb : tensor<8x30xf32>
  return %ls, %lse : tensor<8x30xf32>, tensor<8xf32>
}

// -----

// The entropy of a row: probabilities and their logarithms.
// CHECK-LABEL: @entropy
// CHECK-DAG: smx.softmax
// CHECK-DAG: smx.log_softmax
// CHECK-NOT: math.exp
// CHECK: return
func.func @entropy(%x: tensor<8x30xf32>) -> tensor<8xf32> {
  %m0 = arith.constant dense<0xFF800000> : tensor<8xf32>
  %l0 = arith.constant dense<0.0> : tensor<8xf32>
  %full = tensor.empty() : tensor<8x30xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<8x30xf32>) outs(%m0 : tensor<8xf32>) dimensions = [1]
  %mb = linalg.broadcast ins(%m : tensor<8xf32>) outs(%full : tensor<8x30xf32>) dimensions = [1]
  %d = arith.subf %x, %mb : tensor<8x30xf32>
  %e = math.exp %d : tensor<8x30xf32>
  %l = linalg.reduce { arith.addf } ins(%e : tensor<8x30xf32>) outs(%l0 : tensor<8xf32>) dimensions = [1]
  %lb = linalg.broadcast ins(%l : tensor<8xf32>) outs(%full : tensor<8x30xf32>) dimensions = [1]
  %y = arith.divf %e, %lb : tensor<8x30xf32>
  %g = math.log %l : tensor<8xf32>
  %gb = linalg.broadcast ins(%g : tensor<8xf32>) outs(%full : tensor<8x30xf32>) dimensions = [1]
  %ls = arith.subf %d, %gb : tensor<8x30xf32>
  %t = arith.mulf %y, %ls : tensor<8x30xf32>
  %s = linalg.reduce { arith.addf } ins(%t : tensor<8x30xf32>) outs(%l0 : tensor<8xf32>) dimensions = [1]
  %n = arith.negf %s : tensor<8xf32>
  return %n : tensor<8xf32>
}

// -----

// Exponentials that are returned are computed anyway: neither is raised that shares them.
// CHECK-LABEL: @returned_exponentials
// CHECK-NOT: smx.
func.func @returned_exponentials(%x: tensor<8x30xf32>) -> (tensor<8x30xf32>, tensor<8xf32>, tensor<8x30xf32>) {
  %m0 = arith.constant dense<0xFF800000> : tensor<8xf32>
  %l0 = arith.constant dense<0.0> : tensor<8xf32>
  %full = tensor.empty() : tensor<8x30xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<8x30xf32>) outs(%m0 : tensor<8xf32>) dimensions = [1]
  %mb = linalg.broadcast ins(%m : tensor<8xf32>) outs(%full : tensor<8x30xf32>) dimensions = [1]
  %d = arith.subf %x, %mb : tensor<8x30xf32>
  %e = math.exp %d : tensor<8x30xf32>
  %l = linalg.reduce { arith.addf } ins(%e : tensor<8x30xf32>) outs(%l0 : tensor<8xf32>) dimensions = [1]
  %lb = linalg.broadcast ins(%l : tensor<8xf32>) outs(%full : tensor<8x30xf32>) dimensions = [1]
  // expected-remark @below {{not raised to smx.softmax: an intermediate value has another use}}
  %y = arith.divf %e, %lb : tensor<8x30xf32>
  %g = math.log %l : tensor<8xf32>
  // expected-remark @below {{not raised to smx.logsumexp: an intermediate value has another use}}
  %lse = arith.addf %m, %g : tensor<8xf32>
  return %y, %lse, %e : tensor<8x30xf32>, tensor<8xf32>, tensor<8x30xf32>
}
