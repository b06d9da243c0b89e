// RUN: softmax-opt %s --smx-expand-state --mlir-use-nameloc-as-prefix --mlir-print-local-scope --split-input-file | FileCheck %s

#i = affine_map<(i, j, d) -> (i)>
#ij = affine_map<(i, j, d) -> (i, j)>
#jd = affine_map<(i, j, d) -> (j, d)>
#id = affine_map<(i, j, d) -> (i, d)>

// acc*a + p*v: the rescaling is an op of its own, in place, in front of the product.

// CHECK-LABEL: @rescale_then_accumulate
// CHECK-SAME: %[[ACC:[^:]+]]: tensor<4x8xf32>, %[[X:[^:]+]]: tensor<4x32xf32>, %[[V:[^:]+]]: tensor<32x8xf32>
// CHECK: %weights_and_running_sum:2 = linalg.generic {{.*}} ins(%[[X]], %running_maximum_and_rescale_factor#1 :
// CHECK-SAME: outs(%{{.+}}, %running_maximum_and_rescale_factor#3 : tensor<4x32xf32>, tensor<4xf32>)
// CHECK: %rescale = linalg.generic {{.*}} ins(%running_maximum_and_rescale_factor#2 : tensor<4xf32>) outs(%[[ACC]] : tensor<4x8xf32>)
// CHECK: ^bb0(%[[A:[^:]+]]: f32, %[[OLD:[^:]+]]: f32):
// CHECK-NEXT: arith.mulf %[[OLD]], %[[A]]
// CHECK: %accumulate = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d1, d2)>,
// CHECK-SAME: affine_map<(d0, d1, d2) -> (d0, d2)>], iterator_types = ["parallel", "reduction", "parallel"]}
// CHECK-SAME: ins(%weights_and_running_sum#0, %[[V]] : {{.*}}) outs(%rescale : tensor<4x8xf32>)
// CHECK: ^bb0(%[[P:[^:]+]]: f32, %[[VALUE:[^:]+]]: f32, %[[SUM:[^:]+]]: f32):
// CHECK-NEXT: %[[PV:.+]] = arith.mulf %[[P]], %[[VALUE]]
// CHECK-NEXT: arith.addf %[[PV]], %[[SUM]]
// CHECK: return %running_maximum_and_rescale_factor#0, %weights_and_running_sum#1, %accumulate
func.func @rescale_then_accumulate(%m: tensor<4xf32>, %l: tensor<4xf32>, %acc: tensor<4x8xf32>, %x: tensor<4x32xf32>, %v: tensor<32x8xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4x8xf32>) {
  %s:3 = smx.update #smx.softmax<exp> (%m, %l, %acc : tensor<4xf32>, tensor<4xf32>, tensor<4x8xf32>)
      with (%x, %v : tensor<4x32xf32>, tensor<32x8xf32>) maps [#i, #i, #id, #ij, #jd]
  return %s#0, %s#1, %s#2 : tensor<4xf32>, tensor<4xf32>, tensor<4x8xf32>
}

// -----

#i = affine_map<(i, j, d) -> (i)>
#ij = affine_map<(i, j, d) -> (i, j)>
#jd = affine_map<(i, j, d) -> (j, d)>
#id = affine_map<(i, j, d) -> (i, d)>

// 0 * NaN is NaN: where a mask may hide something, hidden weights are -0, and what they would weigh is selected away.

// CHECK-LABEL: @masked
// CHECK: %[[NOTHING:.+]] = arith.constant -0.000000e+00 : f32
// CHECK: arith.select %{{.+}}, %[[NOTHING]]
// CHECK: %accumulate = linalg.generic
// CHECK: ^bb0(%[[P:[^:]+]]: f32, %[[HALF:[^:]+]]: f16, %{{.+}}: f32):
// CHECK: %[[VALUE:.+]] = arith.extf %[[HALF]]
// CHECK: %[[ZERO:.+]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[SIGN:.+]] = arith.constant -2147483648 : i32
// CHECK: %[[BITS:.+]] = arith.bitcast %[[P]] : f32 to i32
// CHECK: %[[HIDDEN:.+]] = arith.cmpi eq, %[[BITS]], %[[SIGN]]
// CHECK: %[[SELECTED:.+]] = arith.select %[[HIDDEN]], %[[ZERO]], %[[VALUE]]
// CHECK: arith.mulf %[[P]], %[[SELECTED]]
func.func @masked(%m: tensor<4xf32>, %l: tensor<4xf32>, %acc: tensor<4x8xf32>, %x: tensor<4x32xf32>, %v: tensor<32x8xf16>) -> tensor<4x8xf32> {
  %s:3 = smx.update #smx.softmax<exp> (%m, %l, %acc : tensor<4xf32>, tensor<4xf32>, tensor<4x8xf32>)
      with (%x, %v : tensor<4x32xf32>, tensor<32x8xf16>) maps [#i, #i, #id, #ij, #jd] masked
  return %s#2 : tensor<4x8xf32>
}
