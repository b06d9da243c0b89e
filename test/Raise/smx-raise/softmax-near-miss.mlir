// RUN: softmax-opt %s --smx-raise --split-input-file --verify-diagnostics | FileCheck %s
// CHECK-NOT: smx.

// The maximum runs along the other axis.
func.func @maximum_axis(%x: tensor<9x9xf32>) -> tensor<9x9xf32> {
  %m0 = arith.constant dense<0xFF800000> : tensor<9xf32>
  %l0 = arith.constant dense<0.0> : tensor<9xf32>
  %full = tensor.empty() : tensor<9x9xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<9x9xf32>) outs(%m0 : tensor<9xf32>) dimensions = [0]
  %mb = linalg.broadcast ins(%m : tensor<9xf32>) outs(%full : tensor<9x9xf32>) dimensions = [0]
  %d = arith.subf %x, %mb : tensor<9x9xf32>
  %p = math.exp %d : tensor<9x9xf32>
  %l = linalg.reduce { arith.addf } ins(%p : tensor<9x9xf32>) outs(%l0 : tensor<9xf32>) dimensions = [1]
  %lb = linalg.broadcast ins(%l : tensor<9xf32>) outs(%full : tensor<9x9xf32>) dimensions = [1]
  // expected-remark @below {{not raised to smx.softmax: what is subtracted in the exponent is not the maximum of the row}}
  %y = arith.divf %p, %lb : tensor<9x9xf32>
  return %y : tensor<9x9xf32>
}

// -----

// The sum runs along the other axis.
func.func @sum_axis(%x: tensor<9x9xf32>) -> tensor<9x9xf32> {
  %m0 = arith.constant dense<0xFF800000> : tensor<9xf32>
  %l0 = arith.constant dense<0.0> : tensor<9xf32>
  %full = tensor.empty() : tensor<9x9xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<9x9xf32>) outs(%m0 : tensor<9xf32>) dimensions = [1]
  %mb = linalg.broadcast ins(%m : tensor<9xf32>) outs(%full : tensor<9x9xf32>) dimensions = [1]
  %d = arith.subf %x, %mb : tensor<9x9xf32>
  %p = math.exp %d : tensor<9x9xf32>
  %l = linalg.reduce { arith.addf } ins(%p : tensor<9x9xf32>) outs(%l0 : tensor<9xf32>) dimensions = [0]
  %lb = linalg.broadcast ins(%l : tensor<9xf32>) outs(%full : tensor<9x9xf32>) dimensions = [0]
  // expected-remark @below {{not raised to smx.softmax: what is subtracted in the exponent is not the maximum of the row}}
  %y = arith.divf %p, %lb : tensor<9x9xf32>
  return %y : tensor<9x9xf32>
}

// -----

// Row maxima laid along the columns: every shape fits.
func.func @transposed_maximum(%x: tensor<9x9xf32>) -> tensor<9x9xf32> {
  %m0 = arith.constant dense<0xFF800000> : tensor<9xf32>
  %l0 = arith.constant dense<0.0> : tensor<9xf32>
  %full = tensor.empty() : tensor<9x9xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<9x9xf32>) outs(%m0 : tensor<9xf32>) dimensions = [1]
  %mb = linalg.broadcast ins(%m : tensor<9xf32>) outs(%full : tensor<9x9xf32>) dimensions = [0]
  %d = arith.subf %x, %mb : tensor<9x9xf32>
  %p = math.exp %d : tensor<9x9xf32>
  %l = linalg.reduce { arith.addf } ins(%p : tensor<9x9xf32>) outs(%l0 : tensor<9xf32>) dimensions = [1]
  %lb = linalg.broadcast ins(%l : tensor<9xf32>) outs(%full : tensor<9x9xf32>) dimensions = [1]
  // expected-remark @below {{not raised to smx.softmax: what is subtracted in the exponent is not the maximum of the row}}
  %y = arith.divf %p, %lb : tensor<9x9xf32>
  return %y : tensor<9x9xf32>
}

