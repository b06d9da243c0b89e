// RUN: softmax-opt %s --smx-online --smx-tile='rows=4 stream=32' --canonicalize --cse | FileCheck %s

// One pass over the row, with the target's logit and the weight of the row read in front of it.

// CHECK-LABEL: @loss
// CHECK-SAME: %[[X:.+]]: tensor<8x128xf32>, %[[T:.+]]: tensor<8xi64>
// CHECK: scf.forall (%[[R:.+]]) = (0) to (8) step (4)
// CHECK: %[[TILE:.+]] = tensor.extract_slice %[[T]][%[[R]]] [4] [1]
// CHECK: %[[LOGIT:.+]] = linalg.generic {{.*}} ins(%[[TILE]] : tensor<4xi64>)
// CHECK: tensor.extract %[[X]]
// CHECK: %[[WEIGHT:.+]] = linalg.generic {{.*}} ins(%[[TILE]] : tensor<4xi64>)
// CHECK: %[[S:.+]]:4 = scf.for
// CHECK: smx.update #smx.cross_entropy<{{.*}}>({{.*}}) with(%{{.+}} : tensor<4x32xf32>)
// CHECK-NOT: scf.for
// CHECK: smx.finish #smx.cross_entropy<{{.*}}> "weighted_loss"(%[[S]]#0, %[[S]]#1, %[[S]]#2, %[[S]]#3 : {{.*}}) with(%[[LOGIT]], %[[WEIGHT]] :
// CHECK: smx.finish #smx.cross_entropy<{{.*}}> "logsumexp"
func.func @loss(%x: tensor<8x128xf32>, %t: tensor<8xi64>) -> (tensor<8xf32>, tensor<8xf32>) {
  %y, %l = smx.cross_entropy %x, %t axis(1) smoothing(0.1) ignore(-1) : tensor<8x128xf32>, tensor<8xi64> -> tensor<8xf32>, tensor<8xf32>
  return %y, %l : tensor<8xf32>, tensor<8xf32>
}

// A gradient is a sum and a second look at the row.
// CHECK-LABEL: @gradient
// CHECK: scf.forall
// CHECK: %[[S:.+]] = scf.for
// CHECK: smx.update #smx.gradient<softmax{{.*}}>({{.*}}) with(%{{.+}}, %{{.+}} : tensor<4x32xf32>, tensor<4x32xf32>)
// CHECK: scf.for
// CHECK: smx.finish #smx.gradient<softmax{{.*}}> "gradient"(%[[S]] : tensor<4xf32>)
func.func @gradient(%y: tensor<8x128xf32>, %g: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %0 = smx.softmax_backward %y, %g axis(1) : tensor<8x128xf32>, tensor<8x128xf32> -> tensor<8x128xf32>
  return %0 : tensor<8x128xf32>
}
