// RUN: softmax-opt %s --smx-expand-state --canonicalize --mlir-use-nameloc-as-prefix | FileCheck %s

#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
!row = tensor<4xf32>
!tile = tensor<4x32xf32>

// CHECK-LABEL: @update
// CHECK-SAME: %[[S:[^:]+]]: tensor<4xf32>, %[[Y:[^:]+]]: tensor<4x32xf32>, %[[G:[^:]+]]: tensor<4x32xf32>
// CHECK: %running_sum = linalg.generic {{.*}} ins(%[[Y]], %[[G]] : {{.*}}) outs(%[[S]] :
// CHECK: %[[P:.+]] = arith.mulf
// CHECK: arith.addf %[[P]]
func.func @update(%s: !row, %y: !tile, %g: !tile) -> !row {
  %0 = smx.update #smx.gradient<softmax, scale = 1.0 : f64> (%s : !row) with (%y, %g : !tile, !tile) maps [#row, #all, #all]
  return %0 : !row
}

// y*(g - s)
// CHECK-LABEL: @softmax
// CHECK: %gradient = linalg.generic
// CHECK: %[[D:.+]] = arith.subf
// CHECK: %[[P:.+]] = arith.mulf %{{.+}}, %[[D]]
// CHECK: %[[Q:.+]] = arith.mulf %[[P]], %cst
// CHECK: linalg.yield %[[Q]]
func.func @softmax(%s: !row, %y: !tile, %g: !tile) -> !tile {
  %0 = smx.finish #smx.gradient<softmax, scale = 0.5 : f64> "gradient" (%s : !row) with (%y, %g : !tile, !tile) maps [#row, #all, #all, #all] : !tile
  return %0 : !tile
}

// g - exp(y)*s
// CHECK-LABEL: @log_softmax
// CHECK: %[[E:.+]] = math.exp
// CHECK: %[[P:.+]] = arith.mulf %[[E]]
// CHECK: %[[D:.+]] = arith.subf %{{.+}}, %[[P]]
// CHECK: linalg.yield %[[D]]
func.func @log_softmax(%s: !row, %y: !tile, %g: !tile) -> !tile {
  %0 = smx.finish #smx.gradient<log_softmax, scale = 1.0 : f64> "gradient" (%s : !row) with (%y, %g : !tile, !tile) maps [#row, #all, #all, #all] : !tile
  return %0 : !tile
}
