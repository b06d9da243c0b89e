// RUN: softmax-opt %s --smx-online --mlir-print-local-scope | FileCheck %s

// Every score gets a key that knows its place; softmax's state and the largest keys are one state.
// CHECK-LABEL: @topk
// CHECK-SAME: %[[X:.+]]: tensor<4x8xf32>
// CHECK: %[[KEYS:.+]] = linalg.generic {{.*}} ins(%[[X]] : tensor<4x8xf32>) outs(%{{.+}} : tensor<4x8xf64>)
// CHECK: linalg.index 1
// CHECK: arith.extf
// CHECK: arith.ori
// CHECK: %[[I:.+]]:4 = smx.identity #[[A:smx.topk<#smx.softmax<exp>, k = 2>]] -> tensor<4xf32>, tensor<4xf32>, tensor<4xf64>, tensor<4xf64>
// CHECK: %[[S:.+]]:4 = smx.update #[[A]]({{.*}}) with(%[[X]], %[[KEYS]] : tensor<4x8xf32>, tensor<4x8xf64>)
// CHECK: smx.finish #[[A]] "probability_0"(%[[S]]#0, %[[S]]#1, %[[S]]#2, %[[S]]#3
// CHECK: smx.finish #[[A]] "probability_1"
// CHECK: linalg.yield %{{.+}} : f32
// CHECK: } -> tensor<4x2xf32>
// CHECK: smx.finish #[[A]] "place_0"
// CHECK: smx.finish #[[A]] "place_1"
// CHECK: arith.fptosi
// CHECK: } -> tensor<4x2xi64>
func.func @topk(%x: tensor<4x8xf32>) -> (tensor<4x2xf32>, tensor<4x2xi64>) {
  %p, %i = smx.topk_softmax %x axis(1) k(2) : tensor<4x8xf32> -> tensor<4x2xf32>, tensor<4x2xi64>
  return %p, %i : tensor<4x2xf32>, tensor<4x2xi64>
}
