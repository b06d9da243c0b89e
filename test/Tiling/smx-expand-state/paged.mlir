// Pages that no loop reads in place are gathered.
// RUN: softmax-opt %s --smx-expand-state | FileCheck %s

// CHECK-LABEL: @gather
// CHECK-SAME: %[[PAGES:[^:]+]]: tensor<9x4x2x8xf32>, %[[TABLE:[^:]+]]: tensor<3x5xi32>, %[[N:[^:]+]]: tensor<3xi32>
// CHECK: linalg.generic
// CHECK: %[[B:.+]] = linalg.index 0
// CHECK: %[[H:.+]] = linalg.index 1
// CHECK: %[[J:.+]] = linalg.index 2
// CHECK: %[[D:.+]] = linalg.index 3
// CHECK: tensor.extract %[[N]][%[[B]]]
// CHECK: %[[USED:.+]] = arith.cmpi slt, %[[J]]
// CHECK: tensor.extract %[[TABLE]][%[[B]], %{{.+}}]
// CHECK: %[[PAGE:.+]] = arith.select %[[USED]], %{{.+}}, %c0
// CHECK: %[[AT:.+]] = affine.apply {{.+}}[%[[J]]]
// CHECK: tensor.extract %[[PAGES]][%[[PAGE]], %[[AT]], %[[H]], %[[D]]]
func.func @gather(%p: tensor<9x4x2x8xf32>, %t: tensor<3x5xi32>, %n: tensor<3xi32>) -> tensor<3x2x20x8xf32> {
  %k = smx.paged %p by(%t, %n : tensor<3x5xi32>, tensor<3xi32>) : tensor<9x4x2x8xf32> -> tensor<3x2x20x8xf32>
  return %k : tensor<3x2x20x8xf32>
}
