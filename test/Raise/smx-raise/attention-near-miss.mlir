// RUN: softmax-opt %s --smx-raise --split-input-file --verify-diagnostics | FileCheck %s
// CHECK-NOT: smx.attention

// Softmax along the queries: every shape fits.
func.func @axis_of_queries(%q: tensor<2x9x9xf32>, %k: tensor<2x9x9xf32>, %v: tensor<2x9x9xf32>) -> tensor<2x9x9xf32> {
  %zs = arith.constant dense<0.0> : tensor<2x9x9xf32>
  %zo = arith.constant dense<0.0> : tensor<2x9x9xf32>
  %es = tensor.empty() : tensor<2x9x9xf32>
  %t = linalg.batch_matmul ins(%q, %k : tensor<2x9x9xf32>, tensor<2x9x9xf32>) outs(%zs : tensor<2x9x9xf32>) -> tensor<2x9x9xf32>
  %p = linalg.softmax dimension(1) ins(%t : tensor<2x9x9xf32>) outs(%es : tensor<2x9x9xf32>) -> tensor<2x9x9xf32>
  // expected-remark @below {{not raised to smx.attention: the weights are not summed along the axis of the softmax}}
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x9x9xf32>, tensor<2x9x9xf32>) outs(%zo : tensor<2x9x9xf32>) -> tensor<2x9x9xf32>
  return %o : tensor<2x9x9xf32>
}

// -----

// The weights are transposed in between.
func.func @transposed_weights(%q: tensor<2x9x9xf32>, %k: tensor<2x9x9xf32>, %v: tensor<2x9x9xf32>) -> tensor<2x9x9xf32> {
  %zs = arith.constant dense<0.0> : tensor<2x9x9xf32>
  %zo = arith.constant dense<0.0> : tensor<2x9x9xf32>
  %es = tensor.empty() : tensor<2x9x9xf32>
  %t = linalg.batch_matmul ins(%q, %k : tensor<2x9x9xf32>, tensor<2x9x9xf32>) outs(%zs : tensor<2x9x9xf32>) -> tensor<2x9x9xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x9x9xf32>) outs(%es : tensor<2x9x9xf32>) -> tensor<2x9x9xf32>
  %pt = linalg.transpose ins(%p : tensor<2x9x9xf32>) outs(%es : tensor<2x9x9xf32>) permutation = [0, 2, 1]
  // expected-remark @below {{not raised to smx.attention: the weights are not summed along the axis of the softmax}}
  %o = linalg.batch_matmul ins(%pt, %v : tensor<2x9x9xf32>, tensor<2x9x9xf32>) outs(%zo : tensor<2x9x9xf32>) -> tensor<2x9x9xf32>
  return %o : tensor<2x9x9xf32>
}

// -----

// The weights are changed after the softmax.
func.func @changed_weights(%q: tensor<2x9x9xf32>, %k: tensor<2x9x9xf32>, %v: tensor<2x9x9xf32>, %m: tensor<2x9x9xf32>) -> tensor<2x9x9xf32> {
  %zs = arith.constant dense<0.0> : tensor<2x9x9xf32>
  %zo = arith.constant dense<0.0> : tensor<2x9x9xf32>
  %es = tensor.empty() : tensor<2x9x9xf32>
  %t = linalg.batch_matmul ins(%q, %k : tensor<2x9x9xf32>, tensor<2x9x9xf32>) outs(%zs : tensor<2x9x9xf32>) -> tensor<2x9x9xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x9x9xf32>) outs(%es : tensor<2x9x9xf32>) -> tensor<2x9x9xf32>
  %pm = arith.mulf %p, %m : tensor<2x9x9xf32>
  // expected-remark @below {{not raised to smx.attention: the weights are changed between softmax and product}}
  %o = linalg.batch_matmul ins(%pm, %v : tensor<2x9x9xf32>, tensor<2x9x9xf32>) outs(%zo : tensor<2x9x9xf32>) -> tensor<2x9x9xf32>
  return %o : tensor<2x9x9xf32>
}

// -----

