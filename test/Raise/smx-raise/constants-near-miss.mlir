// RUN: softmax-opt %s --smx-raise --split-input-file --verify-diagnostics | FileCheck %s

// Two negative factors cancel, but the shift is by the minimum.
// CHECK-LABEL: @of_the_minimum
// CHECK-NOT: smx.
// CHECK: return
func.func @of_the_minimum(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %c = arith.constant dense<-1.44269502> : tensor<4x8xf32>
  %ninf = arith.constant dense<0xFF800000> : tensor<4xf32>
  %z = arith.constant dense<0.0> : tensor<4xf32>
  %e = tensor.empty() : tensor<4x8xf32>
  %n = arith.mulf %x, %c : tensor<4x8xf32>
  %m = linalg.reduce { arith.maximumf } ins(%n : tensor<4x8xf32>) outs(%ninf : tensor<4xf32>) dimensions = [1]
  %mb = linalg.broadcast ins(%m : tensor<4xf32>) outs(%e : tensor<4x8xf32>) dimensions = [1]
  %d = arith.subf %n, %mb : tensor<4x8xf32>
  %dn = arith.negf %d : tensor<4x8xf32>
  %p = math.exp2 %dn : tensor<4x8xf32>
  %l = linalg.reduce { arith.addf } ins(%p : tensor<4x8xf32>) outs(%z : tensor<4xf32>) dimensions = [1]
  %lg = math.log %l : tensor<4xf32>
  %mx = linalg.reduce { arith.maximumf } ins(%x : tensor<4x8xf32>) outs(%ninf : tensor<4xf32>) dimensions = [1]
  // expected-remark @below {{not raised to smx.logsumexp: the scores have a negative factor, which their maximum has not}}
  %r = arith.addf %mx, %lg : tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// CHECK-LABEL: @of_no_finite_scale
// CHECK-NOT: smx.
// CHECK: return
func.func @of_no_finite_scale(%x: tensor<4x8xf64>) -> tensor<4x8xf64> {
  %c = arith.constant dense<1.0e200> : tensor<4x8xf64>
  %ninf = arith.constant dense<0xFFF0000000000000> : tensor<4xf64>
  %z = arith.constant dense<0.0> : tensor<4xf64>
  %e = tensor.empty() : tensor<4x8xf64>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<4x8xf64>) outs(%ninf : tensor<4xf64>) dimensions = [1]
  %mb = linalg.broadcast ins(%m : tensor<4xf64>) outs(%e : tensor<4x8xf64>) dimensions = [1]
  %d = arith.subf %x, %mb : tensor<4x8xf64>
  %d1 = arith.mulf %d, %c : tensor<4x8xf64>
  %dc = arith.mulf %d1, %c : tensor<4x8xf64>
  %p = math.exp %dc : tensor<4x8xf64>
  %l = linalg.reduce { arith.addf } ins(%p : tensor<4x8xf64>) outs(%z : tensor<4xf64>) dimensions = [1]
  %lb = linalg.broadcast ins(%l : tensor<4xf64>) outs(%e : tensor<4x8xf64>) dimensions = [1]
  // expected-remark @below {{not raised to smx.softmax: the exponent has a negative factor, which the maximum does not, or one that is 0 or not finite}}
  %y = arith.divf %p, %lb : tensor<4x8xf64>
  return %y : tensor<4x8xf64>
}

// -----

