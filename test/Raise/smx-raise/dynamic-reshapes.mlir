// RUN: softmax-opt %s --smx-raise | FileCheck %s

// `view` to computed sizes is the reshape with groups that it provably is, and a gather that
// repeats nothing is its source; assertions about it hold.
// CHECK-LABEL: @folded_heads
// CHECK-SAME: %[[Q:.+]]: tensor<?x2x?x16xf32>, %[[K:.+]]: tensor<?x2x?x16xf32>
func.func @folded_heads(%q: tensor<?x2x?x16xf32>, %k: tensor<?x2x?x16xf32>) -> tensor<?x?x16xf32> {
  // CHECK-NOT: cf.assert
  // CHECK-NOT: tensor.reshape
  // CHECK-NOT: linalg.generic
  // CHECK: tensor.collapse_shape %[[Q]] {{\[\[}}0, 1], [2], [3]]
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n0 = arith.constant 0 : i64
  %n2 = arith.constant 2 : i64
  %n16 = arith.constant 16 : i64
  %b = tensor.dim %q, %c0 : tensor<?x2x?x16xf32>
  %n = tensor.dim %q, %c2 : tensor<?x2x?x16xf32>
  %bi = arith.index_cast %b : index to i64
  %ni = arith.index_cast %n : index to i64
  %pos = arith.cmpi sge, %bi, %n0 : i64
  cf.assert %pos, "negative size"
  %e = tensor.empty(%b, %n) : tensor<?x2x?x16xf32>
  %x = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%e : tensor<?x2x?x16xf32>) {
  ^bb0(%out: f32):
    %i0 = linalg.index 0 : index
    %i1 = linalg.index 1 : index
    %i2 = linalg.index 2 : index
    %i3 = linalg.index 3 : index
    %one = arith.cmpi eq, %b, %c1 : index
    %j0 = arith.select %one, %c0, %i0 : index
    %v = tensor.extract %q[%j0, %i1, %i2, %i3] : tensor<?x2x?x16xf32>
    linalg.yield %v : f32
  } -> tensor<?x2x?x16xf32>
  %open = arith.cmpi slt, %bi, %n0 : i64
  %safe = arith.select %open, %n16, %bi : i64
  %bh = arith.muli %safe, %n2 : i64
  %shape = tensor.from_elements %bh, %ni, %n16 : tensor<3xi64>
  %y = tensor.reshape %x(%shape) : (tensor<?x2x?x16xf32>, tensor<3xi64>) -> tensor<?x?x16xf32>
  return %y : tensor<?x?x16xf32>
}

// Sizes of two tensors may differ: what may be a broadcast stays.
// CHECK-LABEL: @may_repeat
func.func @may_repeat(%q: tensor<?x16xf32>, %k: tensor<?x16xf32>) -> tensor<?x16xf32> {
  // CHECK: linalg.generic
  // CHECK: tensor.extract
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %q, %c0 : tensor<?x16xf32>
  %n = tensor.dim %k, %c0 : tensor<?x16xf32>
  %e = tensor.empty(%n) : tensor<?x16xf32>
  %x = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<?x16xf32>) {
  ^bb0(%out: f32):
    %i0 = linalg.index 0 : index
    %i1 = linalg.index 1 : index
    %one = arith.cmpi eq, %b, %c1 : index
    %j0 = arith.select %one, %c0, %i0 : index
    %v = tensor.extract %q[%j0, %i1] : tensor<?x16xf32>
    linalg.yield %v : f32
  } -> tensor<?x16xf32>
  return %x : tensor<?x16xf32>
}

// Its type says less than the sizes do.
// CHECK-LABEL: @collapsed_to_less
func.func @collapsed_to_less(%x: tensor<2x3x?xf32>) -> tensor<?x?xf32> {
  // CHECK: tensor.collapse_shape %{{.+}} : tensor<2x3x?xf32> into tensor<6x?xf32>
  // CHECK: smx.softmax
  %c2 = arith.constant 2 : index
  %c6 = arith.constant 6 : index
  %n = tensor.dim %x, %c2 : tensor<2x3x?xf32>
  %s = tensor.from_elements %c6, %n : tensor<2xindex>
  %r = tensor.reshape %x(%s) : (tensor<2x3x?xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tensor.dim %r, %c0 : tensor<?x?xf32>
  %b = tensor.dim %r, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%a, %b) : tensor<?x?xf32>
  %p = linalg.softmax dimension(1) ins(%r : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %p : tensor<?x?xf32>
}

// The same where a dimension is split.
// CHECK-LABEL: @expanded_to_less
func.func @expanded_to_less(%x: tensor<?x6xf32>) -> tensor<?x?x?xf32> {
  // CHECK: tensor.expand_shape %{{.+}} : tensor<?x6xf32> into tensor<?x2x3xf32>
  // CHECK: smx.softmax
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %n = tensor.dim %x, %c0 : tensor<?x6xf32>
  %s = tensor.from_elements %n, %c2, %c3 : tensor<3xindex>
  %r = tensor.reshape %x(%s) : (tensor<?x6xf32>, tensor<3xindex>) -> tensor<?x?x?xf32>
  %e = tensor.empty(%n, %c2, %c3) : tensor<?x?x?xf32>
  %p = linalg.softmax dimension(2) ins(%r : tensor<?x?x?xf32>) outs(%e : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %p : tensor<?x?x?xf32>
}

// It says more: the number of rows, here 6, comes with the input.
// CHECK-LABEL: @collapsed_to_more
func.func @collapsed_to_more(%x: tensor<?x3x4xf32>) -> tensor<6x4xf32> {
  // CHECK: tensor.collapse_shape %{{.+}} : tensor<?x3x4xf32> into tensor<?x4xf32>
  // CHECK: smx.softmax
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c3 = arith.constant 3 : index
  %n = tensor.dim %x, %c0 : tensor<?x3x4xf32>
  %m = arith.muli %n, %c3 : index
  %s = tensor.from_elements %m, %c4 : tensor<2xindex>
  %r = tensor.reshape %x(%s) : (tensor<?x3x4xf32>, tensor<2xindex>) -> tensor<6x4xf32>
  %e = tensor.empty() : tensor<6x4xf32>
  %p = linalg.softmax dimension(1) ins(%r : tensor<6x4xf32>) outs(%e : tensor<6x4xf32>) -> tensor<6x4xf32>
  return %p : tensor<6x4xf32>
}
