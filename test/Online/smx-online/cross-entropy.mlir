// RUN: softmax-opt %s --smx-online --mlir-print-local-scope | FileCheck %s

// The target's logit is read once, at the finish; what is out of range is NaN and read nowhere.
// CHECK-LABEL: @loss
// CHECK-SAME: %[[X:.+]]: tensor<4x8xf32>, %[[T:.+]]: tensor<4xi64>
// CHECK: %[[S:.+]]:2 = smx.update #[[A:smx.cross_entropy<#smx.softmax<exp>, smoothing = 0.000000e\+00 : f64>]]({{.*}}) with(%[[X]] : tensor<4x8xf32>)
// CHECK: %[[L:.+]] = linalg.generic {{.*}} ins(%[[T]] : tensor<4xi64>)
// CHECK: %[[K:.+]] = arith.index_cast
// CHECK: %[[IN:.+]] = arith.cmpi ult, %[[K]], %c8
// CHECK: %[[ROW:.+]] = linalg.index 0
// CHECK: %[[AT:.+]] = arith.select %[[IN]], %[[K]], %{{.+}} : index
// CHECK: %[[V:.+]] = tensor.extract %[[X]][%[[ROW]], %[[AT]]]
// CHECK: arith.select %[[IN]], %[[V]], %{{.+}} : f32
// CHECK: smx.finish #[[A]] "loss"(%[[S]]#0, %[[S]]#1 : {{.*}}) with(%[[L]] : tensor<4xf32>)
// CHECK-SAME: maps [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>] : tensor<4xf32>
func.func @loss(%x: tensor<4x8xf32>, %t: tensor<4xi64>) -> tensor<4xf32> {
  %y = smx.cross_entropy %x, %t axis(1) : tensor<4x8xf32>, tensor<4xi64> -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// With smoothing the state has two more components; ignored rows have the weight 0.
// CHECK-LABEL: @everything
// CHECK: %[[I:.+]]:4 = smx.identity #[[A:smx.cross_entropy<#smx.softmax<exp, scale = 2.000000e\+00>, smoothing = 1.000000e-01 : f64>]]
// CHECK: %[[S:.+]]:4 = smx.update #[[A]]
// CHECK: tensor.extract {{.*}} : tensor<4x8xbf16>
// CHECK: %[[W:.+]] = linalg.generic
// CHECK: arith.cmpi eq, %{{.+}}, %{{.+}} : i32
// CHECK: smx.finish #[[A]] "weighted_loss"({{.*}}) with(%{{.+}}, %[[W]] : tensor<8xbf16>, tensor<8xbf16>){{.*}} : tensor<8xf32>
// CHECK: smx.finish #[[A]] "logsumexp"
func.func @everything(%x: tensor<4x8xbf16>, %t: tensor<8xi32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %y, %l = smx.cross_entropy %x, %t axis(0) scale(2.0) smoothing(0.1) ignore(-100) : tensor<4x8xbf16>, tensor<8xi32> -> tensor<8xf32>, tensor<8xf32>
  return %y, %l : tensor<8xf32>, tensor<8xf32>
}

// A row of an open extent may be empty: a masked sum reads nothing that is not there.
// CHECK-LABEL: @open_extent
// CHECK-NOT: tensor.extract %
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]
// CHECK: %[[J:.+]] = linalg.index 1
// CHECK: %[[HIT:.+]] = arith.cmpi eq, %[[J]]
// CHECK: arith.select %[[HIT]]
// CHECK: smx.finish {{.*}} "loss"
func.func @open_extent(%x: tensor<?x?xf32>, %t: tensor<?xi64>) -> tensor<?xf32> {
  %y = smx.cross_entropy %x, %t axis(1) : tensor<?x?xf32>, tensor<?xi64> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// The logit is read from the logits as they are, and not from negated ones.
// CHECK-LABEL: @negative_scale
// CHECK-SAME: %[[X:.+]]: tensor<4x8xf32>
// CHECK: arith.negf
// CHECK: smx.update {{.*}}scale = 5.000000e-01
// CHECK: tensor.extract %[[X]]
// CHECK: arith.negf
func.func @negative_scale(%x: tensor<4x8xf32>, %t: tensor<4xi64>) -> tensor<4xf32> {
  %y = smx.cross_entropy %x, %t axis(1) scale(-0.5) : tensor<4x8xf32>, tensor<4xi64> -> tensor<4xf32>
  return %y : tensor<4xf32>
}
