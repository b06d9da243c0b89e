// RUN: softmax-opt %s --smx-expand-state --mlir-use-nameloc-as-prefix --mlir-print-local-scope | FileCheck %s

#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>

// Every step is one op, named by its location; the state is updated in place.

// CHECK-LABEL: @row
// CHECK-SAME: %[[M:.+]]: tensor<4xf32>, %[[L:.+]]: tensor<4xf32>, %[[X:.+]]: tensor<4x32xf32>
// CHECK: %[[MINUS_INF:.+]] = arith.constant 0xFF800000 : f32
// CHECK: %[[START:.+]] = linalg.fill ins(%[[MINUS_INF]]
// CHECK: %tile_maximum = linalg.generic {{.*}} ["parallel", "reduction"]} ins(%[[X]] : {{.*}}) outs(%[[START]] : tensor<4xf32>)
// CHECK: ^bb0(%[[S:[^:]+]]: f32, %[[MAX:[^:]+]]: f32):
// CHECK-NEXT: %[[LARGER:.+]] = arith.cmpf ogt, %[[S]], %[[MAX]]
// CHECK-NEXT: arith.select %[[LARGER]], %[[S]], %[[MAX]]
// CHECK: %running_maximum_and_rescale_factor:4 = linalg.generic {{.*}} ["parallel"]}
// CHECK-SAME: ins(%[[M]], %[[L]], %tile_maximum : {{.*}}) outs(%[[M]], %{{.+}}, %{{.+}}, %[[L]] :
// CHECK: ^bb0(%[[OLD:[^:]+]]: f32, %[[OLD_SUM:[^:]+]]: f32, %[[TILE:[^:]+]]: f32,
// CHECK: %[[MOVES:.+]] = arith.cmpf ogt, %[[TILE]], %[[OLD]]
// CHECK: %[[NEW:.+]] = arith.select %[[MOVES]], %[[TILE]], %[[OLD]]
// An infinite maximum is replaced by 0: (-inf) - (-inf) would be NaN.
// CHECK: %[[ABS:.+]] = math.absf %[[NEW]]
// CHECK: %[[INFINITE:.+]] = arith.cmpf oeq, %[[ABS]], %{{.+}}
// CHECK: %[[REFERENCE:.+]] = arith.select %[[INFINITE]], %{{.+}}, %[[NEW]]
// CHECK: %[[JUMP:.+]] = arith.subf %[[OLD]], %[[REFERENCE]]
// CHECK: %[[FACTOR:.+]] = math.exp %[[JUMP]]
// CHECK: %[[RESCALED:.+]] = arith.mulf %[[OLD_SUM]], %[[FACTOR]]
// CHECK: linalg.yield %[[NEW]], %[[REFERENCE]], %[[FACTOR]], %[[RESCALED]]
// The weights of a tile are added up in f64.
// CHECK: %tile_sum = linalg.generic {{.*}} ins(%[[X]], %running_maximum_and_rescale_factor#1 : {{.*}}) outs(%{{.+}} : tensor<4xf64>)
// CHECK: %[[D:.+]] = arith.subf
// CHECK: %[[P:.+]] = math.exp %[[D]]
// CHECK: %[[WIDE:.+]] = arith.extf %[[P]] : f32 to f64
// CHECK: arith.addf %[[WIDE]]
// CHECK: %running_sum = linalg.generic {{.*}} ins(%tile_sum : {{.*}}) outs(%running_maximum_and_rescale_factor#3 :
// CHECK: return %running_maximum_and_rescale_factor#0, %running_sum
func.func @row(%m: tensor<4xf32>, %l: tensor<4xf32>, %x: tensor<4x32xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %s:2 = smx.update #smx.softmax<exp> (%m, %l : tensor<4xf32>, tensor<4xf32>) with (%x : tensor<4x32xf32>) maps [#row, #row, #all]
  return %s#0, %s#1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @half_scores
// CHECK: %tile_maximum = linalg.generic
// CHECK: arith.extf %{{.+}} : f16 to f32
// CHECK: %tile_sum = linalg.generic
// CHECK: arith.extf %{{.+}} : f16 to f32
func.func @half_scores(%m: tensor<4xf32>, %l: tensor<4xf32>, %x: tensor<4x32xf16>) -> tensor<4xf32> {
  %s:2 = smx.update #smx.softmax<exp> (%m, %l : tensor<4xf32>, tensor<4xf32>) with (%x : tensor<4x32xf16>) maps [#row, #row, #all]
  return %s#1 : tensor<4xf32>
}
