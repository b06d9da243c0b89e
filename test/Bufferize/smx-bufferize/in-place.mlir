// RUN: softmax-opt %s --smx-online --smx-tile='rows=4 stream=32' --canonicalize --cse --smx-expand-state --canonicalize \
// RUN:   --smx-destination-arguments --smx-bufferize --canonicalize --cse --canonicalize | FileCheck %s

// The state stays where it is: the loop carries no buffer, and copies none.

// CHECK-LABEL: @state_of_a_loop
// CHECK-SAME: %[[X:.+]]: memref<8x128xf32, {{.*}}>, %[[Y:.+]]: memref<8xf32,
// CHECK: scf.forall
// CHECK: %[[M:.+]] = memref.alloc() {{.*}} : memref<4xf32>
// CHECK: %[[L:.+]] = memref.alloc() {{.*}} : memref<4xf64>
// CHECK: scf.for %{{.+}} = %{{.+}} to %{{.+}} step %{{.+}} {
// CHECK-NOT: memref.copy
// CHECK: linalg.generic {{.*}} ins(%[[M]], %[[L]], %{{.+}} : {{.*}}) outs(%[[M]], %{{.+}}, %{{.+}}, %[[L]] :
// CHECK: linalg.generic {{.*}} outs(%[[L]] :
// CHECK-NOT: memref.copy
// The result is computed where the caller wants it.
// CHECK: linalg.generic {{.*}} ins(%[[L]] : memref<4xf64>) outs(%[[SUM:.+]] : memref<4xf32>)
// CHECK: %[[TILE:.+]] = memref.subview %[[Y]]
// CHECK: linalg.generic {{.*}} ins(%[[M]], %[[SUM]] : {{.*}}) outs(%[[TILE]] :
// CHECK-NOT: memref.copy
// CHECK: return
func.func @state_of_a_loop(%x: tensor<8x128xf32>) -> tensor<8xf32> {
  %y = smx.logsumexp %x axis(1) : tensor<8x128xf32> -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// Two passes write every tile of the destination once.
// CHECK-LABEL: @rows_of_the_destination
// CHECK-SAME: %[[X:.+]]: memref<8x1000000xf32, {{.*}}>, %[[Y:.+]]: memref<8x1000000xf32,
// CHECK-NOT: memref.alloc() {{.*}} : memref<4x1000000xf32>
// CHECK-NOT: memref.copy
// CHECK: return
func.func @rows_of_the_destination(%x: tensor<8x1000000xf32>) -> tensor<8x1000000xf32> {
  %y = smx.softmax %x axis(1) : tensor<8x1000000xf32> -> tensor<8x1000000xf32>
  return %y : tensor<8x1000000xf32>
}
