// RUN: softmax-opt %s --smx-expand-state --canonicalize --mlir-use-nameloc-as-prefix | FileCheck %s

#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
#state = affine_map<(i) -> (i)>
!row = tensor<4xf32>

// Softmax's own steps, and beside them a count and the mean of distances from the maximum, which moves.

// CHECK-LABEL: @update
// CHECK-SAME: %[[N:[^:]+]]: tensor<4xf32>, %[[T:[^:]+]]: tensor<4xf32>, %[[X:[^:]+]]: tensor<4x32xf32>
// CHECK: %tile_maximum = linalg.generic
// CHECK: %[[MOVED:[a-z_]+]]:5 = linalg.generic
// CHECK: %running_sum = linalg.generic
// CHECK: %sum_of_distances = linalg.generic {{.*}} ins(%[[X]], %[[MOVED]]#1 : tensor<4x32xf32>, tensor<4xf32>) outs(
// CHECK: math.fma
// CHECK-NEXT: arith.addf
// CHECK: %tile_mean = linalg.generic {{.*}} ins(%sum_of_distances :
// CHECK: %count_and_mean:2 = linalg.generic {{.*}} ins(%[[N]], %[[T]], %tile_mean, %[[MOVED]]#1, %[[MOVED]]#4 : {{.*}} outs(%[[N]], %[[T]] :
// CHECK: return {{.*}}, %running_sum, %count_and_mean#0, %count_and_mean#1
func.func @update(%m: !row, %l: !row, %n: !row, %t: !row, %x: tensor<4x32xf32>) -> (!row, !row, !row, !row) {
  %s:4 = smx.update #smx.cross_entropy<#smx.softmax<exp>, smoothing = 0.1 : f64> (%m, %l, %n, %t : !row, !row, !row, !row)
      with (%x : tensor<4x32xf32>) maps [#row, #row, #row, #row, #all]
  return %s#0, %s#1, %s#2, %s#3 : !row, !row, !row, !row
}

// Without smoothing there is nothing beside them.
// CHECK-LABEL: @plain_update
// CHECK-NOT: %count
// CHECK-NOT: %sum_of_distances
// CHECK: return
func.func @plain_update(%m: !row, %l: !row, %x: tensor<4x32xf32>) -> (!row, !row) {
  %s:2 = smx.update #smx.cross_entropy<#smx.softmax<exp>, smoothing = 0.0 : f64> (%m, %l : !row, !row)
      with (%x : tensor<4x32xf32>) maps [#row, #row, #all]
  return %s#0, %s#1 : !row, !row
}

// Both means move to the common maximum.
// CHECK-LABEL: @merge
// CHECK: %merge:4 = linalg.generic
// CHECK: %merge_means:2 = linalg.generic {{.*}} ins(%merge#0, %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} :
// CHECK-COUNT-2: arith.divf
// CHECK: return %merge#0, %merge#1, %merge_means#0, %merge_means#1
func.func @merge(%a: !row, %b: !row, %c: !row, %d: !row, %e: !row, %f: !row, %g: !row, %h: !row) -> (!row, !row, !row, !row) {
  %s:4 = smx.merge #smx.cross_entropy<#smx.softmax<exp>, smoothing = 0.1 : f64> (%a, %b, %c, %d : !row, !row, !row, !row)
      and (%e, %f, %g, %h : !row, !row, !row, !row) maps [#state, #state, #state, #state]
  return %s#0, %s#1, %s#2, %s#3 : !row, !row, !row, !row
}

// A row of weight 0 is 0 whatever its loss is: the product is selected away.
// CHECK-LABEL: @weighted_loss
// CHECK-SAME: %[[M:[^:]+]]: tensor<4xf32>, %[[L:[^:]+]]: tensor<4xf32>, %[[N:[^:]+]]: tensor<4xf32>, %[[T:[^:]+]]: tensor<4xf32>, %[[V:[^:]+]]: tensor<4xf32>, %[[W:[^:]+]]: tensor<4xf32>
// CHECK: %loss = linalg.generic {{.*}} ins(%[[M]], %[[L]], %[[N]], %[[T]], %[[V]], %[[W]] :
// CHECK: math.log
// CHECK: %[[IGNORED:.+]] = arith.cmpf oeq
// CHECK: arith.select %[[IGNORED]], %{{.+}}, %{{.+}} : f32
func.func @weighted_loss(%m: !row, %l: !row, %n: !row, %t: !row, %v: !row, %w: !row) -> !row {
  %y = smx.finish #smx.cross_entropy<#smx.softmax<exp>, smoothing = 0.1 : f64> "weighted_loss" (%m, %l, %n, %t : !row, !row, !row, !row)
      with (%v, %w : !row, !row) maps [#row, #row, #row, #row, #row, #row, #row] : !row
  return %y : !row
}

// In base 2 the product with the scale is not rounded, as in the weights.
// CHECK-LABEL: @loss_in_base_2
// CHECK: math.fma
// CHECK: math.log
// CHECK-NOT: arith.cmpf oeq, {{.*}}, %cst_0
// CHECK: return
func.func @loss_in_base_2(%m: !row, %l: !row, %v: tensor<4xbf16>) -> !row {
  %y = smx.finish #smx.cross_entropy<#smx.softmax<exp2>, smoothing = 0.0 : f64> "loss" (%m, %l : !row, !row)
      with (%v : tensor<4xbf16>) maps [#row, #row, #row, #row] : !row
  return %y : !row
}
