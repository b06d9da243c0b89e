// RUN: softmax-opt %s --smx-raise | FileCheck %s

// What JAX puts between maxima, sums and their uses.

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

// Exponentials of -inf are left out of the sum: it is the same.
// CHECK-LABEL: @sum_where
func.func @sum_where(%x: tensor<6x9xf32>, %keep: tensor<6x9xi1>, %other: tensor<6x9xi1>) -> tensor<6x9xf32> {
  // CHECK: smx.softmax %{{.+}} axis(1) : tensor
  %m0 = arith.constant dense<0xFF800000> : tensor<6xf32>
  %l0 = arith.constant dense<0.0> : tensor<6xf32>
  %hidden = arith.constant dense<0xFF800000> : tensor<6x9xf32>
  %zero = arith.constant dense<0.0> : tensor<6x9xf32>
  %full = tensor.empty() : tensor<6x9xf32>
  %s = arith.select %keep, %x, %hidden : tensor<6x9xi1>, tensor<6x9xf32>
  %m = linalg.reduce { arith.maximumf } ins(%s : tensor<6x9xf32>) outs(%m0 : tensor<6xf32>) dimensions = [1]
  %mb = linalg.broadcast ins(%m : tensor<6xf32>) outs(%full : tensor<6x9xf32>) dimensions = [1]
  %d = arith.subf %s, %mb : tensor<6x9xf32>
  %p = math.exp %d : tensor<6x9xf32>
  %kept = arith.select %keep, %p, %zero : tensor<6x9xi1>, tensor<6x9xf32>
  %l = linalg.reduce { arith.addf } ins(%kept : tensor<6x9xf32>) outs(%l0 : tensor<6xf32>) dimensions = [1]
  %lb = linalg.broadcast ins(%l : tensor<6xf32>) outs(%full : tensor<6x9xf32>) dimensions = [1]
  %y = arith.divf %p, %lb : tensor<6x9xf32>
  return %y : tensor<6x9xf32>
}

// The sum leaves out others than those of -inf.
// CHECK-LABEL: @sum_where_else
func.func @sum_where_else(%x: tensor<6x9xf32>, %keep: tensor<6x9xi1>, %other: tensor<6x9xi1>) -> tensor<6x9xf32> {
  // CHECK-NOT: smx.softmax
  %m0 = arith.constant dense<0xFF800000> : tensor<6xf32>
  %l0 = arith.constant dense<0.0> : tensor<6xf32>
  %hidden = arith.constant dense<0xFF800000> : tensor<6x9xf32>
  %zero = arith.constant dense<0.0> : tensor<6x9xf32>
  %full = tensor.empty() : tensor<6x9xf32>
  %s = arith.select %keep, %x, %hidden : tensor<6x9xi1>, tensor<6x9xf32>
  %m = linalg.reduce { arith.maximumf } ins(%s : tensor<6x9xf32>) outs(%m0 : tensor<6xf32>) dimensions = [1]
  %mb = linalg.broadcast ins(%m : tensor<6xf32>) outs(%full : tensor<6x9xf32>) dimensions = [1]
  %d = arith.subf %s, %mb : tensor<6x9xf32>
  %p = math.exp %d : tensor<6x9xf32>
  %kept = arith.select %other, %p, %zero : tensor<6x9xi1>, tensor<6x9xf32>
  %l = linalg.reduce { arith.addf } ins(%kept : tensor<6x9xf32>) outs(%l0 : tensor<6xf32>) dimensions = [1]
  %lb = linalg.broadcast ins(%l : tensor<6xf32>) outs(%full : tensor<6x9xf32>) dimensions = [1]
  %y = arith.divf %p, %lb : tensor<6x9xf32>
  return %y : tensor<6x9xf32>
}

// What is left out may be a whole row of finite scores, which is 0 / 0 without and 1 / 9 with them.
// CHECK-LABEL: @sum_where_finite
func.func @sum_where_finite(%x: tensor<6x9xf32>, %keep: tensor<6x9xi1>, %other: tensor<6x9xi1>) -> tensor<6x9xf32> {
  // CHECK-NOT: smx.softmax
  %m0 = arith.constant dense<0xFF800000> : tensor<6xf32>
  %l0 = arith.constant dense<0.0> : tensor<6xf32>
  %hidden = arith.constant dense<-3.40282347E+38> : tensor<6x9xf32>
  %zero = arith.constant dense<0.0> : tensor<6x9xf32>
  %full = tensor.empty() : tensor<6x9xf32>
  %s = arith.select %keep, %x, %hidden : tensor<6x9xi1>, tensor<6x9xf32>
  %m = linalg.reduce { arith.maximumf } ins(%s : tensor<6x9xf32>) outs(%m0 : tensor<6xf32>) dimensions = [1]
  %mb = linalg.broadcast ins(%m : tensor<6xf32>) outs(%full : tensor<6x9xf32>) dimensions = [1]
  %d = arith.subf %s, %mb : tensor<6x9xf32>
  %p = math.exp %d : tensor<6x9xf32>
  %kept = arith.select %keep, %p, %zero : tensor<6x9xi1>, tensor<6x9xf32>
  %l = linalg.reduce { arith.addf } ins(%kept : tensor<6x9xf32>) outs(%l0 : tensor<6xf32>) dimensions = [1]
  %lb = linalg.broadcast ins(%l : tensor<6xf32>) outs(%full : tensor<6x9xf32>) dimensions = [1]
  %y = arith.divf %p, %lb : tensor<6x9xf32>
  return %y : tensor<6x9xf32>
}

// The logarithm of the magnitude of the sum.
// CHECK-LABEL: @magnitude_of_sum
func.func @magnitude_of_sum(%x: tensor<6x9xf32>) -> tensor<6xf32> {
  // CHECK: smx.logsumexp
  %m0 = arith.constant dense<0xFF800000> : tensor<6xf32>
  %l0 = arith.constant dense<0.0> : tensor<6xf32>
  %full = tensor.empty() : tensor<6x9xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<6x9xf32>) outs(%m0 : tensor<6xf32>) dimensions = [1]
  %mb = linalg.broadcast ins(%m : tensor<6xf32>) outs(%full : tensor<6x9xf32>) dimensions = [1]
  %d = arith.subf %x, %mb : tensor<6x9xf32>
  %p = math.exp %d : tensor<6x9xf32>
  %l = linalg.reduce { arith.addf } ins(%p : tensor<6x9xf32>) outs(%l0 : tensor<6xf32>) dimensions = [1]
  %magnitude = math.absf %l : tensor<6xf32>
  %log = math.log %magnitude : tensor<6xf32>
  %y = arith.addf %log, %m : tensor<6xf32>
  return %y : tensor<6xf32>
}