// Each factor is a number of f32, their product is 0 there: the second one stays.
// CHECK-LABEL: @of_a_scale_that_is_0_in_f32
// CHECK: %[[S:.+]] = arith.mulf %arg0
// CHECK: smx.softmax %[[S]] axis(1) scale(1.00000{{.+}}E-30)
func.func @of_a_scale_that_is_0_in_f32(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %c = arith.constant dense<1.0e-30> : tensor<4x8xf32>
  %x1 = arith.mulf %x, %c : tensor<4x8xf32>
  %x2 = arith.mulf %x1, %c : tensor<4x8xf32>
  %y = smx.softmax %x2 axis(1) : tensor<4x8xf32> -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// Nearly log2(e), and not in f64.
// CHECK-LABEL: @nearly_base_e
// CHECK: smx.softmax %{{.+}} axis(1) scale(0.99999955
func.func @nearly_base_e(%x: tensor<4x8xf64>) -> tensor<4x8xf64> {
  %c = arith.constant dense<1.4426944> : tensor<4x8xf64>
  %ninf = arith.constant dense<0xFFF0000000000000> : tensor<4xf64>
  %z = arith.constant dense<0.0> : tensor<4xf64>
  %e = tensor.empty() : tensor<4x8xf64>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<4x8xf64>) outs(%ninf : tensor<4xf64>) dimensions = [1]
  %mb = linalg.broadcast ins(%m : tensor<4xf64>) outs(%e : tensor<4x8xf64>) dimensions = [1]
  %d = arith.subf %x, %mb : tensor<4x8xf64>
  %dc = arith.mulf %d, %c : tensor<4x8xf64>
  %p = math.exp2 %dc : tensor<4x8xf64>
  %l = linalg.reduce { arith.addf } ins(%p : tensor<4x8xf64>) outs(%z : tensor<4xf64>) dimensions = [1]
  %lb = linalg.broadcast ins(%l : tensor<4xf64>) outs(%e : tensor<4x8xf64>) dimensions = [1]
  %y = arith.divf %p, %lb : tensor<4x8xf64>
  return %y : tensor<4x8xf64>
}

// -----

// Nearly 1/8, and not in f64.
// CHECK-LABEL: @nearly_mean
// CHECK-NOT: smx.
// CHECK: return
func.func @nearly_mean(%x0: tensor<4x8xf64>) -> tensor<4x8xf64> {
  %big = arith.constant dense<1000.0> : tensor<4x8xf64>
  %x = arith.addf %x0, %big : tensor<4x8xf64>
  %n = arith.constant dense<0.1250001> : tensor<4xf64>
  %eps = arith.constant dense<1.0e-5> : tensor<4xf64>
  %z = arith.constant dense<0.0> : tensor<4xf64>
  %e = tensor.empty() : tensor<4x8xf64>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<4x8xf64>) outs(%z : tensor<4xf64>) dimensions = [1]
  %m = arith.mulf %s, %n : tensor<4xf64>
  %mb = linalg.broadcast ins(%m : tensor<4xf64>) outs(%e : tensor<4x8xf64>) dimensions = [1]
  %d = arith.subf %x, %mb : tensor<4x8xf64>
  %sq = arith.mulf %d, %d : tensor<4x8xf64>
  %l = linalg.reduce { arith.addf } ins(%sq : tensor<4x8xf64>) outs(%z : tensor<4xf64>) dimensions = [1]
  %v = arith.mulf %l, %n : tensor<4xf64>
  %ve = arith.addf %v, %eps : tensor<4xf64>
  %r = math.rsqrt %ve : tensor<4xf64>
  %rb = linalg.broadcast ins(%r : tensor<4xf64>) outs(%e : tensor<4x8xf64>) dimensions = [1]
  %y = arith.mulf %d, %rb : tensor<4x8xf64>
  return %y : tensor<4x8xf64>
}

// -----

// No row has so many elements, of which an open extent is not the number.
// CHECK-LABEL: @of_negative_extent
// CHECK-NOT: smx.
// CHECK: return
func.func @of_negative_extent(%x: tensor<4x?xf32>) -> tensor<4x?xf32> {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<4x?xf32>
  %nn = arith.constant dense<-9223372036854775808.0> : tensor<4xf32>
  %z = arith.constant dense<0.0> : tensor<4xf32>
  %eps = arith.constant dense<1.0> : tensor<4xf32>
  %e = tensor.empty(%n) : tensor<4x?xf32>
  %sq = arith.mulf %x, %x : tensor<4x?xf32>
  %l = linalg.reduce { arith.addf } ins(%sq : tensor<4x?xf32>) outs(%z : tensor<4xf32>) dimensions = [1]
  %v = arith.divf %l, %nn : tensor<4xf32>
  %ve = arith.addf %v, %eps : tensor<4xf32>
  %r = math.rsqrt %ve : tensor<4xf32>
  %rb = linalg.broadcast ins(%r : tensor<4xf32>) outs(%e : tensor<4x?xf32>) dimensions = [1]
  %y = arith.mulf %x, %rb : tensor<4x?xf32>
  return %y : tensor<4x?xf32>
}

