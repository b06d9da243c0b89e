// RUN: softmax-opt %s --smx-expand-state --mlir-use-nameloc-as-prefix | FileCheck %s

#i = affine_map<(i, d) -> (i)>
#id = affine_map<(i, d) -> (i, d)>
#row = affine_map<(i) -> (i)>

// m = max(a, b), and both sums, both accumulators, are rescaled to it.

// CHECK-LABEL: @accumulators
// CHECK-SAME: %[[M0:[^:]+]]: tensor<4xf32>, %[[L0:[^:]+]]: tensor<4xf32>, %[[A0:[^:]+]]: tensor<4x8xf32>,
// CHECK-SAME: %[[M1:[^:]+]]: tensor<4xf32>, %[[L1:[^:]+]]: tensor<4xf32>, %[[A1:[^:]+]]: tensor<4x8xf32>
// CHECK: %merge:4 = linalg.generic {{.*}} ins(%[[M0]], %[[L0]], %[[M1]], %[[L1]] :
// CHECK: ^bb0(%[[M:[^:]+]]: f32, %[[L:[^:]+]]: f32, %[[N:[^:]+]]: f32, %[[K:[^:]+]]: f32,
// CHECK: arith.cmpf ogt, %[[M]], %[[N]]
// CHECK: %[[REFERENCE:.+]] = arith.select
// CHECK: %[[REFERENCE:.+]] = arith.select
// CHECK: %[[D0:.+]] = arith.subf %[[M]], %[[REFERENCE]]
// CHECK: %[[F0:.+]] = math.exp %[[D0]]
// CHECK: %[[D1:.+]] = arith.subf %[[N]], %[[REFERENCE]]
// CHECK: %[[F1:.+]] = math.exp %[[D1]]
// CHECK-DAG: %[[P0:.+]] = arith.mulf %[[F0]], %[[L]]
// CHECK-DAG: %[[P1:.+]] = arith.mulf %[[F1]], %[[K]]
// CHECK: arith.addf %[[P0]], %[[P1]]
// CHECK: %merge_accumulators = linalg.generic {{.*}} ins(%[[A0]], %merge#2, %[[A1]], %merge#3 :
// CHECK: return %merge#0, %merge#1, %merge_accumulators
func.func @accumulators(%m0: tensor<4xf32>, %l0: tensor<4xf32>, %a0: tensor<4x8xf32>,
                        %m1: tensor<4xf32>, %l1: tensor<4xf32>, %a1: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4x8xf32>) {
  %s:3 = smx.merge #smx.softmax<exp> (%m0, %l0, %a0 : tensor<4xf32>, tensor<4xf32>, tensor<4x8xf32>)
      and (%m1, %l1, %a1 : tensor<4xf32>, tensor<4xf32>, tensor<4x8xf32>) maps [#i, #i, #id]
  return %s#0, %s#1, %s#2 : tensor<4xf32>, tensor<4xf32>, tensor<4x8xf32>
}

// Two empty streams have the mean 0, not 0/0.
// CHECK-LABEL: @moments
// CHECK: %merge_moments:3 = linalg.generic
// CHECK: %[[N:.+]] = arith.addf
// CHECK-DAG: %[[EMPTY:.+]] = arith.cmpf oeq, %[[N]], %{{.+}}
// CHECK-DAG: %[[SHARE:.+]] = arith.divf %{{.+}}, %[[N]]
// CHECK: arith.select %[[EMPTY]], %{{.+}}, %[[SHARE]]
func.func @moments(%n0: tensor<4xf32>, %u0: tensor<4xf32>, %q0: tensor<4xf32>,
                   %n1: tensor<4xf32>, %u1: tensor<4xf32>, %q1: tensor<4xf32>) -> tensor<4xf32> {
  %s:3 = smx.merge #smx.moments<epsilon = 0.0 : f64> (%n0, %u0, %q0 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
      and (%n1, %u1, %q1 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) maps [#row, #row, #row]
  return %s#1 : tensor<4xf32>
}
