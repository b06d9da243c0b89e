// RUN: softmax-opt %s --smx-online --smx-tile='rows=4 stream=32 resident-bytes=0 deferred-bytes=2048' --canonicalize --cse | FileCheck %s
// RUN: softmax-opt %s --smx-online --smx-tile='rows=4 stream=32 resident-bytes=0 deferred-bytes=2047' --canonicalize --cse | FileCheck %s --check-prefix=TWICE

// Four rows of 128 f32 elements take 2048 bytes: where that may stay, the scores are seen once. What a tile gives is kept,
// beside the running maximum that it was taken by.

// CHECK-LABEL: @softmax
// CHECK-SAME: %[[X:.+]]: tensor<8x128xf32>
// CHECK: scf.forall (%[[R:.+]]) = (0) to (8) step (4) shared_outs(%[[OUT:.+]] = %{{.+}})
// CHECK: %[[S:.+]]:4 = scf.for %[[J:.+]] = %c0 to %c128 step %c32 iter_args({{.*}}, %[[W:.+]] = %{{.+}}, %[[M:.+]] = %{{.+}}) -> (tensor<4xf32>, tensor<4xf32>, tensor<4x128xf32>, tensor<4x4xf32>)
// CHECK: %[[T:.+]] = tensor.extract_slice %[[X]][%[[R]], %[[J]]] [4, 32] [1, 1]
// CHECK: %[[U:.+]]:2 = smx.update {{.*}} with(%[[T]] :
// CHECK: %[[K:.+]] = affine.apply {{.*}}(%[[J]])
// CHECK: %[[F:.+]] = smx.finish {{.*}} "weights"(%[[U]]#0, %[[U]]#1 : {{.*}}) with(%[[T]] : tensor<4x32xf32>)
// CHECK: tensor.insert_slice %[[F]] into %[[W]][0, %[[J]]] [4, 32] [1, 1]
// CHECK: tensor.insert_slice %[[U]]#0 into %[[M]][0, %[[K]]] [4, 1] [1, 1]
// CHECK-NOT: %[[X]]
// CHECK: scf.for %[[J:.+]] = %c0 to %c128 step %c32
// CHECK: %[[K:.+]] = affine.apply {{.*}}(%[[J]])
// CHECK: %[[WT:.+]] = tensor.extract_slice %[[S]]#2[0, %[[J]]] [4, 32] [1, 1]
// CHECK: %[[MT:.+]] = tensor.extract_slice %[[S]]#3[0, %[[K]]] [4, 1] [1, 1] : tensor<4x4xf32> to tensor<4xf32>
// CHECK: smx.finish {{.*}} "softmax_of_weights"(%[[S]]#0, %[[S]]#1 : {{.*}}) with(%[[WT]], %[[MT]] : tensor<4x32xf32>, tensor<4xf32>)
// TWICE-LABEL: @softmax
// TWICE-NOT: "weights"
func.func @softmax(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %y = smx.softmax %x axis(1) : tensor<8x128xf32> -> tensor<8x128xf32>
  return %y : tensor<8x128xf32>
}

// A ragged row has a last, shorter tile with a maximum of its own.
// CHECK-LABEL: @ragged
// TWICE-LABEL: @ragged
// CHECK: scf.for {{.*}} -> (tensor<3xf32>, tensor<3xf32>, tensor<3x100xf32>, tensor<3x4xf32>)
// CHECK: smx.finish {{.*}} "weights"{{.*}} with(%{{.+}} : tensor<3x32xf32>)
// CHECK: smx.finish {{.*}} "weights"{{.*}} with(%{{.+}} : tensor<3x4xf32>)
// CHECK: tensor.insert_slice %{{.+}} into %{{.+}}[0, 3] [3, 1] [1, 1]
func.func @ragged(%x: tensor<3x100xf32>) -> tensor<3x100xf32> {
  %y = smx.softmax %x axis(1) : tensor<3x100xf32> -> tensor<3x100xf32>
  return %y : tensor<3x100xf32>
}

// The logarithm needs no second exponential: there is nothing to save.
// CHECK-LABEL: @log_softmax
// CHECK-NOT: "weights"
func.func @log_softmax(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %y = smx.log_softmax %x axis(1) : tensor<8x128xf32> -> tensor<8x128xf32>
  return %y : tensor<8x128xf32>
}
