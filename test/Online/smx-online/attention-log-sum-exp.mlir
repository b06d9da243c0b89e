// RUN: softmax-opt %s --smx-online | FileCheck %s

// Two quantities of one state.

// CHECK-LABEL: @average_and_log_sum_exp
// CHECK-COUNT-1: smx.update
// CHECK-NOT: smx.update
// CHECK: %[[O:.+]] = smx.finish #[[A:.+]] "average"(%[[U:.+]]#0, %[[U]]#1, %[[U]]#2 : {{.*}} : tensor<7x4xbf16>
// CHECK: %[[L:.+]] = smx.finish #[[A]] "logsumexp"(%[[U]]#0, %[[U]]#1, %[[U]]#2 : {{.*}} : tensor<7xf32>
// CHECK: return %[[O]], %[[L]]
func.func @average_and_log_sum_exp(%q: tensor<7x16xbf16>, %k: tensor<9x16xbf16>, %v: tensor<9x4xbf16>) -> (tensor<7x4xbf16>, tensor<7xf32>) {
  %o, %lse = smx.attention %q, %k, %v scale(0.25)
     : tensor<7x16xbf16>, tensor<9x16xbf16>, tensor<9x4xbf16> -> tensor<7x4xbf16>, tensor<7xf32>
  return %o, %lse : tensor<7x4xbf16>, tensor<7xf32>
}
