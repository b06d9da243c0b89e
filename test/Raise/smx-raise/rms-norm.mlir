// RUN: softmax-opt %s --smx-raise --split-input-file --verify-diagnostics | FileCheck %s

// The weights that follow stay elementwise.
// CHECK-LABEL: @weights_follow
func.func @weights_follow(%x: tensor<6x8xf32>, %w: tensor<6x8xf32>) -> tensor<6x8xf32> {
  // CHECK-NEXT: %[[N:.+]] = smx.rms_norm %{{.+}} axis(1) epsilon({{9.99.*|1.0.*}}) : tensor<6x8xf32> -> tensor<6x8xf32>
  // CHECK-NEXT: arith.mulf %[[N]]
  %z = arith.constant dense<0.0> : tensor<6xf32>
  %n = arith.constant dense<8.0> : tensor<6xf32>
  %eps = arith.constant dense<1.0e-5> : tensor<6xf32>
  %full = tensor.empty() : tensor<6x8xf32>
  %q = arith.mulf %x, %x : tensor<6x8xf32>
  %s = linalg.reduce { arith.addf } ins(%q : tensor<6x8xf32>) outs(%z : tensor<6xf32>) dimensions = [1]
  %mean = arith.divf %s, %n : tensor<6xf32>
  %me = arith.addf %eps, %mean : tensor<6xf32>
  %r = math.rsqrt %me : tensor<6xf32>
  %rb = linalg.broadcast ins(%r : tensor<6xf32>) outs(%full : tensor<6x8xf32>) dimensions = [1]
  %y = arith.mulf %rb, %x : tensor<6x8xf32>
  %yw = arith.mulf %y, %w : tensor<6x8xf32>
  return %yw : tensor<6x8xf32>
}

// -----

// In f32 from bf16 and back; a power; divided by the root; along the first axis; the mean as a product with 1/n.
// CHECK-LABEL: @first_axis_of_bf16
func.func @first_axis_of_bf16(%x: tensor<8x6xbf16>) -> tensor<8x6xbf16> {
  // CHECK-NEXT: smx.rms_norm %{{.+}} axis(0) epsilon(0.0{{.*}}) : tensor<8x6xbf16> -> tensor<8x6xbf16>
  // CHECK-NEXT: return
  %two = arith.constant dense<2.0> : tensor<8x6xf32>
  %z = arith.constant dense<0.0> : tensor<6xf32>
  %n = arith.constant dense<0.125> : tensor<6xf32>
  %full = tensor.empty() : tensor<8x6xf32>
  %w = arith.extf %x : tensor<8x6xbf16> to tensor<8x6xf32>
  %q = math.powf %w, %two : tensor<8x6xf32>
  %s = linalg.reduce { arith.addf } ins(%q : tensor<8x6xf32>) outs(%z : tensor<6xf32>) dimensions = [0]
  %mean = arith.mulf %s, %n : tensor<6xf32>
  %r = math.sqrt %mean : tensor<6xf32>
  %rb = linalg.broadcast ins(%r : tensor<6xf32>) outs(%full : tensor<8x6xf32>) dimensions = [0]
  %y = arith.divf %w, %rb : tensor<8x6xf32>
  %t = arith.truncf %y : tensor<8x6xf32> to tensor<8x6xbf16>
  return %t : tensor<8x6xbf16>
}

// -----

// The sum in the place of the mean: the row has length 1 afterwards, and not mean square 1.
// CHECK-LABEL: @no_mean
func.func @no_mean(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  // CHECK-NOT: smx.
  %z = arith.constant dense<0.0> : tensor<6xf32>
  %full = tensor.empty() : tensor<6x8xf32>
  %q = arith.mulf %x, %x : tensor<6x8xf32>
  %s = linalg.reduce { arith.addf } ins(%q : tensor<6x8xf32>) outs(%z : tensor<6xf32>) dimensions = [1]
  %r = math.rsqrt %s : tensor<6xf32>
  %rb = linalg.broadcast ins(%r : tensor<6xf32>) outs(%full : tensor<6x8xf32>) dimensions = [1]
  %y = arith.mulf %x, %rb : tensor<6x8xf32>
  return %y : tensor<6x8xf32>
}

// -----

