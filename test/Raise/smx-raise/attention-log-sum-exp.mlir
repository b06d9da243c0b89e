// RUN: softmax-opt %s --smx-raise --split-input-file --verify-diagnostics | FileCheck %s

// The log-sum-exp of the scores is a result of the attention; what reads it in front of the product follows.
// CHECK-LABEL: @beside
// CHECK: %[[O:.+]], %[[LSE:.+]] = smx.attention {{.*}} -> tensor<2x9x8xf32>, tensor<2x9xf32>
// CHECK-NEXT: arith.mulf %[[LSE]], %[[LSE]]
// CHECK-NOT: smx.softmax
func.func @beside(%q: tensor<2x9x8xf32>, %kt: tensor<2x8x7xf32>, %v: tensor<2x7x8xf32>) -> (tensor<2x9x8xf32>, tensor<2x9xf32>) {
  %zs = arith.constant dense<0.0> : tensor<2x9x7xf32>
  %zo = arith.constant dense<0.0> : tensor<2x9x8xf32>
  %t = linalg.batch_matmul ins(%q, %kt : tensor<2x9x8xf32>, tensor<2x8x7xf32>) outs(%zs : tensor<2x9x7xf32>) -> tensor<2x9x7xf32>
  %lse = smx.logsumexp %t axis(2) : tensor<2x9x7xf32> -> tensor<2x9xf32>
  %sq = arith.mulf %lse, %lse : tensor<2x9xf32>
  %p = smx.softmax %t axis(2) : tensor<2x9x7xf32> -> tensor<2x9x7xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x9x7xf32>, tensor<2x7x8xf32>) outs(%zo : tensor<2x9x8xf32>) -> tensor<2x9x8xf32>
  return %o, %sq : tensor<2x9x8xf32>, tensor<2x9xf32>
}

// -----

