// RUN: softmax-opt %s --smx-expand-state --canonicalize --mlir-use-nameloc-as-prefix | FileCheck %s

#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>

// The tile is the whole row: one exponential per element, kept and divided.
// CHECK-LABEL: @softmax
// CHECK: %tile_maximum = linalg.generic
// CHECK-NOT: %running_sum
// CHECK: %weights_and_running_sum:2 = linalg.generic
// CHECK: math.exp
// An approximate 1/l, and what it lacks: one step of Newton's iteration for a row, none for an element.
// CHECK: %reciprocal_of_the_sum:2 = linalg.generic
// CHECK: %[[L:.+]] = arith.truncf %[[SUM:.+]] : f64 to f32
// CHECK: %[[H:.+]] = arith.divf %{{.+}}, %[[L]] fastmath<afn>
// CHECK: %[[INVERSE:.+]] = arith.select %{{.+}}, %{{.+}}, %[[H]]
// CHECK: %[[MINUS:.+]] = arith.negf %[[L]]
// CHECK: %[[ROUGH:.+]] = math.fma %[[INVERSE]], %[[MINUS]], %{{.+}}
// CHECK: %[[LACKS:.+]] = arith.subf %{{.+}}, %[[SUM]] : f64
// CHECK: %[[LOW:.+]] = arith.truncf %[[LACKS]]
// CHECK: %[[LEFT:.+]] = math.fma %[[INVERSE]], %[[LOW]], %[[ROUGH]]
// CHECK: %[[REST:.+]] = arith.mulf %[[LEFT]], %[[INVERSE]]
// CHECK: linalg.yield %[[INVERSE]], %[[REST]]
// CHECK: %normalise = linalg.generic {{.*}} ins(%weights_and_running_sum#0, %reciprocal_of_the_sum#0, %reciprocal_of_the_sum#1 :
// CHECK: ^bb0(%[[W:[^:]+]]: f32, %[[A:[^:]+]]: f32, %[[B:[^:]+]]: f32
// CHECK: %[[SMALL:.+]] = arith.mulf %[[W]], %[[B]]
// CHECK: math.fma %[[W]], %[[A]], %[[SMALL]]
// CHECK-NOT: math.exp
// CHECK: return %normalise
func.func @softmax(%x: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %i:2 = smx.identity #smx.softmax<exp> -> tensor<4xf32>, tensor<4xf32>
  %s:2 = smx.update #smx.softmax<exp> (%i#0, %i#1 : tensor<4xf32>, tensor<4xf32>) with (%x : tensor<4x32xf32>) maps [#row, #row, #all]
  %y = smx.finish #smx.softmax<exp> "softmax" (%s#0, %s#1 : tensor<4xf32>, tensor<4xf32>)
      with (%x : tensor<4x32xf32>) maps [#row, #row, #all, #all] : tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

// Another tensor than the one that was streamed: nothing is resident.
// CHECK-LABEL: @of_another_tensor
// CHECK: %first_sum = linalg.generic
// CHECK: %normalise = linalg.generic
// CHECK: math.exp
func.func @of_another_tensor(%x: tensor<4x32xf32>, %z: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %i:2 = smx.identity #smx.softmax<exp> -> tensor<4xf32>, tensor<4xf32>
  %s:2 = smx.update #smx.softmax<exp> (%i#0, %i#1 : tensor<4xf32>, tensor<4xf32>) with (%x : tensor<4x32xf32>) maps [#row, #row, #all]
  %y = smx.finish #smx.softmax<exp> "softmax" (%s#0, %s#1 : tensor<4xf32>, tensor<4xf32>)
      with (%z : tensor<4x32xf32>) maps [#row, #row, #all, #all] : tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

// A sum in the type of the result loses nothing, and 1/0 of a hidden row is 0, which lacks nothing.
// CHECK-LABEL: @wide
// CHECK: %reciprocal_of_the_sum:2 = linalg.generic
// CHECK: %[[H:.+]] = arith.divf %{{.+}}, %[[L:[^ ]+]] fastmath<afn> : f64
// CHECK: arith.cmpf oeq, %[[L]], %{{.+}} : f64
// CHECK-NEXT: %[[OR_NAN:.+]] = arith.select
// CHECK-NEXT: %[[IS_HIDDEN:.+]] = arith.cmpf oeq, %[[L]], %[[ZERO:.+]] : f64
// CHECK-NEXT: %[[INVERSE:.+]] = arith.select %[[IS_HIDDEN]], %[[ZERO]], %[[OR_NAN]]
// CHECK-NOT: arith.subf
// CHECK: %[[REST:.+]] = arith.mulf %{{.+}}, %[[INVERSE]]
// CHECK-NEXT: linalg.yield %[[INVERSE]], %[[REST]]
func.func @wide(%x: tensor<4x32xf64>) -> tensor<4x32xf64> {
  %i:2 = smx.identity #smx.softmax<exp, masked_row = zero> -> tensor<4xf64>, tensor<4xf64>
  %s:2 = smx.update #smx.softmax<exp, masked_row = zero> (%i#0, %i#1 : tensor<4xf64>, tensor<4xf64>) with (%x : tensor<4x32xf64>) maps [#row, #row, #all]
  %y = smx.finish #smx.softmax<exp, masked_row = zero> "softmax" (%s#0, %s#1 : tensor<4xf64>, tensor<4xf64>)
      with (%x : tensor<4x32xf64>) maps [#row, #row, #all, #all] : tensor<4x32xf64>
  return %y : tensor<4x32xf64>
}
