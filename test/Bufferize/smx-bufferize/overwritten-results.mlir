// RUN: softmax-opt %s --smx-destination-arguments --smx-bufferize --canonicalize --cse --canonicalize | FileCheck %s

// A value that is a result, and the init of another one in whose memory it was computed, is kept.

// CHECK-LABEL: @init_is_a_result
// CHECK-SAME: %[[SUM:[^:]+]]: memref<4xf32, {{.*}}>, %[[INIT:[^:]+]]: memref<4xf32, {{.*}}>)
// CHECK: linalg.fill {{.*}} outs(%[[SUM]] :
// CHECK: memref.copy %[[SUM]], %[[KEPT:.+]] :
// CHECK: linalg.reduce {{.*}} outs(%[[SUM]] :
// CHECK: memref.copy %[[KEPT]], %[[INIT]]
func.func @init_is_a_result(%x: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %c = arith.constant 3.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %z = linalg.fill ins(%c : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %a = linalg.reduce { arith.addf } ins(%x : tensor<4x8xf32>) outs(%z : tensor<4xf32>) dimensions = [1]
  return %a, %z : tensor<4xf32>, tensor<4xf32>
}

// Results with memory of their own, and one that is wanted twice or in part, need no scratch.
// CHECK-LABEL: @nothing_is_overwritten
// CHECK-NOT: memref.alloc
// CHECK: return
func.func @nothing_is_overwritten(%x: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<2xf32>, tensor<4xf32>) {
  %c = arith.constant 3.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %z = linalg.fill ins(%c : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %a = linalg.reduce { arith.addf } ins(%x : tensor<4x8xf32>) outs(%z : tensor<4xf32>) dimensions = [1]
  %part = tensor.extract_slice %a[1] [2] [1] : tensor<4xf32> to tensor<2xf32>
  %w = linalg.fill ins(%c : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %a, %a, %part, %w : tensor<4xf32>, tensor<4xf32>, tensor<2xf32>, tensor<4xf32>
}