// -----

// Row sums laid along the columns.
func.func @transposed_sum(%x: tensor<9x9xf32>) -> tensor<9x9xf32> {
  %m0 = arith.constant dense<0xFF800000> : tensor<9xf32>
  %l0 = arith.constant dense<0.0> : tensor<9xf32>
  %full = tensor.empty() : tensor<9x9xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<9x9xf32>) outs(%m0 : tensor<9xf32>) dimensions = [1]
  %mb = linalg.broadcast ins(%m : tensor<9xf32>) outs(%full : tensor<9x9xf32>) dimensions = [1]
  %d = arith.subf %x, %mb : tensor<9x9xf32>
  %p = math.exp %d : tensor<9x9xf32>
  %l = linalg.reduce { arith.addf } ins(%p : tensor<9x9xf32>) outs(%l0 : tensor<9xf32>) dimensions = [1]
  %lb = linalg.broadcast ins(%l : tensor<9xf32>) outs(%full : tensor<9x9xf32>) dimensions = [0]
  // expected-remark-re @below {{not raised to smx.softmax: the divisor is not {{.+}}}}
  %y = arith.divf %p, %lb : tensor<9x9xf32>
  return %y : tensor<9x9xf32>
}

// -----

// A minimum.
func.func @minimum(%x: tensor<9x9xf32>) -> tensor<9x9xf32> {
  %m0 = arith.constant dense<0x7F800000> : tensor<9xf32>
  %l0 = arith.constant dense<0.0> : tensor<9xf32>
  %full = tensor.empty() : tensor<9x9xf32>
  %m = linalg.reduce { arith.minimumf } ins(%x : tensor<9x9xf32>) outs(%m0 : tensor<9xf32>) dimensions = [1]
  %mb = linalg.broadcast ins(%m : tensor<9xf32>) outs(%full : tensor<9x9xf32>) dimensions = [1]
  %d = arith.subf %x, %mb : tensor<9x9xf32>
  %p = math.exp %d : tensor<9x9xf32>
  %l = linalg.reduce { arith.addf } ins(%p : tensor<9x9xf32>) outs(%l0 : tensor<9xf32>) dimensions = [1]
  %lb = linalg.broadcast ins(%l : tensor<9xf32>) outs(%full : tensor<9x9xf32>) dimensions = [1]
  // expected-remark @below {{not raised to smx.softmax: what is subtracted in the exponent is not the maximum of the row}}
  %y = arith.divf %p, %lb : tensor<9x9xf32>
  return %y : tensor<9x9xf32>
}

// -----

// A maximum that starts at 0.
func.func @clamped_maximum(%x: tensor<9x9xf32>) -> tensor<9x9xf32> {
  %m0 = arith.constant dense<0.0> : tensor<9xf32>
  %l0 = arith.constant dense<0.0> : tensor<9xf32>
  %full = tensor.empty() : tensor<9x9xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<9x9xf32>) outs(%m0 : tensor<9xf32>) dimensions = [1]
  %mb = linalg.broadcast ins(%m : tensor<9xf32>) outs(%full : tensor<9x9xf32>) dimensions = [1]
  %d = arith.subf %x, %mb : tensor<9x9xf32>
  %p = math.exp %d : tensor<9x9xf32>
  %l = linalg.reduce { arith.addf } ins(%p : tensor<9x9xf32>) outs(%l0 : tensor<9xf32>) dimensions = [1]
  %lb = linalg.broadcast ins(%l : tensor<9xf32>) outs(%full : tensor<9x9xf32>) dimensions = [1]
  // expected-remark @below {{not raised to smx.softmax: what is subtracted in the exponent is not the maximum of the row}}
  %y = arith.divf %p, %lb : tensor<9x9xf32>
  return %y : tensor<9x9xf32>
}

// -----

