// RUN: softmax-opt %s --smx-raise --split-input-file --verify-diagnostics | FileCheck %s

// The weights that follow stay elementwise.
// CHECK-LABEL: @weights_follow
func.func @weights_follow(%x: tensor<6x8xf32>, %w: tensor<6x8xf32>) -> tensor<6x8xf32> {
  // CHECK-NEXT: %[[N:.+]] = smx.layer_norm %{{.+}} axis(1) epsilon({{9.99.*|1.0.*}}) : tensor<6x8xf32> -> tensor<6x8xf32>
  // CHECK-NEXT: arith.mulf %[[N]]
  %z = arith.constant dense<0.0> : tensor<6xf32>
  %n = arith.constant dense<8.0> : tensor<6xf32>
  %eps = arith.constant dense<1.0e-5> : tensor<6xf32>
  %full = tensor.empty() : tensor<6x8xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<6x8xf32>) outs(%z : tensor<6xf32>) dimensions = [1]
  %mean = arith.divf %s, %n : tensor<6xf32>
  %mb = linalg.broadcast ins(%mean : tensor<6xf32>) outs(%full : tensor<6x8xf32>) dimensions = [1]
  %d = arith.subf %x, %mb : tensor<6x8xf32>
  %q = arith.mulf %d, %d : tensor<6x8xf32>
  %s2 = linalg.reduce { arith.addf } ins(%q : tensor<6x8xf32>) outs(%z : tensor<6xf32>) dimensions = [1]
  %var = arith.divf %s2, %n : tensor<6xf32>
  %ve = arith.addf %var, %eps : tensor<6xf32>
  %r = math.rsqrt %ve : tensor<6xf32>
  %rb = linalg.broadcast ins(%r : tensor<6xf32>) outs(%full : tensor<6x8xf32>) dimensions = [1]
  %y = arith.mulf %d, %rb : tensor<6x8xf32>
  %yw = arith.mulf %y, %w : tensor<6x8xf32>
  return %yw : tensor<6x8xf32>
}

// -----

// Divided by the square root, with the mean as a product with 1/n, along the first axis.
// CHECK-LABEL: @first_axis
func.func @first_axis(%x: tensor<8x6xf32>) -> tensor<8x6xf32> {
  // CHECK-NEXT: smx.layer_norm %{{.+}} axis(0) epsilon(0.0
  // CHECK-NEXT: return
  %z = arith.constant dense<0.0> : tensor<6xf32>
  %n = arith.constant dense<0.125> : tensor<6xf32>
  %full = tensor.empty() : tensor<8x6xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<8x6xf32>) outs(%z : tensor<6xf32>) dimensions = [0]
  %mean = arith.mulf %s, %n : tensor<6xf32>
  %mb = linalg.broadcast ins(%mean : tensor<6xf32>) outs(%full : tensor<8x6xf32>) dimensions = [0]
  %d = arith.subf %x, %mb : tensor<8x6xf32>
  %q = arith.mulf %d, %d : tensor<8x6xf32>
  %s2 = linalg.reduce { arith.addf } ins(%q : tensor<8x6xf32>) outs(%z : tensor<6xf32>) dimensions = [0]
  %var = arith.mulf %s2, %n : tensor<6xf32>
  %r = math.sqrt %var : tensor<6xf32>
  %rb = linalg.broadcast ins(%r : tensor<6xf32>) outs(%full : tensor<8x6xf32>) dimensions = [0]
  %y = arith.divf %d, %rb : tensor<8x6xf32>
  return %y : tensor<8x6xf32>
}

// -----

// The sample variance: 7 in the place of 8.
// CHECK-LABEL: @sample_variance
func.func @sample_variance(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  // CHECK-NOT: smx.
  %z = arith.constant dense<0.0> : tensor<6xf32>
  %n = arith.constant dense<8.0> : tensor<6xf32>
  %n1 = arith.constant dense<7.0> : tensor<6xf32>
  %full = tensor.empty() : tensor<6x8xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<6x8xf32>) outs(%z : tensor<6xf32>) dimensions = [1]
  %mean = arith.divf %s, %n : tensor<6xf32>
  %mb = linalg.broadcast ins(%mean : tensor<6xf32>) outs(%full : tensor<6x8xf32>) dimensions = [1]
  %d = arith.subf %x, %mb : tensor<6x8xf32>
  %q = arith.mulf %d, %d : tensor<6x8xf32>
  %s2 = linalg.reduce { arith.addf } ins(%q : tensor<6x8xf32>) outs(%z : tensor<6xf32>) dimensions = [1]
  %var = arith.divf %s2, %n1 : tensor<6xf32>
  %r = math.rsqrt %var : tensor<6xf32>
  %rb = linalg.broadcast ins(%r : tensor<6xf32>) outs(%full : tensor<6x8xf32>) dimensions = [1]
  // expected-remark @below {{not raised to smx.layer_norm: the centred row is not divided by its standard deviation}}
  %y = arith.mulf %d, %rb : tensor<6x8xf32>
  return %y : tensor<6x8xf32>
}

// -----

// As ONNX spells it: a square is a power, the root is divided into 1, and the count is unsigned.
// CHECK-LABEL: @powers
func.func @powers(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  // CHECK-NEXT: smx.layer_norm %{{.+}} axis(1) epsilon({{9.99.*|1.0.*}}) : tensor<6x8xf32> -> tensor<6x8xf32>
  // CHECK-NEXT: return
  %z = arith.constant dense<0.0> : tensor<6xf32>
  %one = arith.constant dense<1.0> : tensor<6xf32>
  %two = arith.constant dense<2.0> : tensor<6x8xf32>
  %count = arith.constant dense<8> : tensor<6xi64>
  %n = arith.uitofp %count : tensor<6xi64> to tensor<6xf32>
  %eps = arith.constant dense<1.0e-5> : tensor<6xf32>
  %full = tensor.empty() : tensor<6x8xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<6x8xf32>) outs(%z : tensor<6xf32>) dimensions = [1]
  %mean = arith.divf %s, %n : tensor<6xf32>
  %mb = linalg.broadcast ins(%mean : tensor<6xf32>) outs(%full : tensor<6x8xf32>) dimensions = [1]
  %d = arith.subf %x, %mb : tensor<6x8xf32>
  %q = math.powf %d, %two : tensor<6x8xf32>
  %s2 = linalg.reduce { arith.addf } ins(%q : tensor<6x8xf32>) outs(%z : tensor<6xf32>) dimensions = [1]
  %var = arith.divf %s2, %n : tensor<6xf32>
  %ve = arith.addf %var, %eps : tensor<6xf32>
  %root = math.sqrt %ve : tensor<6xf32>
  %r = arith.divf %one, %root : tensor<6xf32>
  %rb = linalg.broadcast ins(%r : tensor<6xf32>) outs(%full : tensor<6x8xf32>) dimensions = [1]
  %y = arith.mulf %d, %rb : tensor<6x8xf32>
  return %y : tensor<6x8xf32>
}
