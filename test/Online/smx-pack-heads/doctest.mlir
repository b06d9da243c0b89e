// RUN: softmax-opt %s --smx-pack-heads | FileCheck %s
// RUN: softmax-opt %s --smx-pack-heads --remarks-filter=smx-pack-heads -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: [Passed] PackHeads | Category:smx-pack-heads | heads=4, queries=4

// Row r of packed head h is query r mod 4 of head 4h + r/4; and back.
// CHECK-LABEL: @causal
// CHECK-SAME: %[[Q:[^:]+]]: tensor<8x4x64xbf16>
// CHECK: %[[P:.+]] = linalg.generic
// CHECK: %[[H:.+]] = linalg.index 0
// CHECK: %[[R:.+]] = linalg.index 1
// CHECK: %[[D:.+]] = linalg.index 2
// CHECK: %[[FIRST:.+]] = arith.muli %[[H]], %c4
// CHECK: %[[WITHIN:.+]] = arith.divsi %[[R]], %c4
// CHECK: %[[HEAD:.+]] = arith.addi %[[FIRST]], %[[WITHIN]]
// CHECK: %[[QUERY:.+]] = arith.remsi %[[R]], %c4
// CHECK: tensor.extract %[[Q]][%[[HEAD]], %[[QUERY]], %[[D]]]
// CHECK: -> tensor<2x16x64xbf16>
// CHECK: %[[O:.+]], %[[L:.+]] = smx.attention %[[P]], {{.*}} mask(#smx.packed<#smx.band<bottom_right, right = 0>, queries = 4>)
// CHECK-SAME: -> tensor<2x16x64xbf16>, tensor<2x16xf32>
// CHECK: linalg.generic
// CHECK: %[[H2:.+]] = linalg.index 0
// CHECK: %[[I2:.+]] = linalg.index 1
// CHECK: %[[IN:.+]] = arith.remsi %[[H2]], %c4
// CHECK: %[[SKIPPED:.+]] = arith.muli %[[IN]], %c4
// CHECK: %[[PH:.+]] = arith.divsi %[[H2]], %c4
// CHECK: %[[PR:.+]] = arith.addi %[[SKIPPED]], %[[I2]]
// CHECK: tensor.extract %[[O]][%[[PH]], %[[PR]], %{{.+}}]
// CHECK: -> tensor<8x4x64xbf16>
// CHECK: tensor.extract %[[L]]
// CHECK: -> tensor<8x4xf32>
!q = tensor<8x4x64xbf16>
!k = tensor<2x512x64xbf16>
func.func @causal(%q: !q, %k: !k, %v: !k) -> (!q, tensor<8x4xf32>) {
  %o, %l = smx.attention %q, %k, %v scale(0.125) mask(#smx.band<bottom_right, right = 0>) : !q, !k, !k -> !q, tensor<8x4xf32>
  return %o, %l : !q, tensor<8x4xf32>
}

// A region is asked for the head and the query.
// CHECK-LABEL: @with_score
// CHECK: smx.attention
// CHECK: ^bb0(%{{.+}}: f32, %[[H:.+]]: index, %[[R:.+]]: index, %[[J:.+]]: index):
// CHECK: %[[FIRST:.+]] = arith.muli %[[H]], %c2
// CHECK: %[[WITHIN:.+]] = arith.divsi %[[R]], %c8
// CHECK: %[[HEAD:.+]] = arith.addi %[[FIRST]], %[[WITHIN]]
// CHECK: %[[QUERY:.+]] = arith.remsi %[[R]], %c8
// CHECK: tensor.extract %{{.+}}[%[[HEAD]], %[[QUERY]], %[[J]]]
!q8 = tensor<8x8x64xf32>
!k8 = tensor<2x32x64xf32>
func.func @with_score(%q: !q8, %k: !k8, %v: !k8, %bias: tensor<8x8x32xf32>) -> !q8 {
  %o = smx.attention %q, %k, %v scale(0.125) score {
  ^bb0(%s: f32, %h: index, %i: index, %j: index):
    %b = tensor.extract %bias[%h, %i, %j] : tensor<8x8x32xf32>
    %t = arith.addf %s, %b : f32
    smx.yield %t : f32
  } : !q8, !k8, !k8 -> !q8
  return %o : !q8
}
