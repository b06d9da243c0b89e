// RUN: softmax-opt %s --smx-raise | FileCheck %s

// What JAX puts between a maximum and its use.

// The maximum with -inf is the maximum.
// CHECK-LABEL: @maximum_of_no_elements
func.func @maximum_of_no_elements(%x: tensor<6x9xf32>) -> tensor<6x9xf32> {
  // CHECK-NEXT: smx.softmax %{{.+}} axis(1) : tensor
  %m0 = arith.constant dense<0xFF800000> : tensor<6xf32>
  %l0 = arith.constant dense<0.0> : tensor<6xf32>
  %clamp = arith.constant dense<0xFF800000> : tensor<6xf32>
  %full = tensor.empty() : tensor<6x9xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<6x9xf32>) outs(%m0 : tensor<6xf32>) dimensions = [1]
  %c = arith.maximumf %clamp, %m : tensor<6xf32>
  %mb = linalg.broadcast ins(%c : tensor<6xf32>) outs(%full : tensor<6x9xf32>) dimensions = [1]
  %d = arith.subf %x, %mb : tensor<6x9xf32>
  %p = math.exp %d : tensor<6x9xf32>
  %l = linalg.reduce { arith.addf } ins(%p : tensor<6x9xf32>) outs(%l0 : tensor<6xf32>) dimensions = [1]
  %lb = linalg.broadcast ins(%l : tensor<6xf32>) outs(%full : tensor<6x9xf32>) dimensions = [1]
  %y = arith.divf %p, %lb : tensor<6x9xf32>
  return %y : tensor<6x9xf32>
}

// The maximum with 0 is another number: rows far below it would be lost.
// CHECK-LABEL: @maximum_with_zero
func.func @maximum_with_zero(%x: tensor<6x9xf32>) -> tensor<6x9xf32> {
  // CHECK-NOT: smx.softmax
  %m0 = arith.constant dense<0xFF800000> : tensor<6xf32>
  %l0 = arith.constant dense<0.0> : tensor<6xf32>
  %clamp = arith.constant dense<0.0> : tensor<6xf32>
  %full = tensor.empty() : tensor<6x9xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<6x9xf32>) outs(%m0 : tensor<6xf32>) dimensions = [1]
  %c = arith.maximumf %clamp, %m : tensor<6xf32>
  %mb = linalg.broadcast ins(%c : tensor<6xf32>) outs(%full : tensor<6x9xf32>) dimensions = [1]
  %d = arith.subf %x, %mb : tensor<6x9xf32>
  %p = math.exp %d : tensor<6x9xf32>
  %l = linalg.reduce { arith.addf } ins(%p : tensor<6x9xf32>) outs(%l0 : tensor<6xf32>) dimensions = [1]
  %lb = linalg.broadcast ins(%l : tensor<6xf32>) outs(%full : tensor<6x9xf32>) dimensions = [1]
  %y = arith.divf %p, %lb : tensor<6x9xf32>
  return %y : tensor<6x9xf32>
}

// A maximum where it is finite, else 0.
// CHECK-LABEL: @finite_maximum
func.func @finite_maximum(%x: tensor<6x9xf32>) -> tensor<6xf32> {
  // CHECK: smx.logsumexp
  %m0 = arith.constant dense<0xFF800000> : tensor<6xf32>
  %l0 = arith.constant dense<0.0> : tensor<6xf32>
  %inf = arith.constant dense<0x7F800000> : tensor<6xf32>
  %full = tensor.empty() : tensor<6x9xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<6x9xf32>) outs(%m0 : tensor<6xf32>) dimensions = [1]
  %magnitude = math.absf %m : tensor<6xf32>
  %is = arith.cmpf one, %magnitude, %inf : tensor<6xf32>
  %c = arith.select %is, %m, %l0 : tensor<6xi1>, tensor<6xf32>
  %mb = linalg.broadcast ins(%c : tensor<6xf32>) outs(%full : tensor<6x9xf32>) dimensions = [1]
  %d = arith.subf %x, %mb : tensor<6x9xf32>
  %p = math.exp %d : tensor<6x9xf32>
  %l = linalg.reduce { arith.addf } ins(%p : tensor<6x9xf32>) outs(%l0 : tensor<6xf32>) dimensions = [1]
  %log = math.log %l : tensor<6xf32>
  %y = arith.addf %log, %c : tensor<6xf32>
  return %y : tensor<6xf32>
}

// The other way around: 0 wherever the maximum is finite.
// CHECK-LABEL: @infinite_maximum
func.func @infinite_maximum(%x: tensor<6x9xf32>) -> tensor<6xf32> {
  // CHECK-NOT: smx.logsumexp
  %m0 = arith.constant dense<0xFF800000> : tensor<6xf32>
  %l0 = arith.constant dense<0.0> : tensor<6xf32>
  %inf = arith.constant dense<0x7F800000> : tensor<6xf32>
  %full = tensor.empty() : tensor<6x9xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<6x9xf32>) outs(%m0 : tensor<6xf32>) dimensions = [1]
  %magnitude = math.absf %m : tensor<6xf32>
  %is = arith.cmpf one, %magnitude, %inf : tensor<6xf32>
  %c = arith.select %is, %l0, %m : tensor<6xi1>, tensor<6xf32>
  %mb = linalg.broadcast ins(%c : tensor<6xf32>) outs(%full : tensor<6x9xf32>) dimensions = [1]
  %d = arith.subf %x, %mb : tensor<6x9xf32>
  %p = math.exp %d : tensor<6x9xf32>
  %l = linalg.reduce { arith.addf } ins(%p : tensor<6x9xf32>) outs(%l0 : tensor<6xf32>) dimensions = [1]
  %log = math.log %l : tensor<6xf32>
  %y = arith.addf %log, %c : tensor<6xf32>
  return %y : tensor<6xf32>
}

// A maximum that is not NaN is something else.
// CHECK-LABEL: @maximum_that_is_a_number
func.func @maximum_that_is_a_number(%x: tensor<6x9xf32>) -> tensor<6xf32> {
  // CHECK-NOT: smx.logsumexp
  %m0 = arith.constant dense<0xFF800000> : tensor<6xf32>
  %l0 = arith.constant dense<0.0> : tensor<6xf32>
  %inf = arith.constant dense<0x7F800000> : tensor<6xf32>
  %full = tensor.empty() : tensor<6x9xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<6x9xf32>) outs(%m0 : tensor<6xf32>) dimensions = [1]
  %magnitude = math.absf %m : tensor<6xf32>
  %is = arith.cmpf ord, %magnitude, %inf : tensor<6xf32>
  %c = arith.select %is, %m, %l0 : tensor<6xi1>, tensor<6xf32>
  %mb = linalg.broadcast ins(%c : tensor<6xf32>) outs(%full : tensor<6x9xf32>) dimensions = [1]
  %d = arith.subf %x, %mb : tensor<6x9xf32>
  %p = math.exp %d : tensor<6x9xf32>
  %l = linalg.reduce { arith.addf } ins(%p : tensor<6x9xf32>) outs(%l0 : tensor<6xf32>) dimensions = [1]
  %log = math.log %l : tensor<6xf32>
  %y = arith.addf %log, %c : tensor<6xf32>
  return %y : tensor<6xf32>
}
