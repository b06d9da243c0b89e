// RUN: softmax-opt %s --smx-raise | FileCheck %s

// Heads folded into the batch for the products, and key heads repeated for the groups.
// CHECK-LABEL: @repeated_key_heads
// CHECK-SAME: %[[Q:.+]]: tensor<3x6x7x16xf32>, %[[K:.+]]: tensor<3x2x9x16xf32>, %[[V:.+]]: tensor<3x2x9x5xf32>
func.func @repeated_key_heads(%q: tensor<3x6x7x16xf32>, %k: tensor<3x2x9x16xf32>, %v: tensor<3x2x9x5xf32>) -> tensor<3x6x7x5xf32> {
  // CHECK-NEXT: %[[O:.+]] = smx.attention %[[Q]], %[[K]], %[[V]] scale(1.000000e+00) : tensor<3x6x7x16xf32>, tensor<3x2x9x16xf32>, tensor<3x2x9x5xf32> -> tensor<3x6x7x5xf32>
  // CHECK-NEXT: return %[[O]]
  %zs = arith.constant dense<0.0> : tensor<18x7x9xf32>
  %zo = arith.constant dense<0.0> : tensor<18x7x5xf32>
  %es = tensor.empty() : tensor<3x6x7x9xf32>
  %ek = tensor.empty() : tensor<3x2x3x9x16xf32>
  %ev = tensor.empty() : tensor<3x2x3x9x5xf32>
  %et = tensor.empty() : tensor<18x16x9xf32>
  %kr = linalg.broadcast ins(%k : tensor<3x2x9x16xf32>) outs(%ek : tensor<3x2x3x9x16xf32>) dimensions = [2]
  %vr = linalg.broadcast ins(%v : tensor<3x2x9x5xf32>) outs(%ev : tensor<3x2x3x9x5xf32>) dimensions = [2]
  %kc = tensor.collapse_shape %kr [[0, 1, 2], [3], [4]] : tensor<3x2x3x9x16xf32> into tensor<18x9x16xf32>
  %vc = tensor.collapse_shape %vr [[0, 1, 2], [3], [4]] : tensor<3x2x3x9x5xf32> into tensor<18x9x5xf32>
  %kt = linalg.transpose ins(%kc : tensor<18x9x16xf32>) outs(%et : tensor<18x16x9xf32>) permutation = [0, 2, 1]
  %qc = tensor.collapse_shape %q [[0, 1], [2], [3]] : tensor<3x6x7x16xf32> into tensor<18x7x16xf32>
  %s = linalg.batch_matmul ins(%qc, %kt : tensor<18x7x16xf32>, tensor<18x16x9xf32>) outs(%zs : tensor<18x7x9xf32>) -> tensor<18x7x9xf32>
  %se = tensor.expand_shape %s [[0, 1], [2], [3]] output_shape [3, 6, 7, 9] : tensor<18x7x9xf32> into tensor<3x6x7x9xf32>
  %p = linalg.softmax dimension(3) ins(%se : tensor<3x6x7x9xf32>) outs(%es : tensor<3x6x7x9xf32>) -> tensor<3x6x7x9xf32>
  %pc = tensor.collapse_shape %p [[0, 1], [2], [3]] : tensor<3x6x7x9xf32> into tensor<18x7x9xf32>
  %o = linalg.batch_matmul ins(%pc, %vc : tensor<18x7x9xf32>, tensor<18x9x5xf32>) outs(%zo : tensor<18x7x5xf32>) -> tensor<18x7x5xf32>
  %oe = tensor.expand_shape %o [[0, 1], [2], [3]] output_shape [3, 6, 7, 5] : tensor<18x7x5xf32> into tensor<3x6x7x5xf32>
  return %oe : tensor<3x6x7x5xf32>
}

// Key heads tiled instead (0, 1, 0, 1, ...) serve other query heads: they stay a copy.
// CHECK-LABEL: @tiled_key_heads
func.func @tiled_key_heads(%q: tensor<6x7x16xf32>, %k: tensor<2x9x16xf32>, %v: tensor<6x9x5xf32>) -> tensor<6x7x5xf32> {
  // CHECK: %[[K:.+]] = tensor.collapse_shape %{{.+}} : tensor<3x2x9x16xf32> into tensor<6x9x16xf32>
  // CHECK: smx.attention %{{.+}}, %[[K]], %{{.+}} scale(1.000000e+00)
  %zs = arith.constant dense<0.0> : tensor<6x7x9xf32>
  %zo = arith.constant dense<0.0> : tensor<6x7x5xf32>
  %es = tensor.empty() : tensor<6x7x9xf32>
  %ek = tensor.empty() : tensor<3x2x9x16xf32>
  %et = tensor.empty() : tensor<6x16x9xf32>
  %kr = linalg.broadcast ins(%k : tensor<2x9x16xf32>) outs(%ek : tensor<3x2x9x16xf32>) dimensions = [0]
  %kc = tensor.collapse_shape %kr [[0, 1], [2], [3]] : tensor<3x2x9x16xf32> into tensor<6x9x16xf32>
  %kt = linalg.transpose ins(%kc : tensor<6x9x16xf32>) outs(%et : tensor<6x16x9xf32>) permutation = [0, 2, 1]
  %s = linalg.batch_matmul ins(%q, %kt : tensor<6x7x16xf32>, tensor<6x16x9xf32>) outs(%zs : tensor<6x7x9xf32>) -> tensor<6x7x9xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<6x7x9xf32>) outs(%es : tensor<6x7x9xf32>) -> tensor<6x7x9xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<6x7x9xf32>, tensor<6x9x5xf32>) outs(%zo : tensor<6x7x5xf32>) -> tensor<6x7x5xf32>
  return %o : tensor<6x7x5xf32>
}

// The first 9 keys of a cache of 32: the slice is the operand, not the cache.
// CHECK-LABEL: @sliced_cache
func.func @sliced_cache(%q: tensor<2x7x16xf32>, %cache: tensor<2x32x16xf32>, %v: tensor<2x9x5xf32>) -> tensor<2x7x5xf32> {
  // CHECK: %[[K:.+]] = tensor.extract_slice
  // CHECK: smx.attention %{{.+}}, %[[K]], %{{.+}} scale(1.000000e+00) : tensor<2x7x16xf32>, tensor<2x9x16xf32>
  %zs = arith.constant dense<0.0> : tensor<2x7x9xf32>
  %zo = arith.constant dense<0.0> : tensor<2x7x5xf32>
  %es = tensor.empty() : tensor<2x7x9xf32>
  %et = tensor.empty() : tensor<2x16x9xf32>
  %k = tensor.extract_slice %cache[0, 0, 0] [2, 9, 16] [1, 1, 1] : tensor<2x32x16xf32> to tensor<2x9x16xf32>
  %kt = linalg.transpose ins(%k : tensor<2x9x16xf32>) outs(%et : tensor<2x16x9xf32>) permutation = [0, 2, 1]
  %s = linalg.batch_matmul ins(%q, %kt : tensor<2x7x16xf32>, tensor<2x16x9xf32>) outs(%zs : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<2x7x9xf32>) outs(%es : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x7x9xf32>, tensor<2x9x5xf32>) outs(%zo : tensor<2x7x5xf32>) -> tensor<2x7x5xf32>
  return %o : tensor<2x7x5xf32>
}
