// RUN: softmax-opt %s --smx-raise | FileCheck %s

#row = affine_map<(b, i, j) -> (i, j)>
#full = affine_map<(b, i, j) -> (b, i, j)>

// An additive mask, broadcast over the batch, is a captured tensor of the score.
// CHECK-LABEL: @additive
// CHECK-SAME: %[[MASK:[^:]+]]: tensor<7x9xf32>
func.func @additive(%mask: tensor<7x9xf32>, %q: tensor<2x7x16xf32>, %k: tensor<2x16x9xf32>, %v: tensor<2x9x5xf32>) -> tensor<2x7x5xf32> {
  // CHECK: smx.attention {{.*}} scale(1.000000e+00) score {
  // CHECK-NEXT: ^bb0(%[[S:.+]]: f32, %[[B:.+]]: index, %[[I:.+]]: index, %[[J:.+]]: index):
  // CHECK-NEXT: %[[M:.+]] = tensor.extract %[[MASK]][%[[I]], %[[J]]]
  // CHECK-NEXT: %[[T:.+]] = arith.addf %[[S]], %[[M]]
  // CHECK-NEXT: smx.yield %[[T]]
  %zs = arith.constant dense<0.0> : tensor<2x7x9xf32>
  %zo = arith.constant dense<0.0> : tensor<2x7x5xf32>
  %es = tensor.empty() : tensor<2x7x9xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x7x16xf32>, tensor<2x16x9xf32>) outs(%zs : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %t = linalg.generic {indexing_maps = [#full, #row, #full], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %mask : tensor<2x7x9xf32>, tensor<7x9xf32>) outs(%es : tensor<2x7x9xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x7x9xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x7x9xf32>) outs(%es : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x7x9xf32>, tensor<2x9x5xf32>) outs(%zo : tensor<2x7x5xf32>) -> tensor<2x7x5xf32>
  return %o : tensor<2x7x5xf32>
}

// A boolean mask that selects -inf hides keys, and so does not touch the score.
// CHECK-LABEL: @boolean
// CHECK-SAME: %[[KEEP:[^:]+]]: tensor<7x9xi1>
func.func @boolean(%keep: tensor<7x9xi1>, %q: tensor<2x7x16xf32>, %k: tensor<2x16x9xf32>, %v: tensor<2x9x5xf32>) -> tensor<2x7x5xf32> {
  // CHECK: smx.attention {{.*}} scale(1.000000e+00) visible {
  // CHECK-NEXT: ^bb0(%[[B:.+]]: index, %[[I:.+]]: index, %[[J:.+]]: index):
  // CHECK-NEXT: %[[M:.+]] = tensor.extract %[[KEEP]][%[[I]], %[[J]]]
  // CHECK-NEXT: smx.yield %[[M]]
  %zs = arith.constant dense<0.0> : tensor<2x7x9xf32>
  %zo = arith.constant dense<0.0> : tensor<2x7x5xf32>
  %hidden = arith.constant 0xFF800000 : f32
  %true = arith.constant true
  %es = tensor.empty() : tensor<2x7x9xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x7x16xf32>, tensor<2x16x9xf32>) outs(%zs : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %t = linalg.generic {indexing_maps = [#full, #row, #full], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %keep : tensor<2x7x9xf32>, tensor<7x9xi1>) outs(%es : tensor<2x7x9xf32>) {
  ^bb0(%a: f32, %b: i1, %out: f32):
    %drop = arith.xori %b, %true : i1
    %r = arith.select %drop, %hidden, %a : f32
    linalg.yield %r : f32
  } -> tensor<2x7x9xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x7x9xf32>) outs(%es : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x7x9xf32>, tensor<2x9x5xf32>) outs(%zo : tensor<2x7x5xf32>) -> tensor<2x7x5xf32>
  return %o : tensor<2x7x5xf32>
}

// The lowest finite value weighs a row evenly that is hidden whole: it stays in the score.
// CHECK-LABEL: @boolean_finite
func.func @boolean_finite(%keep: tensor<7x9xi1>, %q: tensor<2x7x16xf32>, %k: tensor<2x16x9xf32>, %v: tensor<2x9x5xf32>) -> tensor<2x7x5xf32> {
  // CHECK: smx.attention {{.*}} scale(1.000000e+00) score {
  // CHECK: arith.select %{{.+}}, %{{.+}}, %{{.+}} : f32
  // CHECK-NOT: visible
  %zs = arith.constant dense<0.0> : tensor<2x7x9xf32>
  %zo = arith.constant dense<0.0> : tensor<2x7x5xf32>
  %hidden = arith.constant -3.40282347E+38 : f32
  %es = tensor.empty() : tensor<2x7x9xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x7x16xf32>, tensor<2x16x9xf32>) outs(%zs : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %t = linalg.generic {indexing_maps = [#full, #row, #full], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %keep : tensor<2x7x9xf32>, tensor<7x9xi1>) outs(%es : tensor<2x7x9xf32>) {
  ^bb0(%a: f32, %b: i1, %out: f32):
    %r = arith.select %b, %a, %hidden : f32
    linalg.yield %r : f32
  } -> tensor<2x7x9xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x7x9xf32>) outs(%es : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x7x9xf32>, tensor<2x9x5xf32>) outs(%zo : tensor<2x7x5xf32>) -> tensor<2x7x5xf32>
  return %o : tensor<2x7x5xf32>
}

// Row 0 sees only key 0, which is -inf: what is left of it is the finite value, and no band may take that.
// CHECK-LABEL: @finite_over_infinite
func.func @finite_over_infinite(%q: tensor<2x7x16xf32>, %k: tensor<2x16x9xf32>, %v: tensor<2x9x5xf32>) -> tensor<2x7x5xf32> {
  // CHECK: smx.attention {{.*}} scale(1.000000e+00) score {
  // CHECK: arith.select
  // CHECK: arith.select
  %zs = arith.constant dense<0.0> : tensor<2x7x9xf32>
  %zo = arith.constant dense<0.0> : tensor<2x7x5xf32>
  %es = tensor.empty() : tensor<2x7x9xf32>
  %ninf = arith.constant 0xFF800000 : f32
  %t = linalg.batch_matmul ins(%q, %k : tensor<2x7x16xf32>, tensor<2x16x9xf32>) outs(%zs : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %m = linalg.map ins(%t : tensor<2x7x9xf32>) outs(%es : tensor<2x7x9xf32>) (%a: f32, %out: f32) {
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %lowest = arith.constant -1.0e30 : f32
    %c0 = arith.constant 0 : index
    %causal = arith.cmpi sle, %j, %i : index
    %first = arith.cmpi eq, %j, %c0 : index
    %in = arith.select %first, %ninf, %a : f32
    %r = arith.select %causal, %in, %lowest : f32
    linalg.yield %r : f32
  }
  %p = linalg.softmax dimension(2) ins(%m : tensor<2x7x9xf32>) outs(%es : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x7x9xf32>, tensor<2x9x5xf32>) outs(%zo : tensor<2x7x5xf32>) -> tensor<2x7x5xf32>
  return %o : tensor<2x7x5xf32>
}

// A score that is widened for a function of it is widened in the region, too.
// CHECK-LABEL: @wide_in_between
func.func @wide_in_between(%q: tensor<2x7x16xf32>, %k: tensor<2x16x9xf32>, %v: tensor<2x9x5xf32>) -> tensor<2x7x5xf32> {
  // CHECK: smx.attention {{.*}} score {
  // CHECK: arith.extf %{{.+}} : f32 to f64
  // CHECK-NEXT: math.tanh %{{.+}} : f64
  %zs = arith.constant dense<0.0> : tensor<2x7x9xf32>
  %zo = arith.constant dense<0.0> : tensor<2x7x5xf32>
  %es = tensor.empty() : tensor<2x7x9xf32>
  %t = linalg.batch_matmul ins(%q, %k : tensor<2x7x16xf32>, tensor<2x16x9xf32>) outs(%zs : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %m = linalg.map ins(%t : tensor<2x7x9xf32>) outs(%es : tensor<2x7x9xf32>) (%a: f32, %out: f32) {
    %w = arith.extf %a : f32 to f64
    %th = math.tanh %w : f64
    %r = arith.truncf %th : f64 to f32
    linalg.yield %r : f32
  }
  %p = linalg.softmax dimension(2) ins(%m : tensor<2x7x9xf32>) outs(%es : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x7x9xf32>, tensor<2x9x5xf32>) outs(%zo : tensor<2x7x5xf32>) -> tensor<2x7x5xf32>
  return %o : tensor<2x7x5xf32>
}

// The bits of a score in bf16, which no region computes in.
// CHECK-LABEL: @bits_of_scores
func.func @bits_of_scores(%q: tensor<2x7x16xf32>, %k: tensor<2x16x9xf32>, %v: tensor<2x9x5xf32>) -> tensor<2x7x5xf32> {
  // CHECK: smx.softmax
  // CHECK-NOT: smx.attention
  // CHECK: return
  %zs = arith.constant dense<0.0> : tensor<2x7x9xf32>
  %zo = arith.constant dense<0.0> : tensor<2x7x5xf32>
  %es = tensor.empty() : tensor<2x7x9xf32>
  %t = linalg.batch_matmul ins(%q, %k : tensor<2x7x16xf32>, tensor<2x16x9xf32>) outs(%zs : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %m = linalg.map ins(%t : tensor<2x7x9xf32>) outs(%es : tensor<2x7x9xf32>) (%a: f32, %out: f32) {
    %narrow = arith.truncf %a : f32 to bf16
    %bits = arith.bitcast %narrow : bf16 to i16
    %c = arith.constant 32767 : i16
    %magnitude = arith.andi %bits, %c : i16
    %back = arith.bitcast %magnitude : i16 to bf16
    %r = arith.extf %back : bf16 to f32
    linalg.yield %r : f32
  }
  %p = linalg.softmax dimension(2) ins(%m : tensor<2x7x9xf32>) outs(%es : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x7x9xf32>, tensor<2x9x5xf32>) outs(%zo : tensor<2x7x5xf32>) -> tensor<2x7x5xf32>
  return %o : tensor<2x7x5xf32>
}