// The maximum of another tensor.
func.func @other_maximum(%x: tensor<9x9xf32>, %z: tensor<9x9xf32>) -> tensor<9x9xf32> {
  %m0 = arith.constant dense<0xFF800000> : tensor<9xf32>
  %l0 = arith.constant dense<0.0> : tensor<9xf32>
  %full = tensor.empty() : tensor<9x9xf32>
  %m = linalg.reduce { arith.maximumf } ins(%z : tensor<9x9xf32>) outs(%m0 : tensor<9xf32>) dimensions = [1]
  %mb = linalg.broadcast ins(%m : tensor<9xf32>) outs(%full : tensor<9x9xf32>) dimensions = [1]
  %d = arith.subf %x, %mb : tensor<9x9xf32>
  %p = math.exp %d : tensor<9x9xf32>
  %l = linalg.reduce { arith.addf } ins(%p : tensor<9x9xf32>) outs(%l0 : tensor<9xf32>) dimensions = [1]
  %lb = linalg.broadcast ins(%l : tensor<9xf32>) outs(%full : tensor<9x9xf32>) dimensions = [1]
  // expected-remark @below {{not raised to smx.softmax: the maximum in the exponent is not that of the exponentiated row}}
  %y = arith.divf %p, %lb : tensor<9x9xf32>
  return %y : tensor<9x9xf32>
}

// -----

// No maximum at all: overflows where a softmax does not.
func.func @no_maximum(%x: tensor<9x9xf32>) -> tensor<9x9xf32> {
  %m0 = arith.constant dense<0xFF800000> : tensor<9xf32>
  %l0 = arith.constant dense<0.0> : tensor<9xf32>
  %full = tensor.empty() : tensor<9x9xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<9x9xf32>) outs(%m0 : tensor<9xf32>) dimensions = [1]
  %mb = linalg.broadcast ins(%m : tensor<9xf32>) outs(%full : tensor<9x9xf32>) dimensions = [1]
  %d = arith.subf %x, %mb : tensor<9x9xf32>
  %p = math.exp %x : tensor<9x9xf32>
  %l = linalg.reduce { arith.addf } ins(%p : tensor<9x9xf32>) outs(%l0 : tensor<9xf32>) dimensions = [1]
  %lb = linalg.broadcast ins(%l : tensor<9xf32>) outs(%full : tensor<9x9xf32>) dimensions = [1]
  // expected-remark @below {{not raised to smx.softmax: the exponent is not shifted by the maximum of its row}}
  %y = arith.divf %p, %lb : tensor<9x9xf32>
  return %y : tensor<9x9xf32>
}

// -----

// The sum starts at 1.
func.func @sum_starts_at_one(%x: tensor<9x9xf32>) -> tensor<9x9xf32> {
  %m0 = arith.constant dense<0xFF800000> : tensor<9xf32>
  %l0 = arith.constant dense<1.0> : tensor<9xf32>
  %full = tensor.empty() : tensor<9x9xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<9x9xf32>) outs(%m0 : tensor<9xf32>) dimensions = [1]
  %mb = linalg.broadcast ins(%m : tensor<9xf32>) outs(%full : tensor<9x9xf32>) dimensions = [1]
  %d = arith.subf %x, %mb : tensor<9x9xf32>
  %p = math.exp %d : tensor<9x9xf32>
  %l = linalg.reduce { arith.addf } ins(%p : tensor<9x9xf32>) outs(%l0 : tensor<9xf32>) dimensions = [1]
  %lb = linalg.broadcast ins(%l : tensor<9xf32>) outs(%full : tensor<9x9xf32>) dimensions = [1]
  // expected-remark @below {{not raised to smx.softmax: the divisor is not a sum along one axis of the result}}
  %y = arith.divf %p, %lb : tensor<9x9xf32>
  return %y : tensor<9x9xf32>
}

// -----

