// RUN: softmax-opt %s --smx-online --smx-rows-in-lanes --canonicalize --mlir-print-local-scope | FileCheck %s

// Queries are transposed once, scores are made as [keys, rows], the accumulator is [columns, rows]; keys and values lie as they lay.

// CHECK-LABEL: @single_head
// CHECK-SAME: %[[Q:.+]]: tensor<7x16xf32>, %[[K:.+]]: tensor<9x16xf32>, %[[V:.+]]: tensor<9x4xf32>
// CHECK: %[[QT:.+]] = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>]
// CHECK-SAME: ins(%[[Q]] : tensor<7x16xf32>) outs(%{{.+}} : tensor<16x7xf32>)
// CHECK: %[[S:.+]] = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d0)>, affine_map<(d0, d1, d2) -> (d1, d2)>,
// CHECK-SAME: affine_map<(d0, d1, d2) -> (d1, d0)>]
// CHECK-SAME: ins(%[[QT]], %[[K]] : {{.*}}) outs(%{{.+}} : tensor<9x7xf32>)
// CHECK: %[[I:.+]]:3 = smx.identity {{.*}} -> tensor<7xf32>, tensor<7xf32>, tensor<4x7xf32>
// CHECK: %[[U:.+]]:3 = smx.update {{.*}}(%[[I]]#0, %[[I]]#1, %[[I]]#2 :
// CHECK-SAME: with(%[[S]], %[[V]] : tensor<9x7xf32>, tensor<9x4xf32>)
// CHECK-SAME: maps [affine_map<(d0, d1, d2) -> (d0)>, affine_map<(d0, d1, d2) -> (d0)>, affine_map<(d0, d1, d2) -> (d2, d0)>,
// CHECK-SAME: affine_map<(d0, d1, d2) -> (d1, d0)>, affine_map<(d0, d1, d2) -> (d1, d2)>]
// The result lies as before: the finish transposes.
// CHECK: smx.finish {{.*}} "average"(%[[U]]#0, %[[U]]#1, %[[U]]#2 :
// CHECK-SAME: affine_map<(d0, d1, d2) -> (d2, d0)>, affine_map<(d0, d1, d2) -> (d0, d2)>] : tensor<7x4xf32>
func.func @single_head(%q: tensor<7x16xf32>, %k: tensor<9x16xf32>, %v: tensor<9x4xf32>) -> tensor<7x4xf32> {
  %o = smx.attention %q, %k, %v scale(0.25) : tensor<7x16xf32>, tensor<9x16xf32>, tensor<9x4xf32> -> tensor<7x4xf32>
  return %o : tensor<7x4xf32>
}

// A mask keeps track of which dimension is the row; its last two are exchanged with those of the scores.
// CHECK-LABEL: @mask
// CHECK: smx.mask %{{.+}} by #smx.band<top_left, right = 0> dims(2, 1) {{.*}} : tensor<2x9x7xf32>
func.func @mask(%q: tensor<2x7x16xf32>, %k: tensor<2x9x16xf32>, %v: tensor<2x9x4xf32>) -> tensor<2x7x4xf32> {
  %o = smx.attention %q, %k, %v scale(0.25) mask(#smx.band<top_left, right = 0>)
     : tensor<2x7x16xf32>, tensor<2x9x16xf32>, tensor<2x9x4xf32> -> tensor<2x7x4xf32>
  return %o : tensor<2x7x4xf32>
}

// A region is asked with the positions that it had.
// CHECK-LABEL: @score_region
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d1, d0)>], {{.*}} outs(%{{.+}} : tensor<9x7xf32>)
// CHECK-DAG: %[[I:.+]] = linalg.index 0
// CHECK-DAG: %[[J:.+]] = linalg.index 1
// CHECK: tensor.extract %{{.+}}[%[[I]], %[[J]]] : tensor<7x9xf32>
func.func @score_region(%q: tensor<7x16xf32>, %k: tensor<9x16xf32>, %v: tensor<9x4xf32>, %bias: tensor<7x9xf32>) -> tensor<7x4xf32> {
  %o = smx.attention %q, %k, %v scale(0.25) score {
  ^bb0(%s: f32, %i: index, %j: index):
    %b = tensor.extract %bias[%i, %j] : tensor<7x9xf32>
    %t = arith.addf %s, %b : f32
    smx.yield %t : f32
  } : tensor<7x16xf32>, tensor<9x16xf32>, tensor<9x4xf32> -> tensor<7x4xf32>
  return %o : tensor<7x4xf32>
}
