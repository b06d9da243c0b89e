// RUN: softmax-opt %s --smx-expand-state --canonicalize --mlir-use-nameloc-as-prefix | FileCheck %s

#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
!row = tensor<4xf32>
!key = tensor<4xf64>

// The tile's own list, a reduction for each of its keys, and the merge of two falling lists.

// CHECK-LABEL: @update
// CHECK: %running_sum = linalg.generic
// CHECK: %largest_key_left = linalg.generic {{.*}} ins(%{{.+}} : tensor<4x32xf64>)
// CHECK: %largest_key_left_{{[0-9]+}} = linalg.generic {{.*}} ins(%{{.+}}, %largest_key_left : tensor<4x32xf64>, tensor<4xf64>)
// CHECK: %merge_keys:2 = linalg.generic
// CHECK: return {{.*}}, %running_sum, %merge_keys#0, %merge_keys#1
func.func @update(%m: !row, %l: !row, %a: !key, %b: !key, %x: tensor<4x32xf32>, %k: tensor<4x32xf64>) -> (!row, !row, !key, !key) {
  %s:4 = smx.update #smx.topk<#smx.softmax<exp>, k = 2> (%m, %l, %a, %b : !row, !row, !key, !key)
      with (%x, %k : tensor<4x32xf32>, tensor<4x32xf64>) maps [#row, #row, #row, #row, #all, #all]
  return %s#0, %s#1, %s#2, %s#3 : !row, !row, !key, !key
}

// A row that is NaN keeps its order; a short one has no such place.
// CHECK-LABEL: @place
// CHECK: %place_1 = linalg.generic
// CHECK: arith.cmpf oeq
// CHECK: arith.cmpf ogt
// CHECK: arith.bitcast
// CHECK: arith.sitofp
// CHECK: %[[PLACE:.+]] = arith.select
// CHECK: arith.select %{{.+}}, %{{.+}}, %[[PLACE]] : f64
// CHECK-NEXT: linalg.yield
func.func @place(%m: !row, %l: !row, %a: !key, %b: !key) -> !key {
  %y = smx.finish #smx.topk<#smx.softmax<exp>, k = 2> "place_1" (%m, %l, %a, %b : !row, !row, !key, !key)
      maps [#row, #row, #row, #row, #row] : !key
  return %y : !key
}

// The list of a single tile is sorted as it is found.
// CHECK-LABEL: @first
// CHECK: %largest_key_left = linalg.generic
// CHECK: %[[SECOND:.+]] = linalg.generic {{.*}} ins(%{{.+}}, %largest_key_left : tensor<4x32xf64>, tensor<4xf64>)
// CHECK-NOT: merge_keys
// CHECK: return %largest_key_left, %[[SECOND]]
func.func @first(%x: tensor<4x32xf32>, %k: tensor<4x32xf64>) -> (!key, !key) {
  %i:4 = smx.identity #smx.topk<#smx.softmax<exp>, k = 2> -> !row, !row, !key, !key
  %s:4 = smx.update #smx.topk<#smx.softmax<exp>, k = 2> (%i#0, %i#1, %i#2, %i#3 : !row, !row, !key, !key)
      with (%x, %k : tensor<4x32xf32>, tensor<4x32xf64>) maps [#row, #row, #row, #row, #all, #all]
  return %s#2, %s#3 : !key, !key
}

// Many states: softmax's merge, and the largest key of all lists, then the largest below it. Lists of rows with NaN need not
// fall, so each rank looks at all of them.
// CHECK-LABEL: @parts
// CHECK-SAME: %[[M:.+]]: tensor<4xf32>, %[[L:.+]]: tensor<4xf32>, %[[A:.+]]: tensor<4xf64>, %[[B:.+]]: tensor<4xf64>, %[[MP:.+]]: tensor<4x16xf32>, %[[LP:.+]]: tensor<4x16xf32>, %[[AP:.+]]: tensor<4x16xf64>, %[[BP:.+]]: tensor<4x16xf64>
// CHECK: %maximum_of_parts = linalg.generic {{.*}} ins(%[[MP]] :
// CHECK: %sum_of_parts = linalg.generic {{.*}} ins(%[[MP]], %[[LP]],
// CHECK: %largest_key_left = linalg.generic {{.*}} ins(%[[AP]], %[[BP]] : tensor<4x16xf64>, tensor<4x16xf64>)
// CHECK: %[[SECOND:.+]] = linalg.generic {{.*}} ins(%[[AP]], %[[BP]], %largest_key_left : tensor<4x16xf64>, tensor<4x16xf64>, tensor<4xf64>)
// CHECK: ^bb0(%[[X:.+]]: f64, %[[Y:.+]]: f64, %[[BEFORE:.+]]: f64, %{{.+}}: f64):
// CHECK: arith.cmpf ogt, %[[BEFORE]], %[[X]]
// CHECK: arith.cmpf ogt, %[[BEFORE]], %[[Y]]
// CHECK: %merge_keys:2 = linalg.generic {{.*}} ins(%[[A]], %[[B]], %largest_key_left, %[[SECOND]] :
// CHECK: return {{.*}}, %sum_of_parts, %merge_keys#0, %merge_keys#1
func.func @parts(%m: !row, %l: !row, %a: !key, %b: !key, %mp: tensor<4x16xf32>, %lp: tensor<4x16xf32>, %ap: tensor<4x16xf64>,
                 %bp: tensor<4x16xf64>) -> (!row, !row, !key, !key) {
  %s:4 = smx.update #smx.parts<#smx.topk<#smx.softmax<exp>, k = 2>> (%m, %l, %a, %b : !row, !row, !key, !key)
      with (%mp, %lp, %ap, %bp : tensor<4x16xf32>, tensor<4x16xf32>, tensor<4x16xf64>, tensor<4x16xf64>)
      maps [#row, #row, #row, #row, #all, #all, #all, #all]
  return %s#0, %s#1, %s#2, %s#3 : !row, !row, !key, !key
}