// The sum of something else.
func.func @sum_of_scores(%x: tensor<9x9xf32>) -> tensor<9x9xf32> {
  %m0 = arith.constant dense<0xFF800000> : tensor<9xf32>
  %l0 = arith.constant dense<0.0> : tensor<9xf32>
  %full = tensor.empty() : tensor<9x9xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<9x9xf32>) outs(%m0 : tensor<9xf32>) dimensions = [1]
  %mb = linalg.broadcast ins(%m : tensor<9xf32>) outs(%full : tensor<9x9xf32>) dimensions = [1]
  %d = arith.subf %x, %mb : tensor<9x9xf32>
  %p = math.exp %d : tensor<9x9xf32>
  %l = linalg.reduce { arith.addf } ins(%x : tensor<9x9xf32>) outs(%l0 : tensor<9xf32>) dimensions = [1]
  %lb = linalg.broadcast ins(%l : tensor<9xf32>) outs(%full : tensor<9x9xf32>) dimensions = [1]
  // expected-remark @below {{not raised to smx.softmax: the divisor is not the sum of the exponentials that are divided}}
  %y = arith.divf %p, %lb : tensor<9x9xf32>
  return %y : tensor<9x9xf32>
}

// -----

// The sum of the squares.
func.func @sum_of_squares(%x: tensor<9x9xf32>) -> tensor<9x9xf32> {
  %m0 = arith.constant dense<0xFF800000> : tensor<9xf32>
  %l0 = arith.constant dense<0.0> : tensor<9xf32>
  %full = tensor.empty() : tensor<9x9xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<9x9xf32>) outs(%m0 : tensor<9xf32>) dimensions = [1]
  %mb = linalg.broadcast ins(%m : tensor<9xf32>) outs(%full : tensor<9x9xf32>) dimensions = [1]
  %d = arith.subf %x, %mb : tensor<9x9xf32>
  %p = math.exp %d : tensor<9x9xf32>
  %q = arith.mulf %p, %p : tensor<9x9xf32>
  %l = linalg.reduce { arith.addf } ins(%q : tensor<9x9xf32>) outs(%l0 : tensor<9xf32>) dimensions = [1]
  %lb = linalg.broadcast ins(%l : tensor<9xf32>) outs(%full : tensor<9x9xf32>) dimensions = [1]
  // expected-remark @below {{not raised to smx.softmax: the divisor is not the sum of the exponentials that are divided}}
  %y = arith.divf %p, %lb : tensor<9x9xf32>
  return %y : tensor<9x9xf32>
}

// -----

// An epsilon in the sum.
func.func @epsilon(%x: tensor<9x9xf32>) -> tensor<9x9xf32> {
  %m0 = arith.constant dense<0xFF800000> : tensor<9xf32>
  %l0 = arith.constant dense<0.0> : tensor<9xf32>
  %full = tensor.empty() : tensor<9x9xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<9x9xf32>) outs(%m0 : tensor<9xf32>) dimensions = [1]
  %mb = linalg.broadcast ins(%m : tensor<9xf32>) outs(%full : tensor<9x9xf32>) dimensions = [1]
  %d = arith.subf %x, %mb : tensor<9x9xf32>
  %p = math.exp %d : tensor<9x9xf32>
  %l = linalg.reduce { arith.addf } ins(%p : tensor<9x9xf32>) outs(%l0 : tensor<9xf32>) dimensions = [1]
  %eps = arith.constant dense<1.0e-6> : tensor<9xf32>
  %le = arith.addf %l, %eps : tensor<9xf32>
  %lb = linalg.broadcast ins(%le : tensor<9xf32>) outs(%full : tensor<9x9xf32>) dimensions = [1]
  // expected-remark @below {{not raised to smx.softmax: the divisor is not a sum along one axis of the result}}
  %y = arith.divf %p, %lb : tensor<9x9xf32>
  return %y : tensor<9x9xf32>
}

// -----

