// RUN: softmax-opt %s --smx-online | FileCheck %s
// RUN: softmax-opt %s --smx-online --smx-expand-state | FileCheck %s --check-prefix=EXPANDED

// A sink joins the finished state: the stream does not see it.

// CHECK-LABEL: @sinks
// CHECK-SAME: %[[SINKS:[^:]+]]: tensor<4xf32>)
// CHECK: %[[S:.+]]:3 = smx.update
// CHECK: smx.finish #smx.softmax<{{.+}}> "average_with_sink"(%[[S]]#0, %[[S]]#1, %[[S]]#2 :{{.+}}) with(%[[SINKS]] :
// CHECK: smx.finish #smx.softmax<{{.+}}> "logsumexp_with_sink"(%[[S]]#0, %[[S]]#1, %[[S]]#2 :{{.+}}) with(%[[SINKS]] :

// In base 2, as the state.
// EXPANDED: ins(%{{.+}}, %{{.+}}, %{{.+}} : tensor<4x7xf32>, tensor<4x7xf32>, tensor<4xf32>)
// EXPANDED: %[[LOG2E:.+]] = arith.constant 1.44269502 : f32
// EXPANDED: %[[SINK:.+]] = arith.mulf %{{.+}}, %[[LOG2E]]
// EXPANDED: arith.cmpf ogt, %{{.+}}, %[[SINK]]
// EXPANDED: %[[FACTOR:.+]] = math.exp2
// EXPANDED: %[[WEIGHT:.+]] = math.exp2
// EXPANDED: math.fma %{{.+}}, %[[FACTOR]], %[[WEIGHT]]
func.func @sinks(%q: tensor<4x7x16xf32>, %k: tensor<2x9x16xf32>, %v: tensor<2x9x4xf32>, %sinks: tensor<4xf32>)
    -> (tensor<4x7x4xf32>, tensor<4x7xf32>) {
  %o, %l = smx.attention %q, %k, %v scale(0.25) sinks(%sinks : tensor<4xf32>)
     : tensor<4x7x16xf32>, tensor<2x9x16xf32>, tensor<2x9x4xf32> -> tensor<4x7x4xf32>, tensor<4x7xf32>
  return %o, %l : tensor<4x7x4xf32>, tensor<4x7xf32>
}
