// RUN: softmax-opt %s --smx-raise --split-input-file --verify-diagnostics | FileCheck %s
// CHECK-NOT: smx.

// The maximum of another tensor is added again.
func.func @other_maximum(%x: tensor<6x9xf32>, %other: tensor<9xf32>) -> tensor<9xf32> {
  %m0 = arith.constant dense<0xFF800000> : tensor<9xf32>
  %l0 = arith.constant dense<0.0> : tensor<9xf32>
  %full = tensor.empty() : tensor<6x9xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<6x9xf32>) outs(%m0 : tensor<9xf32>) dimensions = [0]
  %mb = linalg.broadcast ins(%m : tensor<9xf32>) outs(%full : tensor<6x9xf32>) dimensions = [0]
  %d = arith.subf %x, %mb : tensor<6x9xf32>
  %p = math.exp %d : tensor<6x9xf32>
  %l = linalg.reduce { arith.addf } ins(%p : tensor<6x9xf32>) outs(%l0 : tensor<9xf32>) dimensions = [0]
  %g = math.log %l : tensor<9xf32>
  // expected-remark @below {{not raised to smx.logsumexp: what is added to the logarithm is not the maximum of the row}}
  %lse = arith.addf %g, %other : tensor<9xf32>
  return %lse : tensor<9xf32>
}

// -----

// No maximum: the sum overflows where a log-sum-exp does not.
func.func @no_maximum(%x: tensor<6x9xf32>, %bias: tensor<6xf32>) -> tensor<6xf32> {
  %l0 = arith.constant dense<0.0> : tensor<6xf32>
  %p = math.exp %x : tensor<6x9xf32>
  %l = linalg.reduce { arith.addf } ins(%p : tensor<6x9xf32>) outs(%l0 : tensor<6xf32>) dimensions = [1]
  %g = math.log %l : tensor<6xf32>
  // expected-remark @below {{not raised to smx.logsumexp: the exponent is not shifted by the maximum of its row}}
  %y = arith.addf %g, %bias : tensor<6xf32>
  return %y : tensor<6xf32>
}

// -----

// The row that is shifted is not the row that is exponentiated.
func.func @other_row(%x: tensor<6x9xf32>, %z: tensor<6x9xf32>) -> tensor<6x9xf32> {
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
  %dz = arith.subf %z, %mb : tensor<6x9xf32>
  // expected-remark @below {{not raised to smx.log_softmax: the shifted row is not the one that is exponentiated}}
  %y = arith.subf %dz, %gb : tensor<6x9xf32>
  return %y : tensor<6x9xf32>
}