// Something else is divided.
func.func @other_dividend(%x: tensor<9x9xf32>) -> tensor<9x9xf32> {
  %m0 = arith.constant dense<0xFF800000> : tensor<9xf32>
  %l0 = arith.constant dense<0.0> : tensor<9xf32>
  %full = tensor.empty() : tensor<9x9xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<9x9xf32>) outs(%m0 : tensor<9xf32>) dimensions = [1]
  %mb = linalg.broadcast ins(%m : tensor<9xf32>) outs(%full : tensor<9x9xf32>) dimensions = [1]
  %d = arith.subf %x, %mb : tensor<9x9xf32>
  %p = math.exp %d : tensor<9x9xf32>
  %q = arith.mulf %p, %p : tensor<9x9xf32>
  %l = linalg.reduce { arith.addf } ins(%p : tensor<9x9xf32>) outs(%l0 : tensor<9xf32>) dimensions = [1]
  %lb = linalg.broadcast ins(%l : tensor<9xf32>) outs(%full : tensor<9x9xf32>) dimensions = [1]
  // expected-remark @below {{not raised to smx.softmax: the divisor is not the sum of the exponentials that are divided}}
  %y = arith.divf %q, %lb : tensor<9x9xf32>
  return %y : tensor<9x9xf32>
}

// -----

// To the base 2.
func.func @base_two(%x: tensor<9x9xf32>) -> tensor<9x9xf32> {
  %m0 = arith.constant dense<0xFF800000> : tensor<9xf32>
  %l0 = arith.constant dense<0.0> : tensor<9xf32>
  %full = tensor.empty() : tensor<9x9xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<9x9xf32>) outs(%m0 : tensor<9xf32>) dimensions = [1]
  %mb = linalg.broadcast ins(%m : tensor<9xf32>) outs(%full : tensor<9x9xf32>) dimensions = [1]
  %d = arith.subf %x, %mb : tensor<9x9xf32>
  %p = math.exp2 %d : tensor<9x9xf32>
  %l = linalg.reduce { arith.addf } ins(%p : tensor<9x9xf32>) outs(%l0 : tensor<9xf32>) dimensions = [1]
  %lb = linalg.broadcast ins(%l : tensor<9xf32>) outs(%full : tensor<9x9xf32>) dimensions = [1]
  // expected-remark @below {{not raised to smx.softmax: the exponential is to the base 2, without a factor log2(e)}}
  %y = arith.divf %p, %lb : tensor<9x9xf32>
  return %y : tensor<9x9xf32>
}

// -----

// The exponent is negated: the largest score weighs least.
func.func @negated(%x: tensor<9x9xf32>) -> tensor<9x9xf32> {
  %m0 = arith.constant dense<0xFF800000> : tensor<9xf32>
  %l0 = arith.constant dense<0.0> : tensor<9xf32>
  %full = tensor.empty() : tensor<9x9xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<9x9xf32>) outs(%m0 : tensor<9xf32>) dimensions = [1]
  %mb = linalg.broadcast ins(%m : tensor<9xf32>) outs(%full : tensor<9x9xf32>) dimensions = [1]
  %d = arith.subf %x, %mb : tensor<9x9xf32>
  %n = arith.negf %d : tensor<9x9xf32>
  %p = math.exp %n : tensor<9x9xf32>
  %l = linalg.reduce { arith.addf } ins(%p : tensor<9x9xf32>) outs(%l0 : tensor<9xf32>) dimensions = [1]
  %lb = linalg.broadcast ins(%l : tensor<9xf32>) outs(%full : tensor<9x9xf32>) dimensions = [1]
  // expected-remark @below {{not raised to smx.softmax: the exponent has a negative factor, which the maximum does not}}
  %y = arith.divf %p, %lb : tensor<9x9xf32>
  return %y : tensor<9x9xf32>
}

// -----

