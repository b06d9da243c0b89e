// RUN: softmax-opt %s --smx-expand-state --split-input-file | FileCheck %s

// CHECK-LABEL: @causal
// CHECK-SAME: %[[I0:[^:]+]]: index, %[[J0:[^:]+]]: index, %[[ROWS:[^:]+]]: index, %[[KEYS:[^:]+]]: index
// CHECK: %[[MINUS_INF:.+]] = arith.constant 0xFF800000 : f32
// CHECK: linalg.generic
// CHECK: ^bb0(%[[S:[^:]+]]: f32, %{{.+}}: f32):
// CHECK: %[[I:.+]] = linalg.index 0
// CHECK: %[[ROW:.+]] = arith.addi %[[I]], %[[I0]]
// CHECK: %[[J:.+]] = linalg.index 1
// CHECK: %[[KEY:.+]] = arith.addi %[[J]], %[[J0]]
// CHECK: %[[OFFSET:.+]] = arith.subi %[[KEYS]], %[[ROWS]]
// CHECK: %[[DIAGONAL:.+]] = arith.addi %[[ROW]], %[[OFFSET]]
// CHECK: %[[SEEN:.+]] = arith.cmpi sle, %[[KEY]], %[[DIAGONAL]]
// CHECK: %[[Y:.+]] = arith.select %[[SEEN]], %[[S]], %[[MINUS_INF]]
// CHECK: linalg.yield %[[Y]]
func.func @causal(%s: tensor<4x8xf32>, %i: index, %j: index, %m: index, %n: index) -> tensor<4x8xf32> {
  %0 = smx.mask %s by #smx.band<bottom_right, right = 0> dims(0, 1) at(%i, %j) of(%m, %n) : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: @window
// CHECK: %[[RIGHT:.+]] = arith.cmpi sle
// CHECK: %[[LEFT:.+]] = arith.cmpi sle
// CHECK: arith.andi %[[RIGHT]], %[[LEFT]]
func.func @window(%s: tensor<4x8xf32>, %i: index, %n: index) -> tensor<4x8xf32> {
  %0 = smx.mask %s by #smx.band<top_left, left = 3, right = 1> dims(0, 1) at(%i, %i) of(%n, %n) : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// The dims say which index is the row.
// CHECK-LABEL: @prefix_of_transposed_scores
// CHECK: %[[ROW:.+]] = linalg.index 1
// CHECK: %[[KEY:.+]] = linalg.index 0
// CHECK-DAG: %[[CAUSAL:.+]] = arith.cmpi sle
// CHECK-DAG: %[[PREFIX:.+]] = arith.cmpi slt
// CHECK: arith.ori %[[PREFIX]], %[[CAUSAL]]
func.func @prefix_of_transposed_scores(%s: tensor<8x4xf32>, %i: index, %n: index) -> tensor<8x4xf32> {
  %0 = smx.mask %s by #smx.prefix<top_left, length = 5> dims(1, 0) at(%i, %i) of(%n, %n) : tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
