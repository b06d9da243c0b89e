// RUN: softmax-opt %s --smx-online --smx-tile='rows=4 stream=32 resident-bytes=0 deferred-bytes=0' --canonicalize --cse | FileCheck %s

// A value per element takes the stream once more, now that the state is finished.

// CHECK-LABEL: @softmax
// CHECK-SAME: %[[X:.+]]: tensor<8x128xf32>
// CHECK: scf.forall (%[[R:.+]]) = (0) to (8) step (4) shared_outs(%[[OUT:.+]] = %{{.+}})
// CHECK: %[[S:.+]]:2 = scf.for {{.*}} = %c0 to %c128 step %c32
// CHECK: smx.update
// CHECK: }
// CHECK: %[[ROWS:.+]] = tensor.extract_slice %[[OUT]][%[[R]], 0] [4, 128] [1, 1]
// CHECK: %[[Y:.+]] = scf.for %[[J:.+]] = %c0 to %c128 step %c32 iter_args(%[[BLOCK:.+]] = %[[ROWS]]) -> (tensor<4x128xf32>) {
// CHECK: %[[T:.+]] = tensor.extract_slice %[[X]][%[[R]], %[[J]]] [4, 32] [1, 1]
// CHECK: %[[F:.+]] = smx.finish {{.*}} "softmax"(%[[S]]#0, %[[S]]#1 : {{.*}}) with(%[[T]] : tensor<4x32xf32>)
// CHECK: %[[B:.+]] = tensor.insert_slice %[[F]] into %[[BLOCK]][0, %[[J]]] [4, 32] [1, 1]
// CHECK: scf.yield %[[B]]
// CHECK: tensor.parallel_insert_slice %[[Y]] into %[[OUT]][%[[R]], 0] [4, 128] [1, 1]
func.func @softmax(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %y = smx.softmax %x axis(1) : tensor<8x128xf32> -> tensor<8x128xf32>
  return %y : tensor<8x128xf32>
}
