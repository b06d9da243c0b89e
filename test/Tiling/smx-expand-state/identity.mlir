// RUN: softmax-opt %s --smx-expand-state | FileCheck %s

// The running maximum starts at -inf, which max and exp know how to leave; NaN, or the lowest finite value, they would keep.
// CHECK-NOT: 0x7FC00000
// CHECK-NOT: 0xFF7FFFFF

// CHECK-LABEL: @single
// CHECK-DAG: %[[MINUS_INF:.+]] = arith.constant 0xFF800000 : f32
// CHECK-DAG: %[[ZERO:.+]] = arith.constant 0.000000e+00 : f32
// CHECK-DAG: %[[M:.+]] = linalg.fill ins(%[[MINUS_INF]] : f32) outs(%{{.+}} : tensor<4xf32>)
// CHECK-DAG: %[[L:.+]] = linalg.fill ins(%[[ZERO]] : f32) outs(%{{.+}} : tensor<4xf32>)
// CHECK: return %[[M]], %[[L]]
func.func @single() -> (tensor<4xf32>, tensor<4xf32>) {
  %s:2 = smx.identity #smx.softmax<exp> -> tensor<4xf32>, tensor<4xf32>
  return %s#0, %s#1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @double
// CHECK: arith.constant 0xFFF0000000000000 : f64
func.func @double() -> tensor<f64> {
  %s:2 = smx.identity #smx.softmax<exp2> -> tensor<f64>, tensor<f64>
  return %s#0 : tensor<f64>
}

// Extents are taken in the order in which the types show them.
// CHECK-LABEL: @dynamic_accumulator
// CHECK-SAME: %[[N:.+]]: index, %[[D:.+]]: index
// CHECK: %[[M:.+]] = tensor.empty(%[[N]]) : tensor<?xf32>
// CHECK: %[[L:.+]] = tensor.empty(%[[N]]) : tensor<?xf32>
// CHECK: %[[ACC:.+]] = tensor.empty(%[[N]], %[[D]]) : tensor<?x?xf32>
func.func @dynamic_accumulator(%n: index, %d: index) -> tensor<?x?xf32> {
  %s:3 = smx.identity #smx.softmax<exp> (%n, %n, %n, %d) -> tensor<?xf32>, tensor<?xf32>, tensor<?x?xf32>
  return %s#2 : tensor<?x?xf32>
}

// CHECK-LABEL: @moments
// CHECK-NOT: 0xFF800000
// CHECK-COUNT-3: linalg.fill
func.func @moments() -> tensor<4xf32> {
  %s:3 = smx.identity #smx.moments<epsilon = 0.0 : f64> -> tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  return %s#2 : tensor<4xf32>
}