// CHECK-LABEL: @of_another_row
func.func @of_another_row(%x: tensor<6x8xf32>, %v: tensor<6x8xf32>) -> tensor<6x8xf32> {
  // CHECK-NOT: smx.
  %z = arith.constant dense<0.0> : tensor<6xf32>
  %n = arith.constant dense<8.0> : tensor<6xf32>
  %full = tensor.empty() : tensor<6x8xf32>
  %q = arith.mulf %v, %v : tensor<6x8xf32>
  %s = linalg.reduce { arith.addf } ins(%q : tensor<6x8xf32>) outs(%z : tensor<6xf32>) dimensions = [1]
  %mean = arith.divf %s, %n : tensor<6xf32>
  %r = math.rsqrt %mean : tensor<6xf32>
  %rb = linalg.broadcast ins(%r : tensor<6xf32>) outs(%full : tensor<6x8xf32>) dimensions = [1]
  // expected-remark @below {{not raised to smx.rms_norm: the mean square is not that of the row that is divided}}
  %y = arith.mulf %x, %rb : tensor<6x8xf32>
  return %y : tensor<6x8xf32>
}

// -----

// The third power; the product of a row with another one.
// CHECK-LABEL: @not_squares
func.func @not_squares(%x: tensor<6x8xf32>, %v: tensor<6x8xf32>) -> (tensor<6x8xf32>, tensor<6x8xf32>) {
  // CHECK-NOT: smx.
  %three = arith.constant dense<3> : tensor<6x8xi32>
  %z = arith.constant dense<0.0> : tensor<6xf32>
  %n = arith.constant dense<8.0> : tensor<6xf32>
  %full = tensor.empty() : tensor<6x8xf32>
  %q = math.fpowi %x, %three : tensor<6x8xf32>, tensor<6x8xi32>
  %s = linalg.reduce { arith.addf } ins(%q : tensor<6x8xf32>) outs(%z : tensor<6xf32>) dimensions = [1]
  %mean = arith.divf %s, %n : tensor<6xf32>
  %r = math.rsqrt %mean : tensor<6xf32>
  %rb = linalg.broadcast ins(%r : tensor<6xf32>) outs(%full : tensor<6x8xf32>) dimensions = [1]
  %y = arith.mulf %x, %rb : tensor<6x8xf32>
  %p = arith.mulf %x, %v : tensor<6x8xf32>
  %s2 = linalg.reduce { arith.addf } ins(%p : tensor<6x8xf32>) outs(%z : tensor<6xf32>) dimensions = [1]
  %mean2 = arith.divf %s2, %n : tensor<6xf32>
  %r2 = math.rsqrt %mean2 : tensor<6xf32>
  %rb2 = linalg.broadcast ins(%r2 : tensor<6xf32>) outs(%full : tensor<6x8xf32>) dimensions = [1]
  %y2 = arith.mulf %x, %rb2 : tensor<6x8xf32>
  return %y, %y2 : tensor<6x8xf32>, tensor<6x8xf32>
}

// -----

// Epsilon behind the root.
// CHECK-LABEL: @epsilon_outside
func.func @epsilon_outside(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  // CHECK-NOT: smx.
  %z = arith.constant dense<0.0> : tensor<6xf32>
  %n = arith.constant dense<8.0> : tensor<6xf32>
  %eps = arith.constant dense<1.0e-5> : tensor<6xf32>
  %full = tensor.empty() : tensor<6x8xf32>
  %q = arith.mulf %x, %x : tensor<6x8xf32>
  %s = linalg.reduce { arith.addf } ins(%q : tensor<6x8xf32>) outs(%z : tensor<6xf32>) dimensions = [1]
  %mean = arith.divf %s, %n : tensor<6xf32>
  %r = math.sqrt %mean : tensor<6xf32>
  %re = arith.addf %r, %eps : tensor<6xf32>
  %rb = linalg.broadcast ins(%re : tensor<6xf32>) outs(%full : tensor<6x8xf32>) dimensions = [1]
  %y = arith.divf %x, %rb : tensor<6x8xf32>
  return %y : tensor<6x8xf32>
}

// -----

