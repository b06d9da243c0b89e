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

// -----

// The block of a place is told by its absolute position; an extent of 1 is the same for all.
// CHECK-LABEL: @blocks
// CHECK-SAME: %[[MARKS:[^:]+]]: tensor<2x1x?x?xi8>
// CHECK: linalg.generic
// CHECK: %[[I:.+]] = linalg.index 2
// CHECK: %[[ROW:.+]] = arith.addi %[[I]]
// CHECK: %[[J:.+]] = linalg.index 3
// CHECK: %[[KEY:.+]] = arith.addi %[[J]]
// CHECK: %[[B:.+]] = linalg.index 0
// CHECK: %[[ROW_BLOCK:.+]] = arith.divsi %[[ROW]], %c64
// CHECK: %[[KEY_BLOCK:.+]] = arith.divsi %[[KEY]], %c16
// CHECK: %[[MARK:.+]] = tensor.extract %[[MARKS]][%[[B]], %c0{{.*}}, %[[ROW_BLOCK]], %[[KEY_BLOCK]]]
// CHECK: %[[NUMBER:.+]] = arith.index_cast %[[MARK]]
// CHECK: arith.cmpi ne, %[[NUMBER]], %c0
func.func @blocks(%s: tensor<2x3x4x8xf32>, %m: tensor<2x1x?x?xi8>, %i: index, %j: index, %n: index) -> tensor<2x3x4x8xf32> {
  %0 = smx.mask %s by #smx.blocks<rows = 64, keys = 16> reads(%m : tensor<2x1x?x?xi8>) dims(2, 3) at(%i, %j) of(%n, %n) : tensor<2x3x4x8xf32>
  return %0 : tensor<2x3x4x8xf32>
}

// -----

// The last row sees as many keys as there are, rows before it fewer.
// CHECK-LABEL: @causal_lengths
// CHECK-SAME: %[[I0:[^:]+]]: index, %[[ROWS:[^:]+]]: index
// CHECK: ^bb0(%{{.+}}: f32, %[[N:[^:]+]]: i32, %{{.+}}: f32):
// CHECK: %[[I:.+]] = linalg.index 0
// CHECK: %[[ROW:.+]] = arith.addi %[[I]], %[[I0]]
// CHECK: %[[LENGTH:.+]] = arith.index_cast %[[N]]
// CHECK: %[[LAST:.+]] = arith.addi %[[ROWS]], %c-1
// CHECK: %[[AFTER:.+]] = arith.subi %[[LAST]], %[[ROW]]
// CHECK: %[[END:.+]] = arith.subi %[[LENGTH]], %[[AFTER]]
// CHECK: arith.cmpi slt, %{{.+}}, %[[END]]
func.func @causal_lengths(%s: tensor<4x8xf32>, %n: tensor<i32>, %i: index, %rows: index) -> tensor<4x8xf32> {
  %0 = smx.mask %s by #smx.key_lengths<causal> reads(%n : tensor<i32>) dims(0, 1) at(%i, %i) of(%rows, %rows) : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// Rows behind the last query are the queries again.
// CHECK-LABEL: @packed
// CHECK: %[[ROW:.+]] = arith.addi
// CHECK: %[[REST:.+]] = arith.remsi %[[ROW]], %c4
// CHECK: %[[QUERY:.+]] = arith.select %{{.+}}, %{{.+}}, %[[REST]]
// CHECK: %[[DIAGONAL:.+]] = arith.addi %[[QUERY]]
// CHECK: arith.cmpi sle, %{{.+}}, %[[DIAGONAL]]
func.func @packed(%s: tensor<4x8xf32>, %i: index, %n: index) -> tensor<4x8xf32> {
  %0 = smx.mask %s by #smx.packed<#smx.band<bottom_right, right = 0>, queries = 4> dims(0, 1) at(%i, %i) of(%n, %n) : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