// The exponentials are returned as well.
func.func @exponentials_escape(%x: tensor<9x9xf32>) -> (tensor<9x9xf32>, tensor<9x9xf32>) {
  %m0 = arith.constant dense<0xFF800000> : tensor<9xf32>
  %l0 = arith.constant dense<0.0> : tensor<9xf32>
  %full = tensor.empty() : tensor<9x9xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<9x9xf32>) outs(%m0 : tensor<9xf32>) dimensions = [1]
  %mb = linalg.broadcast ins(%m : tensor<9xf32>) outs(%full : tensor<9x9xf32>) dimensions = [1]
  %d = arith.subf %x, %mb : tensor<9x9xf32>
  %p = math.exp %d : tensor<9x9xf32>
  %l = linalg.reduce { arith.addf } ins(%p : tensor<9x9xf32>) outs(%l0 : tensor<9xf32>) dimensions = [1]
  %lb = linalg.broadcast ins(%l : tensor<9xf32>) outs(%full : tensor<9x9xf32>) dimensions = [1]
  // expected-remark @below {{not raised to smx.softmax: an intermediate value has another use}}
  %y = arith.divf %p, %lb : tensor<9x9xf32>
  return %y, %p : tensor<9x9xf32>, tensor<9x9xf32>
}

// -----

// The sums are returned as well.
func.func @sums_escape(%x: tensor<9x9xf32>) -> (tensor<9x9xf32>, tensor<9xf32>) {
  %m0 = arith.constant dense<0xFF800000> : tensor<9xf32>
  %l0 = arith.constant dense<0.0> : tensor<9xf32>
  %full = tensor.empty() : tensor<9x9xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<9x9xf32>) outs(%m0 : tensor<9xf32>) dimensions = [1]
  %mb = linalg.broadcast ins(%m : tensor<9xf32>) outs(%full : tensor<9x9xf32>) dimensions = [1]
  %d = arith.subf %x, %mb : tensor<9x9xf32>
  %p = math.exp %d : tensor<9x9xf32>
  %l = linalg.reduce { arith.addf } ins(%p : tensor<9x9xf32>) outs(%l0 : tensor<9xf32>) dimensions = [1]
  %lb = linalg.broadcast ins(%l : tensor<9xf32>) outs(%full : tensor<9x9xf32>) dimensions = [1]
  // expected-remark @below {{not raised to smx.softmax: an intermediate value has another use}}
  %y = arith.divf %p, %lb : tensor<9x9xf32>
  return %y, %l : tensor<9x9xf32>, tensor<9xf32>
}

// -----

// The body of the maximum does more.
func.func @maximum_of_scaled(%x: tensor<9x9xf32>) -> tensor<9x9xf32> {
  %m0 = arith.constant dense<0xFF800000> : tensor<9xf32>
  %l0 = arith.constant dense<0.0> : tensor<9xf32>
  %full = tensor.empty() : tensor<9x9xf32>
  %two = arith.constant dense<2.0> : tensor<9x9xf32>
  %t = arith.mulf %x, %two : tensor<9x9xf32>
  %m = linalg.reduce { arith.maximumf } ins(%t : tensor<9x9xf32>) outs(%m0 : tensor<9xf32>) dimensions = [1]
  %mb = linalg.broadcast ins(%m : tensor<9xf32>) outs(%full : tensor<9x9xf32>) dimensions = [1]
  %d = arith.subf %x, %mb : tensor<9x9xf32>
  %p = math.exp %d : tensor<9x9xf32>
  %l = linalg.reduce { arith.addf } ins(%p : tensor<9x9xf32>) outs(%l0 : tensor<9xf32>) dimensions = [1]
  %lb = linalg.broadcast ins(%l : tensor<9xf32>) outs(%full : tensor<9x9xf32>) dimensions = [1]
  // expected-remark @below {{not raised to smx.softmax: the maximum in the exponent is not that of the exponentiated row}}
  %y = arith.divf %p, %lb : tensor<9x9xf32>
  return %y : tensor<9x9xf32>
}
