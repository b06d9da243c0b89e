// RUN: softmax-opt %s --smx-online | FileCheck %s
// RUN: softmax-opt %s --smx-online --smx-expand-state | FileCheck %s --check-prefix=EXPANDED

// A sink joins the finished state: the stream does not see it.

// CHECK-LABEL: @sinks
// CHECK-SAME: %[[SINKS:[^:]+]]: tensor<4xf32>)
// CHECK: %[[S:.+]]:3 = smx.update
// CHECK: smx.finish #smx.softmax<{{.+}}> "average_with_sink"(%[[S]]#0, %[[S]]#1, %[[S]]#2 :{{.+}}) with(%[[SINKS]] :
// CHECK: smx.finish #smx.softmax<{{.+}}> "logsumexp_with_sink"(%[[S]]#0, %[[S]]#1, %[[S]]#2 :{{.+}}) with(%[[SINKS]] :

// In base 2, as the state; where its reference is a power of two times the maximum, so is the sink: 0.25 log2(e) = 0.36, and 0.5 / 0.25.
// EXPANDED: ins(%{{.+}}, %{{.+}}, %{{.+}} : tensor<4x7xf32>, tensor<4x7xf32>, tensor<4xf32>)
// EXPANDED: ^bb0(%{{[^:]+}}: f32, %{{[^:]+}}: f32, %[[GIVEN:[^:]+]]: f32,
// EXPANDED: %[[LOG2E:.+]] = arith.constant 1.44269502 : f32
// EXPANDED: %[[FINE:.+]] = arith.mulf %[[GIVEN]], %[[LOG2E]]
// EXPANDED: %[[TWO:.+]] = arith.constant 2.000000e+00 : f32
// EXPANDED: %[[COARSE:.+]] = arith.mulf %[[GIVEN]], %[[TWO]]
// EXPANDED-DAG: %[[ABOVE:.+]] = arith.cmpf ogt, %[[FINE]], %{{.+}}
// EXPANDED-DAG: %[[BELOW:.+]] = arith.cmpf ogt, %{{.+}}, %[[FINE]]
// EXPANDED: %[[IS_COARSE:.+]] = arith.ori %[[ABOVE]], %[[BELOW]]
// EXPANDED: %[[SINK:.+]] = arith.select %[[IS_COARSE]], %[[COARSE]], %[[FINE]]
// EXPANDED: arith.cmpf ogt, %{{.+}}, %[[SINK]]
// EXPANDED: %[[FACTOR:.+]] = math.exp2
// EXPANDED: %[[WEIGHT:.+]] = math.exp2
// EXPANDED: math.fma %{{.+}}, %[[FACTOR]], %[[WEIGHT]]

// What a coarse reference rounds is the sink itself, if it is that of the sink.
// EXPANDED: ins(%{{.+}}, %{{.+}}, %{{.+}} : tensor<4x7xf32>, tensor<4x7xf32>, tensor<4xf32>)
// EXPANDED: ^bb0(%[[REFERENCE:[^:]+]]: f32, %{{[^:]+}}: f32, %[[GIVEN2:[^:]+]]: f32,
// EXPANDED: %[[IS_SINK:.+]] = arith.cmpf oeq, %[[REFERENCE]], %{{.+}}
// EXPANDED: %[[BOTH:.+]] = arith.andi %{{.+}}, %[[IS_SINK]]
// EXPANDED: %[[MAXIMUM:.+]] = arith.select %[[BOTH]], %[[GIVEN2]], %{{.+}}
// EXPANDED: arith.addf %[[MAXIMUM]],
func.func @sinks(%q: tensor<4x7x16xf32>, %k: tensor<2x9x16xf32>, %v: tensor<2x9x4xf32>, %sinks: tensor<4xf32>)
    -> (tensor<4x7x4xf32>, tensor<4x7xf32>) {
  %o, %l = smx.attention %q, %k, %v scale(0.25) sinks(%sinks : tensor<4xf32>)
     : tensor<4x7x16xf32>, tensor<2x9x16xf32>, tensor<2x9x4xf32> -> tensor<4x7x4xf32>, tensor<4x7xf32>
  return %o, %l : tensor<4x7x4xf32>, tensor<4x7xf32>
}