// The weights are returned.
func.func @weights_escape(%q: tensor<2x9x9xf32>, %k: tensor<2x9x9xf32>, %v: tensor<2x9x9xf32>) -> (tensor<2x9x9xf32>, tensor<2x9x9xf32>) {
  %zs = arith.constant dense<0.0> : tensor<2x9x9xf32>
  %zo = arith.constant dense<0.0> : tensor<2x9x9xf32>
  %es = tensor.empty() : tensor<2x9x9xf32>
  %t = linalg.batch_matmul ins(%q, %k : tensor<2x9x9xf32>, tensor<2x9x9xf32>) outs(%zs : tensor<2x9x9xf32>) -> tensor<2x9x9xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x9x9xf32>) outs(%es : tensor<2x9x9xf32>) -> tensor<2x9x9xf32>
  // expected-remark @below {{not raised to smx.attention: the scores or the weights have another use}}
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x9x9xf32>, tensor<2x9x9xf32>) outs(%zo : tensor<2x9x9xf32>) -> tensor<2x9x9xf32>
  return %o, %p : tensor<2x9x9xf32>, tensor<2x9x9xf32>
}

// -----

// The scores are returned.
func.func @scores_escape(%q: tensor<2x9x9xf32>, %k: tensor<2x9x9xf32>, %v: tensor<2x9x9xf32>) -> (tensor<2x9x9xf32>, tensor<2x9x9xf32>) {
  %zs = arith.constant dense<0.0> : tensor<2x9x9xf32>
  %zo = arith.constant dense<0.0> : tensor<2x9x9xf32>
  %es = tensor.empty() : tensor<2x9x9xf32>
  %t = linalg.batch_matmul ins(%q, %k : tensor<2x9x9xf32>, tensor<2x9x9xf32>) outs(%zs : tensor<2x9x9xf32>) -> tensor<2x9x9xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x9x9xf32>) outs(%es : tensor<2x9x9xf32>) -> tensor<2x9x9xf32>
  // expected-remark @below {{not raised to smx.attention: the scores or the weights have another use}}
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x9x9xf32>, tensor<2x9x9xf32>) outs(%zo : tensor<2x9x9xf32>) -> tensor<2x9x9xf32>
  return %o, %t : tensor<2x9x9xf32>, tensor<2x9x9xf32>
}

// -----

// There is no product of queries and keys.
func.func @scores_are_given(%t: tensor<2x9x9xf32>, %v: tensor<2x9x9xf32>) -> tensor<2x9x9xf32> {
  %zs = arith.constant dense<0.0> : tensor<2x9x9xf32>
  %zo = arith.constant dense<0.0> : tensor<2x9x9xf32>
  %es = tensor.empty() : tensor<2x9x9xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x9x9xf32>) outs(%es : tensor<2x9x9xf32>) -> tensor<2x9x9xf32>
  // expected-remark @below {{not raised to smx.attention: the scores are not computed from a product of queries and keys}}
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x9x9xf32>, tensor<2x9x9xf32>) outs(%zo : tensor<2x9x9xf32>) -> tensor<2x9x9xf32>
  return %o : tensor<2x9x9xf32>
}

// -----

// Two products are added.
func.func @two_products(%q: tensor<2x9x9xf32>, %k: tensor<2x9x9xf32>, %v: tensor<2x9x9xf32>) -> tensor<2x9x9xf32> {
  %zs = arith.constant dense<0.0> : tensor<2x9x9xf32>
  %zo = arith.constant dense<0.0> : tensor<2x9x9xf32>
  %es = tensor.empty() : tensor<2x9x9xf32>
  %a = linalg.batch_matmul ins(%q, %k : tensor<2x9x9xf32>, tensor<2x9x9xf32>) outs(%zs : tensor<2x9x9xf32>) -> tensor<2x9x9xf32>
  %b = linalg.batch_matmul ins(%k, %q : tensor<2x9x9xf32>, tensor<2x9x9xf32>) outs(%zs : tensor<2x9x9xf32>) -> tensor<2x9x9xf32>
  %t = arith.addf %a, %b : tensor<2x9x9xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x9x9xf32>) outs(%es : tensor<2x9x9xf32>) -> tensor<2x9x9xf32>
  // expected-remark @below {{not raised to smx.attention: the scores are computed from more than one product}}
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x9x9xf32>, tensor<2x9x9xf32>) outs(%zo : tensor<2x9x9xf32>) -> tensor<2x9x9xf32>
  return %o : tensor<2x9x9xf32>
}

