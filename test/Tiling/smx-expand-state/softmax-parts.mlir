// RUN: softmax-opt %s --smx-expand-state | FileCheck %s

#row = affine_map<(i, p, d) -> (i)>
#acc = affine_map<(i, p, d) -> (i, d)>
#parts = affine_map<(i, p, d) -> (i, p)>
#accs = affine_map<(i, p, d) -> (i, p, d)>

// CHECK-LABEL: @update
// CHECK-SAME: %[[M:.+]]: tensor<4xf32>, %[[L:.+]]: tensor<4xf32>, %[[ACC:.+]]: tensor<4x8xf32>, %[[MP:.+]]: tensor<4x16xf32>, %[[LP:.+]]: tensor<4x16xf32>, %[[ACCP:.+]]: tensor<4x16x8xf32>
// The maximum, of maxima as they are: a state in base 2 has scaled ones.
// CHECK: %[[MAX:.+]] = linalg.generic {{.*}} ins(%[[MP]]
// CHECK-NOT: arith.mulf
// CHECK: linalg.yield
// CHECK: %[[MOVED:.+]]:4 = linalg.generic {{.*}} ins(%[[M]], %[[L]], %[[MAX]]
// CHECK: math.exp2
// CHECK: %[[SUM:.+]]:2 = linalg.generic {{.*}} ins(%[[MP]], %[[LP]], %[[MOVED]]#1
// CHECK: %[[D:.+]] = arith.subf
// CHECK: %[[W:.+]] = math.exp2 %[[D]]
// CHECK: %[[WL:.+]] = arith.mulf %[[W]]
// CHECK: arith.addf %[[WL]]
// CHECK: %[[RESCALED:.+]] = linalg.generic {{.*}} ins(%[[MOVED]]#2
// CHECK: linalg.generic {{.*}} ins(%[[SUM]]#0, %[[ACCP]] {{.*}} outs(%[[RESCALED]]
func.func @update(%m: tensor<4xf32>, %l: tensor<4xf32>, %acc: tensor<4x8xf32>, %mp: tensor<4x16xf32>, %lp: tensor<4x16xf32>,
                  %accp: tensor<4x16x8xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4x8xf32>) {
  %s:3 = smx.update #smx.softmax_parts<#smx.softmax<exp2, scale = 1.250000e-01, masked_row = zero>>
      (%m, %l, %acc : tensor<4xf32>, tensor<4xf32>, tensor<4x8xf32>)
      with (%mp, %lp, %accp : tensor<4x16xf32>, tensor<4x16xf32>, tensor<4x16x8xf32>) maps [#row, #row, #acc, #parts, #parts, #accs]
  return %s#0, %s#1, %s#2 : tensor<4xf32>, tensor<4xf32>, tensor<4x8xf32>
}

// Without an accumulator no weights are kept.
// CHECK-LABEL: @no_accumulator
// CHECK-SAME: %[[M:.+]]: tensor<4xf32>, %[[L:.+]]: tensor<4xf32>, %[[MP:.+]]: tensor<4x16xf32>, %[[LP:.+]]: tensor<4x16xf32>
// CHECK: %[[MAX:.+]] = linalg.generic {{.*}} ins(%[[MP]]
// CHECK: %[[MOVED:.+]]:4 = linalg.generic {{.*}} ins(%[[M]], %[[L]], %[[MAX]]
// CHECK: %[[SUM:.+]] = linalg.generic {{.*}} ins(%[[MP]], %[[LP]], %[[MOVED]]#1 {{.*}} outs(%[[MOVED]]#3
// CHECK: %[[D:.+]] = arith.subf
// CHECK: %[[W:.+]] = math.exp2 %[[D]]
// CHECK: %[[WL:.+]] = arith.mulf %[[W]]
// CHECK: arith.addf %[[WL]]
// CHECK: return %[[MOVED]]#0, %[[SUM]]
func.func @no_accumulator(%m: tensor<4xf32>, %l: tensor<4xf32>, %mp: tensor<4x16xf32>, %lp: tensor<4x16xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %s:2 = smx.update #smx.softmax_parts<#smx.softmax<exp2, scale = 1.250000e-01, masked_row = zero>>
      (%m, %l : tensor<4xf32>, tensor<4xf32>)
      with (%mp, %lp : tensor<4x16xf32>, tensor<4x16xf32>) maps [affine_map<(i, p) -> (i)>, affine_map<(i, p) -> (i)>, affine_map<(i, p) -> (i, p)>, affine_map<(i, p) -> (i, p)>]
  return %s#0, %s#1 : tensor<4xf32>, tensor<4xf32>
}
