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