// -----

// The scores are normalised by a row sum of their own.
func.func @row_of_scores(%q: tensor<2x9x9xf32>, %k: tensor<2x9x9xf32>, %v: tensor<2x9x9xf32>) -> tensor<2x9x9xf32> {
  %zs = arith.constant dense<0.0> : tensor<2x9x9xf32>
  %zo = arith.constant dense<0.0> : tensor<2x9x9xf32>
  %es = tensor.empty() : tensor<2x9x9xf32>
  %a = linalg.batch_matmul ins(%q, %k : tensor<2x9x9xf32>, tensor<2x9x9xf32>) outs(%zs : tensor<2x9x9xf32>) -> tensor<2x9x9xf32>
  %z = arith.constant dense<0.0> : tensor<2x9xf32>
  %s = linalg.reduce { arith.addf } ins(%a : tensor<2x9x9xf32>) outs(%z : tensor<2x9xf32>) dimensions = [2]
  %sb = linalg.broadcast ins(%s : tensor<2x9xf32>) outs(%es : tensor<2x9x9xf32>) dimensions = [2]
  %t = arith.divf %a, %sb : tensor<2x9x9xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x9x9xf32>) outs(%es : tensor<2x9x9xf32>) -> tensor<2x9x9xf32>
  // expected-remark @below {{not raised to smx.attention: the scores are changed by more than a function of each score and its position}}
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x9x9xf32>, tensor<2x9x9xf32>) outs(%zo : tensor<2x9x9xf32>) -> tensor<2x9x9xf32>
  return %o : tensor<2x9x9xf32>
}

// -----

// The values are the weights.
func.func @values_are_weights(%q: tensor<2x9x9xf32>, %k: tensor<2x9x9xf32>) -> tensor<2x9x9xf32> {
  %zs = arith.constant dense<0.0> : tensor<2x9x9xf32>
  %zo = arith.constant dense<0.0> : tensor<2x9x9xf32>
  %es = tensor.empty() : tensor<2x9x9xf32>
  %t = linalg.batch_matmul ins(%q, %k : tensor<2x9x9xf32>, tensor<2x9x9xf32>) outs(%zs : tensor<2x9x9xf32>) -> tensor<2x9x9xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x9x9xf32>) outs(%es : tensor<2x9x9xf32>) -> tensor<2x9x9xf32>
  // expected-remark @below {{not raised to smx.attention: the weights are not summed along the axis of the softmax}}
  %o = linalg.batch_matmul ins(%p, %p : tensor<2x9x9xf32>, tensor<2x9x9xf32>) outs(%zo : tensor<2x9x9xf32>) -> tensor<2x9x9xf32>
  return %o : tensor<2x9x9xf32>
}

// -----

// The second product starts from something else than 0, and is no product for that.
func.func @accumulates(%q: tensor<2x9x9xf32>, %k: tensor<2x9x9xf32>, %v: tensor<2x9x9xf32>) -> tensor<2x9x9xf32> {
  %zs = arith.constant dense<0.0> : tensor<2x9x9xf32>
  %zo = arith.constant dense<1.0> : tensor<2x9x9xf32>
  %es = tensor.empty() : tensor<2x9x9xf32>
  %t = linalg.batch_matmul ins(%q, %k : tensor<2x9x9xf32>, tensor<2x9x9xf32>) outs(%zs : tensor<2x9x9xf32>) -> tensor<2x9x9xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x9x9xf32>) outs(%es : tensor<2x9x9xf32>) -> tensor<2x9x9xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x9x9xf32>, tensor<2x9x9xf32>) outs(%zo : tensor<2x9x9xf32>) -> tensor<2x9x9xf32>
  return %o : tensor<2x9x9xf32>
}

// -----