// The mean square is used for itself.
// CHECK-LABEL: @escapes
func.func @escapes(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8xf32>) {
  // CHECK-NOT: smx.
  %z = arith.constant dense<0.0> : tensor<8xf32>
  %n = arith.constant dense<8.0> : tensor<8xf32>
  %full = tensor.empty() : tensor<8x8xf32>
  %q = arith.mulf %x, %x : tensor<8x8xf32>
  %s = linalg.reduce { arith.addf } ins(%q : tensor<8x8xf32>) outs(%z : tensor<8xf32>) dimensions = [1]
  %mean = arith.divf %s, %n : tensor<8xf32>
  %r = math.rsqrt %mean : tensor<8xf32>
  %rb = linalg.broadcast ins(%r : tensor<8xf32>) outs(%full : tensor<8x8xf32>) dimensions = [1]
  // expected-remark @below {{not raised to smx.rms_norm: an intermediate value has another use}}
  %y = arith.mulf %x, %rb : tensor<8x8xf32>
  return %y, %mean : tensor<8x8xf32>, tensor<8xf32>
}

// -----

// CHECK-LABEL: @of_the_other_axis
func.func @of_the_other_axis(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK-NOT: smx.
  %z = arith.constant dense<0.0> : tensor<8xf32>
  %n = arith.constant dense<8.0> : tensor<8xf32>
  %full = tensor.empty() : tensor<8x8xf32>
  %q = arith.mulf %x, %x : tensor<8x8xf32>
  %s = linalg.reduce { arith.addf } ins(%q : tensor<8x8xf32>) outs(%z : tensor<8xf32>) dimensions = [0]
  %mean = arith.divf %s, %n : tensor<8xf32>
  %r = math.rsqrt %mean : tensor<8xf32>
  %rb = linalg.broadcast ins(%r : tensor<8xf32>) outs(%full : tensor<8x8xf32>) dimensions = [1]
  // expected-remark @below {{not raised to smx.rms_norm: the mean square is not that of the row that is divided}}
  %y = arith.mulf %x, %rb : tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}

// -----

// CHECK-LABEL: @one_over_the_root
func.func @one_over_the_root(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  // CHECK-NEXT: smx.rms_norm
  // CHECK-NEXT: return
  %z = arith.constant dense<0.0> : tensor<6xf32>
  %one = arith.constant dense<1.0> : tensor<6xf32>
  %n = arith.constant dense<8.0> : tensor<6xf32>
  %full = tensor.empty() : tensor<6x8xf32>
  %q = arith.mulf %x, %x : tensor<6x8xf32>
  %s = linalg.reduce { arith.addf } ins(%q : tensor<6x8xf32>) outs(%z : tensor<6xf32>) dimensions = [1]
  %mean = arith.divf %s, %n : tensor<6xf32>
  %root = math.sqrt %mean : tensor<6xf32>
  %r = arith.divf %one, %root : tensor<6xf32>
  %rb = linalg.broadcast ins(%r : tensor<6xf32>) outs(%full : tensor<6x8xf32>) dimensions = [1]
  %y = arith.mulf %x, %rb : tensor<6x8xf32>
  return %y : tensor<6x8xf32>
}

// -----

// Two over the root is another norm.
// CHECK-LABEL: @two_over_the_root
func.func @two_over_the_root(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  // CHECK-NOT: smx.rms_norm
  // CHECK: return
  %z = arith.constant dense<0.0> : tensor<6xf32>
  %two = arith.constant dense<2.0> : tensor<6xf32>
  %n = arith.constant dense<8.0> : tensor<6xf32>
  %full = tensor.empty() : tensor<6x8xf32>
  %q = arith.mulf %x, %x : tensor<6x8xf32>
  %s = linalg.reduce { arith.addf } ins(%q : tensor<6x8xf32>) outs(%z : tensor<6xf32>) dimensions = [1]
  %mean = arith.divf %s, %n : tensor<6xf32>
  %root = math.sqrt %mean : tensor<6xf32>
  %r = arith.divf %two, %root : tensor<6xf32>
  %rb = linalg.broadcast ins(%r : tensor<6xf32>) outs(%full : tensor<6x8xf32>) dimensions = [1]
  %y = arith.mulf %x, %rb : tensor<6x8xf32>
  return %y : tensor<6x8xf32>
}