// Scores whose rows are in front of their heads: so are those of the log-sum-exp, which is rounded as written.
#q = affine_map<(i, h, j, c) -> (i, h, c)>
#k = affine_map<(i, h, j, c) -> (j, h, c)>
#s = affine_map<(i, h, j, c) -> (i, h, j)>
#p = affine_map<(i, h, c, j) -> (i, h, j)>
#v = affine_map<(i, h, c, j) -> (j, h, c)>
#o = affine_map<(i, h, c, j) -> (i, h, c)>
// CHECK-LABEL: @rows_first
// CHECK: %{{.+}}, %[[LSE:.+]] = smx.attention {{.*}}, tensor<3x9xf32>
// CHECK: %[[T:.+]] = linalg.transpose ins(%[[LSE]] : tensor<3x9xf32>) {{.*}} permutation = [1, 0]
// CHECK: arith.truncf %[[T]] : tensor<9x3xf32> to tensor<9x3xbf16>
func.func @rows_first(%q: tensor<9x3x8xbf16>, %k: tensor<7x3x8xbf16>, %v: tensor<7x3x8xbf16>) -> (tensor<9x3x8xf32>, tensor<9x3xbf16>) {
  %zs = arith.constant dense<0.0> : tensor<9x3x7xf32>
  %zo = arith.constant dense<0.0> : tensor<9x3x8xf32>
  %t = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<9x3x8xbf16>, tensor<7x3x8xbf16>) outs(%zs : tensor<9x3x7xf32>) {
  ^bb0(%a: bf16, %b: bf16, %c: f32):
    %x = arith.extf %a : bf16 to f32
    %y = arith.extf %b : bf16 to f32
    %m = arith.mulf %x, %y : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<9x3x7xf32>
  %lse = smx.logsumexp %t axis(2) : tensor<9x3x7xf32> -> tensor<9x3xbf16>
  %p = smx.softmax %t axis(2) : tensor<9x3x7xf32> -> tensor<9x3x7xf32>
  %r = linalg.generic {indexing_maps = [#p, #v, #o], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%p, %v : tensor<9x3x7xf32>, tensor<7x3x8xbf16>) outs(%zo : tensor<9x3x8xf32>) {
  ^bb0(%a: f32, %b: bf16, %c: f32):
    %y = arith.extf %b : bf16 to f32
    %m = arith.mulf %a, %y : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<9x3x8xf32>
  return %r, %lse : tensor<9x3x8xf32>, tensor<9x3xbf16>
}

// -----

// One query, without a dimension of its own.
#q1 = affine_map<(h, j, c) -> (h, c)>
#k1 = affine_map<(h, j, c) -> (h, j, c)>
#s1 = affine_map<(h, j, c) -> (h, j)>
#p1 = affine_map<(h, c, j) -> (h, j)>
#v1 = affine_map<(h, c, j) -> (h, j, c)>
#o1 = affine_map<(h, c, j) -> (h, c)>
// CHECK-LABEL: @one_query
// CHECK: %{{.+}}, %[[LSE:.+]] = smx.attention {{.*}}, tensor<3x1xf32>
// CHECK: tensor.collapse_shape %[[LSE]] {{\[\[}}0, 1]] : tensor<3x1xf32> into tensor<3xf32>
func.func @one_query(%q: tensor<3x8xf32>, %k: tensor<3x7x8xf32>, %v: tensor<3x7x8xf32>) -> (tensor<3x8xf32>, tensor<3xf32>) {
  %zs = arith.constant dense<0.0> : tensor<3x7xf32>
  %zo = arith.constant dense<0.0> : tensor<3x8xf32>
  %t = linalg.generic {indexing_maps = [#q1, #k1, #s1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%q, %k : tensor<3x8xf32>, tensor<3x7x8xf32>) outs(%zs : tensor<3x7xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<3x7xf32>
  %lse = smx.logsumexp %t axis(1) : tensor<3x7xf32> -> tensor<3xf32>
  %p = smx.softmax %t axis(1) : tensor<3x7xf32> -> tensor<3x7xf32>
  %r = linalg.generic {indexing_maps = [#p1, #v1, #o1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p, %v : tensor<3x7xf32>, tensor<3x7x8xf32>) outs(%zo : tensor<3x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<3x8xf32>
  return %r, %lse : tensor<3x8xf32>, tensor<3xf32>
}

// -----

// The lowest number hides scores, of which the region keeps the order alone: the log-sum-exp of a hidden row is not that of the attention.
// CHECK-LABEL: @hidden_by_numbers
// CHECK-NOT: smx.attention
func.func @hidden_by_numbers(%q: tensor<2x9x8xf32>, %kt: tensor<2x8x7xf32>, %v: tensor<2x7x8xf32>, %keep: tensor<2x9x7xi1>) -> (tensor<2x9x8xf32>, tensor<2x9xf32>) {
  %zs = arith.constant dense<0.0> : tensor<2x9x7xf32>
  %zo = arith.constant dense<0.0> : tensor<2x9x8xf32>
  %low = arith.constant dense<0xFF7FFFFF> : tensor<2x9x7xf32>
  %t = linalg.batch_matmul ins(%q, %kt : tensor<2x9x8xf32>, tensor<2x8x7xf32>) outs(%zs : tensor<2x9x7xf32>) -> tensor<2x9x7xf32>
  %h = arith.select %keep, %t, %low : tensor<2x9x7xi1>, tensor<2x9x7xf32>
  %lse = smx.logsumexp %h axis(2) : tensor<2x9x7xf32> -> tensor<2x9xf32>
  %p = smx.softmax %h axis(2) : tensor<2x9x7xf32> -> tensor<2x9x7xf32>
  // expected-remark @below {{not raised to smx.attention: the log-sum-exp is used, too, of scores that a large number hides}}
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x9x7xf32>, tensor<2x7x8xf32>) outs(%zo : tensor<2x9x8xf32>) -> tensor<2x9x8xf32>
  return %o, %lse : tensor<2x9x8xf32>, tensor<2x9xf32>
}

// -----

// The values wait for the log-sum-exp.
// CHECK-LABEL: @values_of_it
// CHECK-NOT: smx.attention
func.func @values_of_it(%q: tensor<2x8x8xf32>, %kt: tensor<2x8x8xf32>) -> tensor<2x8x8xf32> {
  %zs = arith.constant dense<0.0> : tensor<2x8x8xf32>
  %full = tensor.empty() : tensor<2x8x8xf32>
  %t = linalg.batch_matmul ins(%q, %kt : tensor<2x8x8xf32>, tensor<2x8x8xf32>) outs(%zs : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %lse = smx.logsumexp %t axis(2) : tensor<2x8x8xf32> -> tensor<2x8xf32>
  %v = linalg.broadcast ins(%lse : tensor<2x8xf32>) outs(%full : tensor<2x8x8xf32>) dimensions = [2]
  %p = smx.softmax %t axis(2) : tensor<2x8x8xf32> -> tensor<2x8x8xf32>
  // expected-remark @below {{not raised to smx.attention: an operand depends on the scores}}
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x8x8xf32>, tensor<2x8x8xf32>) outs(%zs : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  return %o : tensor<2x8x8xf32>
}