// No softmax at all.
func.func @linear(%q: tensor<2x9x9xf32>, %k: tensor<2x9x9xf32>, %v: tensor<2x9x9xf32>) -> tensor<2x9x9xf32> {
  %zs = arith.constant dense<0.0> : tensor<2x9x9xf32>
  %zo = arith.constant dense<0.0> : tensor<2x9x9xf32>
  %es = tensor.empty() : tensor<2x9x9xf32>
  %t = linalg.batch_matmul ins(%q, %k : tensor<2x9x9xf32>, tensor<2x9x9xf32>) outs(%zs : tensor<2x9x9xf32>) -> tensor<2x9x9xf32>
  %o = linalg.batch_matmul ins(%t, %v : tensor<2x9x9xf32>, tensor<2x9x9xf32>) outs(%zo : tensor<2x9x9xf32>) -> tensor<2x9x9xf32>
  return %o : tensor<2x9x9xf32>
}

// -----

// Every key is hidden, by one of two masks.
func.func @nothing_visible(%q: tensor<2x9x9xf32>, %k: tensor<2x9x9xf32>, %v: tensor<2x9x9xf32>) -> tensor<2x9x9xf32> {
  %zs = arith.constant dense<0.0> : tensor<2x9x9xf32>
  %zo = arith.constant dense<0.0> : tensor<2x9x9xf32>
  %es = tensor.empty() : tensor<2x9x9xf32>
  %hidden = arith.constant 0xFF800000 : f32
  %n = arith.constant 9 : index
  %a = linalg.batch_matmul ins(%q, %k : tensor<2x9x9xf32>, tensor<2x9x9xf32>) outs(%zs : tensor<2x9x9xf32>) -> tensor<2x9x9xf32>
  %t = linalg.map ins(%a : tensor<2x9x9xf32>) outs(%es : tensor<2x9x9xf32>) (%x: f32, %out: f32) {
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %always = arith.cmpi slt, %j, %n : index
    %none = arith.select %always, %hidden, %x : f32
    %causal = arith.cmpi sle, %j, %i : index
    %r = arith.select %causal, %none, %hidden : f32
    linalg.yield %r : f32
  }
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x9x9xf32>) outs(%es : tensor<2x9x9xf32>) -> tensor<2x9x9xf32>
  // expected-remark @below {{not raised to smx.attention: no score is visible under the masks}}
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x9x9xf32>, tensor<2x9x9xf32>) outs(%zo : tensor<2x9x9xf32>) -> tensor<2x9x9xf32>
  return %o : tensor<2x9x9xf32>
}

// -----

// Scores that are sums of nothing.
func.func @no_head_dim(%q: tensor<2x9x0xf32>, %k: tensor<2x0x9xf32>, %v: tensor<2x9x5xf32>) -> tensor<2x9x5xf32> {
  %zs = arith.constant dense<0.0> : tensor<2x9x9xf32>
  %zo = arith.constant dense<0.0> : tensor<2x9x5xf32>
  %es = tensor.empty() : tensor<2x9x9xf32>
  %t = linalg.batch_matmul ins(%q, %k : tensor<2x9x0xf32>, tensor<2x0x9xf32>) outs(%zs : tensor<2x9x9xf32>) -> tensor<2x9x9xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x9x9xf32>) outs(%es : tensor<2x9x9xf32>) -> tensor<2x9x9xf32>
  // expected-remark @below {{not raised to smx.attention: the head dim of queries and keys is 0}}
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x9x9xf32>, tensor<2x9x5xf32>) outs(%zo : tensor<2x9x5xf32>) -> tensor<2x9x5xf32>
  return %o : tensor<2x9x5xf32>
}

// -----

func.func @no_values(%q: tensor<2x9x3xf32>, %k: tensor<2x3x9xf32>, %v: tensor<2x9x0xf32>) -> tensor<2x9x0xf32> {
  %zs = arith.constant dense<0.0> : tensor<2x9x9xf32>
  %zo = arith.constant dense<0.0> : tensor<2x9x0xf32>
  %es = tensor.empty() : tensor<2x9x9xf32>
  %t = linalg.batch_matmul ins(%q, %k : tensor<2x9x3xf32>, tensor<2x3x9xf32>) outs(%zs : tensor<2x9x9xf32>) -> tensor<2x9x9xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x9x9xf32>) outs(%es : tensor<2x9x9xf32>) -> tensor<2x9x9xf32>
  // expected-remark @below {{not raised to smx.attention: the values have no dimension of their own}}
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x9x9xf32>, tensor<2x9x0xf32>) outs(%zo : tensor<2x9x0xf32>) -> tensor<2x9x0xf32>
  return %o : tensor<2x9x0xf32>
}
