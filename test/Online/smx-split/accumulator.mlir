// RUN: softmax-opt %s --smx-online --smx-split=parts=2 --mlir-print-local-scope | FileCheck %s

// Scores and values are cut at the same keys; a mask says of every part that it may hide something.

// CHECK-LABEL: @attention
// CHECK-SAME: %{{.+}}: tensor<6x7x16xf32>, %{{.+}}: tensor<2x10x16xf32>, %[[V:.+]]: tensor<2x10x4xf32>
// CHECK: %[[S:.+]] = smx.mask
// CHECK: %[[S0:.+]] = tensor.extract_slice %[[S]][0, 0, 0] [6, 7, 5]
// CHECK: %[[V0:.+]] = tensor.extract_slice %[[V]][0, 0, 0] [2, 5, 4]
// CHECK: %[[I0:.+]]:3 = smx.identity
// CHECK: %[[A:.+]]:3 = smx.update {{.*}}(%[[I0]]#0, %[[I0]]#1, %[[I0]]#2 : {{.*}}) with(%[[S0]], %[[V0]] : {{.*}} masked{{$}}
// CHECK: %[[S1:.+]] = tensor.extract_slice %[[S]][0, 0, 5] [6, 7, 5]
// CHECK: %[[V1:.+]] = tensor.extract_slice %[[V]][0, 5, 0] [2, 5, 4]
// CHECK: %[[B:.+]]:3 = smx.update {{.*}} with(%[[S1]], %[[V1]] : {{.*}} masked{{$}}
// The domain of a merge is that of the state: rows and columns, no stream.
// CHECK: smx.merge {{.*}}(%[[A]]#0, %[[A]]#1, %[[A]]#2 : {{.*}}) and(%[[B]]#0, %[[B]]#1, %[[B]]#2 :
// CHECK-SAME: maps [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>]
func.func @attention(%q: tensor<6x7x16xf32>, %k: tensor<2x10x16xf32>, %v: tensor<2x10x4xf32>) -> tensor<6x7x4xf32> {
  %o = smx.attention %q, %k, %v scale(0.25) mask(#smx.band<bottom_right, right = 0>)
     : tensor<6x7x16xf32>, tensor<2x10x16xf32>, tensor<2x10x4xf32> -> tensor<6x7x4xf32>
  return %o : tensor<6x7x4xf32>
}

// The other family splits by the same pass.
// CHECK-LABEL: @layer_norm
// CHECK-COUNT-2: smx.update #smx.moments
// CHECK: smx.merge #smx.moments
func.func @layer_norm(%x: tensor<4x10xf32>) -> tensor<4x10xf32> {
  %y = smx.layer_norm %x axis(1) epsilon(1.0e-5) : tensor<4x10xf32> -> tensor<4x10xf32>
  return %y : tensor<4x10xf32>
}

// So does a product of two families; the target's logit is not cut.
// CHECK-LABEL: @cross_entropy
// CHECK-COUNT-2: smx.update #smx.cross_entropy
// CHECK: %[[S:.+]]:4 = smx.merge #smx.cross_entropy
// CHECK: tensor.extract
// CHECK: smx.finish {{.*}} "loss"(%[[S]]#0, %[[S]]#1, %[[S]]#2, %[[S]]#3
func.func @cross_entropy(%x: tensor<4x10xf32>, %t: tensor<4xi64>) -> tensor<4xf32> {
  %y = smx.cross_entropy %x, %t axis(1) smoothing(0.1) : tensor<4x10xf32>, tensor<4xi64> -> tensor<4xf32>
  return %y : tensor<4xf32>
}