// -----

// A maximum from the lowest finite number is never -inf: the guard stays.
// CHECK-LABEL: @never_infinite
// CHECK: smx.softmax %{{.+}} axis(1) : tensor
// CHECK: arith.select
func.func @never_infinite(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %neginf = arith.constant dense<0xFF800000> : tensor<4xf32>
  %low = arith.constant dense<0xFF7FFFFF> : tensor<4xf32>
  %zero = arith.constant dense<0.0> : tensor<4x8xf32>
  %e = tensor.empty() : tensor<4x8xf32>
  %ei = tensor.empty() : tensor<4x8xi1>
  %s = linalg.softmax dimension(1) ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<4x8xf32>) outs(%low : tensor<4xf32>) dimensions = [1]
  %h = arith.cmpf oeq, %m, %neginf : tensor<4xf32>
  %hb = linalg.broadcast ins(%h : tensor<4xi1>) outs(%ei : tensor<4x8xi1>) dimensions = [1]
  %y = arith.select %hb, %zero, %s : tensor<4x8xi1>, tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// What hides a score leaves something of it, behind so small a scale: the mask stays a part of the score.
// CHECK-LABEL: @of_a_tiny_scale
// CHECK: smx.attention
// CHECK-NOT: mask(
// CHECK: return
func.func @of_a_tiny_scale(%q: tensor<8x16xf32>, %k: tensor<16x8xf32>, %v: tensor<8x16xf32>, %mask: tensor<8x8xi1>) -> tensor<8x16xf32> {
  %z = arith.constant dense<0.0> : tensor<8x8xf32>
  %z1 = arith.constant dense<0.0> : tensor<8xf32>
  %n1 = arith.constant dense<0xFF800000> : tensor<8xf32>
  %low = arith.constant dense<-1.0e30> : tensor<8x8xf32>
  %sc = arith.constant dense<1.0e-30> : tensor<8x8xf32>
  %z2 = arith.constant dense<0.0> : tensor<8x16xf32>
  %e = tensor.empty() : tensor<8x8xf32>
  %s0 = linalg.matmul ins(%q, %k : tensor<8x16xf32>, tensor<16x8xf32>) outs(%z : tensor<8x8xf32>) -> tensor<8x8xf32>
  %causal = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<8x8xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c = arith.cmpi sle, %j, %i : index
    %zz = arith.constant 0.0 : f32
    %ll = arith.constant -1.0e30 : f32
    %w = arith.select %c, %zz, %ll : f32
    linalg.yield %w : f32
  } -> tensor<8x8xf32>
  %s = arith.addf %s0, %causal : tensor<8x8xf32>
  %m = linalg.reduce { arith.maximumf } ins(%s : tensor<8x8xf32>) outs(%n1 : tensor<8xf32>) dimensions = [1]
  %mb = linalg.broadcast ins(%m : tensor<8xf32>) outs(%e : tensor<8x8xf32>) dimensions = [1]
  %d = arith.subf %s, %mb : tensor<8x8xf32>
  %dc = arith.mulf %d, %sc : tensor<8x8xf32>
  %p = math.exp %dc : tensor<8x8xf32>
  %l = linalg.reduce { arith.addf } ins(%p : tensor<8x8xf32>) outs(%z1 : tensor<8xf32>) dimensions = [1]
  %lb = linalg.broadcast ins(%l : tensor<8xf32>) outs(%e : tensor<8x8xf32>) dimensions = [1]
  %w = arith.divf %p, %lb : tensor<8x8xf32>
  %y = linalg.matmul ins(%w, %v : tensor<8x8xf32>, tensor<8x16xf32>) outs(%z2 : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %y : tensor<8x16xf32>
}
