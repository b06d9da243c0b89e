// RUN: softmax-opt %s --smx-online | FileCheck %s

// A score region sees scaled scores: the scale leaves the algebra.

// CHECK-LABEL: @bias
// CHECK-SAME: %[[BIAS:[^:]+]]: tensor<7x9xf32>)
// CHECK: %[[S:.+]] = linalg.generic {{.*}} "reduction"]
// CHECK: %[[T:.+]] = linalg.generic {{.*}} ["parallel", "parallel", "parallel"]{{.*}} ins(%[[S]] : tensor<2x7x9xf32>)
// CHECK: ^bb0(%[[IN:.+]]: f32, %{{.+}}: f32):
// CHECK-DAG: %[[I:.+]] = linalg.index 1
// CHECK-DAG: %[[J:.+]] = linalg.index 2
// CHECK-DAG: %[[C:.+]] = arith.constant 2.500000e-01 : f32
// CHECK: %[[SCALED:.+]] = arith.mulf %[[IN]], %[[C]]
// CHECK: %[[B:.+]] = tensor.extract %[[BIAS]][%[[I]], %[[J]]]
// CHECK: %[[SUM:.+]] = arith.addf %[[SCALED]], %[[B]]
// CHECK: linalg.yield %[[SUM]]
// CHECK: smx.update #smx.softmax<exp2, masked_row = zero>({{.*}}) with(%[[T]], {{.*}}]{{$}}
func.func @bias(%q: tensor<2x7x16xf32>, %k: tensor<2x9x16xf32>, %v: tensor<2x9x4xf32>, %bias: tensor<7x9xf32>) -> tensor<2x7x4xf32> {
  %o = smx.attention %q, %k, %v scale(0.25) score {
  ^bb0(%s: f32, %h: index, %i: index, %j: index):
    %b = tensor.extract %bias[%i, %j] : tensor<7x9xf32>
    %t = arith.addf %s, %b : f32
    smx.yield %t : f32
  } : tensor<2x7x16xf32>, tensor<2x9x16xf32>, tensor<2x9x4xf32> -> tensor<2x7x4xf32>
  return %o : tensor<2x7x4xf32>
}
