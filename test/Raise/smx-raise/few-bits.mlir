// Roundings to 16 bits and more are left out; those to fewer are what someone asks for, and stay.
// RUN: softmax-opt %s --smx-raise --split-input-file --verify-diagnostics | FileCheck %s

#m = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: @weights
// CHECK: smx.softmax
// CHECK: arith.truncf %{{.+}} : f32 to f8E4M3FN
func.func @weights(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %s = linalg.softmax dimension(1) ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [#m, #m], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = arith.truncf %a : f32 to f8E4M3FN
    %w = arith.extf %n : f8E4M3FN to f32
    linalg.yield %w : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

#q = affine_map<(b, i, j, d) -> (b, i, d)>
#k = affine_map<(b, i, j, d) -> (b, j, d)>
#s = affine_map<(b, i, j, d) -> (b, i, j)>

// CHECK-LABEL: @factors
// CHECK: arith.truncf %{{.+}} : f32 to f8E4M3FN
// CHECK: smx.softmax
func.func @factors(%q: tensor<2x8x16xf32>, %k: tensor<2x8x16xf32>, %v: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
  %z = arith.constant dense<0.0> : tensor<2x8x8xf32>
  %z2 = arith.constant dense<0.0> : tensor<2x8x16xf32>
  %e = tensor.empty() : tensor<2x8x8xf32>
  %s = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<2x8x16xf32>, tensor<2x8x16xf32>) outs(%z : tensor<2x8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %a8 = arith.truncf %a : f32 to f8E4M3FN
    %b8 = arith.truncf %b : f32 to f8E4M3FN
    %aw = arith.extf %a8 : f8E4M3FN to f32
    %bw = arith.extf %b8 : f8E4M3FN to f32
    %m = arith.mulf %aw, %bw : f32
    %r = arith.addf %m, %o : f32
    linalg.yield %r : f32
  } -> tensor<2x8x8xf32>
  %w = linalg.softmax dimension(2) ins(%s : tensor<2x8x8xf32>) outs(%e : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  // expected-remark @below {{not raised to smx.attention: the scores are not computed from a product of queries and keys}}
  %y = linalg.batch_matmul ins(%w, %v : tensor<2x8x8xf32>, tensor<2x8x16xf32>) outs(%z2 : tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  return %y : tensor<2x8x16xf32>
}

// -----

// CHECK-LABEL: @scores
// CHECK: arith.truncf %{{.+}} to tensor<2x8x8xf8E4M3FN>
// CHECK: smx.softmax
func.func @scores(%q: tensor<2x8x16xf32>, %k: tensor<2x16x8xf32>, %v: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
  %z = arith.constant dense<0.0> : tensor<2x8x8xf32>
  %z2 = arith.constant dense<0.0> : tensor<2x8x16xf32>
  %e = tensor.empty() : tensor<2x8x8xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x8x16xf32>, tensor<2x16x8xf32>) outs(%z : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %s8 = arith.truncf %s : tensor<2x8x8xf32> to tensor<2x8x8xf8E4M3FN>
  %sw = arith.extf %s8 : tensor<2x8x8xf8E4M3FN> to tensor<2x8x8xf32>
  %w = linalg.softmax dimension(2) ins(%sw : tensor<2x8x8xf32>) outs(%e : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  // expected-remark @below {{not raised to smx.attention: the scores are changed by more than a function of each score and its position}}
  %y = linalg.batch_matmul ins(%w, %v : tensor<2x8x8xf32>, tensor<2x8x16xf32>) outs(%z2 : tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  return %y : tensor<2x8x16xf32>
}

// -----

// CHECK-LABEL: @exponentials
// CHECK-NOT: smx.
// CHECK: return
func.func @exponentials(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %ninf = arith.constant dense<0xFF800000> : tensor<4xf32>
  %z = arith.constant dense<0.0> : tensor<4xf32>
  %e = tensor.empty() : tensor<4x8xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<4x8xf32>) outs(%ninf : tensor<4xf32>) dimensions = [1]
  %mb = linalg.broadcast ins(%m : tensor<4xf32>) outs(%e : tensor<4x8xf32>) dimensions = [1]
  %d = arith.subf %x, %mb : tensor<4x8xf32>
  %p = math.exp %d : tensor<4x8xf32>
  %p8 = arith.truncf %p : tensor<4x8xf32> to tensor<4x8xf8E4M3FN>
  %pw = arith.extf %p8 : tensor<4x8xf8E4M3FN> to tensor<4x8xf32>
  %l = linalg.reduce { arith.addf } ins(%pw : tensor<4x8xf32>) outs(%z : tensor<4xf32>) dimensions = [1]
  %lb = linalg.broadcast ins(%l : tensor<4xf32>) outs(%e : tensor<4x8xf32>) dimensions = [1]
  // expected-remark @below {{not raised to smx.softmax: the dividend is not an exponential}}
  %y = arith.divf %pw, %lb : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// Scores of 6 bits are widened in front of a softmax, which reads none of them.
// CHECK-LABEL: @of_6_bits
// CHECK: %[[W:.+]] = arith.extf
// CHECK: smx.softmax %[[W]]
func.func @of_6_bits(%x: tensor<4x8xf6E3M2FN>) -> tensor<4x8xf32> {
  %w = arith.extf %x : tensor<4x8xf6E3M2FN> to tensor<4x8xf32>
  %e = tensor.empty() : tensor<4x8xf32>
  %s = linalg.softmax dimension(1) ins(%w : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %s : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: @of_128_bits
// CHECK: linalg.softmax
func.func @of_128_bits(%x: tensor<4x8xf128>) -> tensor<4x8xf128> {
  %e = tensor.empty() : tensor<4x8xf128>
  // expected-remark @below {{not raised to smx.softmax: its elements are not f64, f32, f16, bf16 or of 8 bits}}
  %s = linalg.softmax dimension(1) ins(%x : tensor<4x8xf128>) outs(%e : tensor<4x8xf128>) -> tensor<4x8xf128>
  return %s : tensor<4x8xf128>
}

// -----

// CHECK-LABEL: @tensor_of_weights
// CHECK: smx.softmax
// CHECK: arith.truncf %{{.+}} to tensor<2x8x8xf8E4M3FN>
func.func @tensor_of_weights(%q: tensor<2x8x16xf32>, %k: tensor<2x16x8xf32>, %v: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
  %z = arith.constant dense<0.0> : tensor<2x8x8xf32>
  %z2 = arith.constant dense<0.0> : tensor<2x8x16xf32>
  %e = tensor.empty() : tensor<2x8x8xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x8x16xf32>, tensor<2x16x8xf32>) outs(%z : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %w = linalg.softmax dimension(2) ins(%s : tensor<2x8x8xf32>) outs(%e : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %n = arith.truncf %w : tensor<2x8x8xf32> to tensor<2x8x8xf8E4M3FN>
  %x = arith.extf %n : tensor<2x8x8xf8E4M3FN> to tensor<2x8x8xf32>
  // expected-remark @below {{not raised to smx.attention: the weights are reshaped by dynamic sizes, or rounded to fewer than 16 bits}}
  %y = linalg.batch_matmul ins(%x, %v : tensor<2x8x8xf32>, tensor<2x8x16xf32>) outs(%z2 : tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  return %y : tensor<2x8x16xf32>
}
