// RUN: softmax-opt %s --smx-raise | FileCheck %s

// A textbook's attention: two dimensions, keys transposed, scale on the scores.
// CHECK-LABEL: @textbook
// CHECK-SAME: %[[Q:.+]]: tensor<7x16xf32>, %[[K:.+]]: tensor<9x16xf32>, %[[V:.+]]: tensor<9x5xf32>
func.func @textbook(%q: tensor<7x16xf32>, %k: tensor<9x16xf32>, %v: tensor<9x5xf32>) -> tensor<7x5xf32> {
  // CHECK-NEXT: %[[O:.+]] = smx.attention %[[Q]], %[[K]], %[[V]] scale(2.500000e-01) : tensor<7x16xf32>, tensor<9x16xf32>, tensor<9x5xf32> -> tensor<7x5xf32>
  // CHECK-NEXT: return %[[O]]
  %zs = arith.constant dense<0.0> : tensor<7x9xf32>
  %zo = arith.constant dense<0.0> : tensor<7x5xf32>
  %c = arith.constant dense<4.0> : tensor<7x9xf32>
  %es = tensor.empty() : tensor<7x9xf32>
  %et = tensor.empty() : tensor<16x9xf32>
  %kt = linalg.transpose ins(%k : tensor<9x16xf32>) outs(%et : tensor<16x9xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%q, %kt : tensor<7x16xf32>, tensor<16x9xf32>) outs(%zs : tensor<7x9xf32>) -> tensor<7x9xf32>
  %t = arith.divf %s, %c : tensor<7x9xf32>
  %p = linalg.softmax dimension(1) ins(%t : tensor<7x9xf32>) outs(%es : tensor<7x9xf32>) -> tensor<7x9xf32>
  %o = linalg.matmul ins(%p, %v : tensor<7x9xf32>, tensor<9x5xf32>) outs(%zo : tensor<7x5xf32>) -> tensor<7x5xf32>
  return %o : tensor<7x5xf32>
}

// Keys that are stored transposed are copied; the scale is on query and key.
// CHECK-LABEL: @keys_stored_transposed
func.func @keys_stored_transposed(%q: tensor<2x7x16xf32>, %k: tensor<2x16x9xf32>, %v: tensor<2x9x5xf32>) -> tensor<2x7x5xf32> {
  // CHECK: %[[K:.+]] = linalg.transpose ins(%{{.+}} : tensor<2x16x9xf32>) {{.*}} permutation = [0, 2, 1]
  // CHECK: smx.attention %{{.+}}, %[[K]], %{{.+}} scale(2.500000e-01)
  %zs = arith.constant dense<0.0> : tensor<2x7x9xf32>
  %zo = arith.constant dense<0.0> : tensor<2x7x5xf32>
  %half = arith.constant dense<0.5> : tensor<2x7x16xf32>
  %halft = arith.constant dense<0.5> : tensor<2x16x9xf32>
  %es = tensor.empty() : tensor<2x7x9xf32>
  %qs = arith.mulf %q, %half : tensor<2x7x16xf32>
  %ks = arith.mulf %halft, %k : tensor<2x16x9xf32>
  %s = linalg.batch_matmul ins(%qs, %ks : tensor<2x7x16xf32>, tensor<2x16x9xf32>) outs(%zs : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<2x7x9xf32>) outs(%es : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x7x9xf32>, tensor<2x9x5xf32>) outs(%zo : tensor<2x7x5xf32>) -> tensor<2x7x5xf32>
  return %o : tensor<2x7x5xf32>
}

