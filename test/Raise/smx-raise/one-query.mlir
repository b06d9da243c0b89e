// RUN: softmax-opt %s --smx-raise | FileCheck %s

#q = affine_map<(b, h, s, d) -> (b, h, d)>
#k = affine_map<(b, h, s, d) -> (b, h, s, d)>
#s = affine_map<(b, h, s, d) -> (b, h, s)>
#p = affine_map<(b, h, d, s) -> (b, h, s)>
#v = affine_map<(b, h, d, s) -> (b, h, s, d)>
#o = affine_map<(b, h, d, s) -> (b, h, d)>

// Decoding without a dimension of queries: one is put in.
// CHECK-LABEL: func.func @decode(
// CHECK-SAME: %[[Q:.*]]: tensor<2x4x16xf32>, %[[K:.*]]: tensor<2x4x?x16xf32>, %[[V:.*]]: tensor<2x4x?x8xf32>
// CHECK: %[[ONE:.*]] = tensor.expand_shape %[[Q]] {{\[}}[0], [1], [2, 3]] {{.*}} into tensor<2x4x1x16xf32>
// CHECK: %[[A:.*]] = smx.attention %[[ONE]], %[[K]], %[[V]] scale(1.000000e+00) : {{.*}} -> tensor<2x4x1x8xf32>
// CHECK: tensor.collapse_shape %[[A]] {{\[}}[0], [1], [2, 3]] : tensor<2x4x1x8xf32> into tensor<2x4x8xf32>
func.func @decode(%q: tensor<2x4x16xf32>, %k: tensor<2x4x?x16xf32>, %v: tensor<2x4x?x8xf32>) -> tensor<2x4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %c2 = arith.constant 2 : index
  %n = tensor.dim %k, %c2 : tensor<2x4x?x16xf32>
  %es = tensor.empty(%n) : tensor<2x4x?xf32>
  %eo = tensor.empty() : tensor<2x4x8xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<2x4x?xf32>) -> tensor<2x4x?xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %s = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<2x4x16xf32>, tensor<2x4x?x16xf32>) outs(%zs : tensor<2x4x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %t = arith.mulf %a, %b : f32
    %r = arith.addf %o, %t : f32
    linalg.yield %r : f32
  } -> tensor<2x4x?xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<2x4x?xf32>) outs(%es : tensor<2x4x?xf32>) -> tensor<2x4x?xf32>
  %o = linalg.generic {indexing_maps = [#p, #v, #o], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%p, %v : tensor<2x4x?xf32>, tensor<2x4x?x8xf32>) outs(%zo : tensor<2x4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %t = arith.mulf %a, %b : f32
    %r = arith.addf %o, %t : f32
    linalg.yield %r : f32
  } -> tensor<2x4x8xf32>
  return %o : tensor<2x4x8xf32>
}

// Of one head, products of a vector.
// CHECK-LABEL: func.func @vector(
// CHECK: smx.attention {{.*}} : tensor<1x16xf32>, tensor<33x16xf32>, tensor<33x8xf32> -> tensor<1x8xf32>
func.func @vector(%q: tensor<16xf32>, %k: tensor<33x16xf32>, %v: tensor<33x8xf32>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<33xf32>
  %eo = tensor.empty() : tensor<8xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<33xf32>) -> tensor<33xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.matvec ins(%k, %q : tensor<33x16xf32>, tensor<16xf32>) outs(%zs : tensor<33xf32>) -> tensor<33xf32>
  %p = linalg.softmax dimension(0) ins(%s : tensor<33xf32>) outs(%es : tensor<33xf32>) -> tensor<33xf32>
  %o = linalg.vecmat ins(%p, %v : tensor<33xf32>, tensor<33x8xf32>) outs(%zo : tensor<8xf32>) -> tensor<8xf32>
  return %o : tensor<8xf32>
}

// Keys that all queries share would be copied for each.
// CHECK-LABEL: func.func @values_of_each(
// CHECK-NOT: smx.attention
func.func @values_of_each(%q: tensor<4x16xf32>, %k: tensor<33x16xf32>, %v: tensor<4x33x8xf32>) -> tensor<4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<4x33xf32>
  %eo = tensor.empty() : tensor<4x8xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<4x33xf32>) -> tensor<4x33xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<4x8xf32>) -> tensor<4x8xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j, d) -> (i, d)>, affine_map<(i, j, d) -> (j, d)>, affine_map<(i, j, d) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<4x16xf32>, tensor<33x16xf32>) outs(%zs : tensor<4x33xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %t = arith.mulf %a, %b : f32
    %r = arith.addf %o, %t : f32
    linalg.yield %r : f32
  } -> tensor<4x33xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<4x33xf32>) outs(%es : tensor<4x33xf32>) -> tensor<4x33xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(i, d, j) -> (i, j)>, affine_map<(i, d, j) -> (i, j, d)>, affine_map<(i, d, j) -> (i, d)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%p, %v : tensor<4x33xf32>, tensor<4x33x8xf32>) outs(%zo : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %t = arith.mulf %a, %b : f32
    %r = arith.addf %o, %t : f32
    linalg.yield %r : f32
  } -> tensor<4x8xf32>
  return %o : tensor<4x8xf32>
}
