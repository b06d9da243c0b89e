// RUN: softmax-opt %s --smx-expand-state --mlir-use-nameloc-as-prefix | FileCheck %s

#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j, d) -> (i)>
#id = affine_map<(i, j, d) -> (i, d)>

// A row that was streamed: its weights are computed again.
// CHECK-LABEL: @softmax
// CHECK-SAME: %[[M:[^:]+]]: tensor<4xf32>, %[[L:[^:]+]]: tensor<4xf32>, %[[X:[^:]+]]: tensor<4x32xf16>
// CHECK: %guard = linalg.generic {{.*}} ins(%[[M]] :
// CHECK: %reciprocal_of_the_sum = linalg.generic {{.*}} ins(%[[L]] :
// CHECK: %normalise = linalg.generic {{.*}} ins(%[[X]], %reciprocal_of_the_sum, %guard : {{.*}}) outs(%{{.+}} : tensor<4x32xf16>)
// CHECK: %[[P:.+]] = math.exp
// CHECK: %[[Y:.+]] = arith.mulf %[[P]], %{{.+}}
// CHECK: arith.truncf %[[Y]] : f32 to f16
func.func @softmax(%m: tensor<4xf32>, %l: tensor<4xf32>, %x: tensor<4x32xf16>) -> tensor<4x32xf16> {
  %y = smx.finish #smx.softmax<exp> "softmax" (%m, %l : tensor<4xf32>, tensor<4xf32>)
      with (%x : tensor<4x32xf16>) maps [#row, #row, #all, #all] : tensor<4x32xf16>
  return %y : tensor<4x32xf16>
}

// No exponential on the way: what would underflow keeps its digits.
// CHECK-LABEL: @log_softmax
// CHECK-NOT: math.exp
// CHECK: %log_of_the_sum = linalg.generic
// CHECK: math.log
// CHECK: %log-softmax = linalg.generic
// CHECK-NOT: math.log
// CHECK: return %log-softmax
func.func @log_softmax(%m: tensor<4xf32>, %l: tensor<4xf32>, %x: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %y = smx.finish #smx.softmax<exp> "log_softmax" (%m, %l : tensor<4xf32>, tensor<4xf32>)
      with (%x : tensor<4x32xf32>) maps [#row, #row, #all, #all] : tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

// A state in base 2: its maximum is a multiple of ln 2.
// CHECK-LABEL: @log_sum_exp_of_base_2
// CHECK: %log-sum-exp = linalg.generic
// CHECK: %[[LN2:.+]] = arith.constant 0.693147182 : f32
// CHECK: %[[MAXIMUM:.+]] = arith.mulf %{{.+}}, %[[LN2]]
// CHECK: %[[LOG:.+]] = math.log
// CHECK: arith.addf %[[MAXIMUM]], %[[LOG]]
func.func @log_sum_exp_of_base_2(%m: tensor<4xf32>, %l: tensor<4xf32>) -> tensor<4xf32> {
  %y = smx.finish #smx.softmax<exp2> "logsumexp" (%m, %l : tensor<4xf32>, tensor<4xf32>) maps [#row, #row, #row] : tensor<4xf32>
  return %y : tensor<4xf32>
}

// acc * (1/l), and 0 for a row in which nothing is visible.
// CHECK-LABEL: @average_with_a_masked_row
// CHECK-SAME: %[[L:[^:]+]]: tensor<4xf32>, %[[ACC:[^:]+]]: tensor<4x8xf32>
// CHECK: %reciprocal_of_the_sum = linalg.generic {{.*}} ins(%[[L]] :
// CHECK: arith.divf
// CHECK: %[[ZERO:.+]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[NOTHING:.+]] = arith.cmpf oeq, %{{.+}}, %{{.+}} : f32
// CHECK-NEXT: arith.select %[[NOTHING]], %[[ZERO]]
// CHECK: %average = linalg.generic {{.*}} ins(%[[ACC]], %reciprocal_of_the_sum :
// CHECK-NOT: arith.divf
// CHECK: return %average
func.func @average_with_a_masked_row(%m: tensor<4xf32>, %l: tensor<4xf32>, %acc: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %y = smx.finish #smx.softmax<exp, masked_row = zero> "average" (%m, %l, %acc : tensor<4xf32>, tensor<4xf32>, tensor<4x8xf32>)
      maps [#i, #i, #id, #id] : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