// Contractions as generics: scores [b, h, key, row], and the result [b, row, h, d] at once.
// CHECK-LABEL: @contractions
// CHECK-SAME: %[[Q:.+]]: tensor<2x4x7x16xf32>, %[[K:.+]]: tensor<2x4x9x16xf32>, %[[V:.+]]: tensor<2x4x9x5xf32>
func.func @contractions(%q: tensor<2x4x7x16xf32>, %k: tensor<2x4x9x16xf32>, %v: tensor<2x4x9x5xf32>) -> tensor<2x7x4x5xf32> {
  // CHECK: %[[O:.+]] = smx.attention %[[Q]], %[[K]], %[[V]] scale(1.000000e+00) : {{.*}} -> tensor<2x4x7x5xf32>
  // CHECK: linalg.transpose ins(%[[O]] : tensor<2x4x7x5xf32>) {{.*}} permutation = [0, 2, 1, 3]
  %zs = arith.constant dense<0.0> : tensor<2x4x9x7xf32>
  %zo = arith.constant dense<0.0> : tensor<2x7x4x5xf32>
  %es = tensor.empty() : tensor<2x4x9x7xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, d) -> (b, h, j, d)>,
                                        affine_map<(b, h, i, j, d) -> (b, h, i, d)>,
                                        affine_map<(b, h, i, j, d) -> (b, h, j, i)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%k, %q : tensor<2x4x9x16xf32>, tensor<2x4x7x16xf32>) outs(%zs : tensor<2x4x9x7xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %m = arith.mulf %a, %b : f32
    %r = arith.addf %sum, %m : f32
    linalg.yield %r : f32
  } -> tensor<2x4x9x7xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<2x4x9x7xf32>) outs(%es : tensor<2x4x9x7xf32>) -> tensor<2x4x9x7xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, i, h, e, j) -> (b, h, j, i)>,
                                        affine_map<(b, i, h, e, j) -> (b, h, j, e)>,
                                        affine_map<(b, i, h, e, j) -> (b, i, h, e)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%p, %v : tensor<2x4x9x7xf32>, tensor<2x4x9x5xf32>) outs(%zo : tensor<2x7x4x5xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %m = arith.mulf %a, %b : f32
    %r = arith.addf %sum, %m : f32
    linalg.yield %r : f32
  } -> tensor<2x7x4x5xf32>
  return %o : tensor<2x7x4x5xf32>
}

// bf16 operands, scores rounded to bf16, a softmax in f32 and weights in bf16.
// CHECK-LABEL: @rounded_scores
func.func @rounded_scores(%q: tensor<2x7x16xbf16>, %k: tensor<2x9x16xbf16>, %v: tensor<2x9x5xbf16>) -> tensor<2x7x5xbf16> {
  // CHECK-NEXT: %[[O:.+]] = smx.attention {{.*}} scale(1.000000e+00) : {{.*}} -> tensor<2x7x5xbf16>
  // CHECK-NEXT: return %[[O]]
  %zs = arith.constant dense<0.0> : tensor<2x7x9xf32>
  %zo = arith.constant dense<0.0> : tensor<2x7x5xf32>
  %es = tensor.empty() : tensor<2x7x9xf32>
  %s = linalg.batch_matmul indexing_maps = [affine_map<(b, i, j, d) -> (b, i, d)>, affine_map<(b, i, j, d) -> (b, j, d)>, affine_map<(b, i, j, d) -> (b, i, j)>]
      ins(%q, %k : tensor<2x7x16xbf16>, tensor<2x9x16xbf16>) outs(%zs : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %sn = arith.truncf %s : tensor<2x7x9xf32> to tensor<2x7x9xbf16>
  %sw = arith.extf %sn : tensor<2x7x9xbf16> to tensor<2x7x9xf32>
  %p = linalg.softmax dimension(2) ins(%sw : tensor<2x7x9xf32>) outs(%es : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %pn = arith.truncf %p : tensor<2x7x9xf32> to tensor<2x7x9xbf16>
  %o = linalg.batch_matmul ins(%pn, %v : tensor<2x7x9xbf16>, tensor<2x9x5xbf16>) outs(%zo : tensor<2x7x5xf32>) -> tensor<2x7x5xf32>
  %on = arith.truncf %o : tensor<2x7x5xf32> to tensor<2x7x5xbf16>
  return %on : tensor<2x7x5xbf16>
}
