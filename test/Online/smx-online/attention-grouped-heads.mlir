// RUN: softmax-opt %s --smx-online --mlir-print-local-scope | FileCheck %s

// Three heads of queries share the keys and values of one: an index, not a copy.

// CHECK-LABEL: @three_heads_share_one
// CHECK-NOT: tensor.expand_shape
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>,
// CHECK-SAME: affine_map<(d0, d1, d2, d3, d4) -> (d0, d1 floordiv 3, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>]
// CHECK: smx.update {{.*}} affine_map<(d0, d1, d2, d3, d4) -> (d0, d1 floordiv 3, d3, d4)>]{{$}}
func.func @three_heads_share_one(%q: tensor<2x6x7x16xf32>, %k: tensor<2x2x9x16xf32>, %v: tensor<2x2x9x4xf32>) -> tensor<2x6x7x4xf32> {
  %o = smx.attention %q, %k, %v scale(0.25) : tensor<2x6x7x16xf32>, tensor<2x2x9x16xf32>, tensor<2x2x9x4xf32> -> tensor<2x6x7x4xf32>
  return %o : tensor<2x6x7x4xf32>
}

// CHECK-LABEL: @all_heads_share_one
// CHECK: affine_map<(d0, d1, d2, d3) -> (d0 floordiv 6, d2, d3)>
func.func @all_heads_share_one(%q: tensor<6x7x16xf32>, %k: tensor<1x9x16xf32>, %v: tensor<1x9x4xf32>) -> tensor<6x7x4xf32> {
  %o = smx.attention %q, %k, %v scale(0.25) : tensor<6x7x16xf32>, tensor<1x9x16xf32>, tensor<1x9x4xf32> -> tensor<6x7x4xf32>
  return %o : tensor<6x7x4xf32>
}

// CHECK-LABEL: @every_head_has_its_own
// CHECK-NOT: floordiv
func.func @every_head_has_its_own(%q: tensor<6x7x16xf32>, %k: tensor<6x9x16xf32>, %v: tensor<6x9x4xf32>) -> tensor<6x7x4xf32> {
  %o = smx.attention %q, %k, %v scale(0.25) : tensor<6x7x16xf32>, tensor<6x9x16xf32>, tensor<6x9x4xf32> -> tensor<6x7x4xf32>
  return %o : tensor<6x7x4xf32>
}
