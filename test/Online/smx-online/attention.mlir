// RUN: softmax-opt %s --smx-online --mlir-print-local-scope | FileCheck %s

// Scores are an ordinary product; the average over values is a state with an accumulator. The scale is the algebra's.

// CHECK-LABEL: @single_head
// CHECK-SAME: %[[Q:.+]]: tensor<7x16xf32>, %[[K:.+]]: tensor<9x16xf32>, %[[V:.+]]: tensor<9x4xf32>
// CHECK: %[[S:.+]] = linalg.generic
// CHECK-SAME: [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>]
// CHECK-SAME: ["parallel", "parallel", "reduction"]
// CHECK-SAME: ins(%[[Q]], %[[K]] : {{.*}}) outs(%{{.+}} : tensor<7x9xf32>)
// CHECK: %[[I:.+]]:3 = smx.identity #[[A:smx.softmax<exp2, scale = 2.500000e-01, masked_row = zero>]]
// CHECK-SAME: -> tensor<7xf32>, tensor<7xf32>, tensor<7x4xf32>
// CHECK: %[[U:.+]]:3 = smx.update #[[A]](%[[I]]#0, %[[I]]#1, %[[I]]#2 :
// CHECK-SAME: with(%[[S]], %[[V]] : tensor<7x9xf32>, tensor<9x4xf32>)
// CHECK-SAME: maps [affine_map<(d0, d1, d2) -> (d0)>, affine_map<(d0, d1, d2) -> (d0)>, affine_map<(d0, d1, d2) -> (d0, d2)>,
// CHECK-SAME: affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d1, d2)>]{{$}}
// CHECK: %[[O:.+]] = smx.finish #[[A]] "average"(%[[U]]#0, %[[U]]#1, %[[U]]#2 : {{.*}}) {{.*}} : tensor<7x4xf32>
// CHECK: return %[[O]]
func.func @single_head(%q: tensor<7x16xf32>, %k: tensor<9x16xf32>, %v: tensor<9x4xf32>) -> tensor<7x4xf32> {
  %o = smx.attention %q, %k, %v scale(0.25) : tensor<7x16xf32>, tensor<9x16xf32>, tensor<9x4xf32> -> tensor<7x4xf32>
  return %o : tensor<7x4xf32>
}
