// RUN: softmax-opt %s --smx-online --smx-tile='rows=4 stream=32 resident-bytes=0' --canonicalize --cse | FileCheck %s

// The other family through the same pass.

// CHECK-LABEL: @two_pass
// CHECK: scf.forall
// CHECK: %[[I:.+]]:3 = smx.identity #smx.moments
// CHECK: %[[S:.+]]:3 = scf.for {{.*}} = %c0 to %c128 step %c32 iter_args(%{{.+}} = %[[I]]#0, %{{.+}} = %[[I]]#1, %{{.+}} = %[[I]]#2)
// CHECK: smx.update #smx.moments<{{.*}}>({{.*}}) with(%{{.+}} : tensor<4x32xf32>)
// CHECK: scf.for {{.*}} = %c0 to %c128 step %c32
// CHECK: smx.finish #smx.moments<{{.*}}> "normalized"(%[[S]]#0, %[[S]]#1, %[[S]]#2
func.func @two_pass(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %y = smx.layer_norm %x axis(1) epsilon(1.0e-5) : tensor<8x128xf32> -> tensor<8x128xf32>
  return %y : tensor<8x128xf32>
}

#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
// Statistics alone take one pass.
// CHECK-LABEL: @variance
// CHECK-COUNT-1: scf.for %
// CHECK-NOT: scf.for %
// CHECK: smx.finish {{.*}} "variance"
func.func @variance(%x: tensor<8x128xf32>) -> tensor<8xf32> {
  %i:3 = smx.identity #smx.moments<epsilon = 0.0 : f64> -> tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  %s:3 = smx.update #smx.moments<epsilon = 0.0 : f64> (%i#0, %i#1, %i#2 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>)
      with (%x : tensor<8x128xf32>) maps [#row, #row, #row, #all]
  %v = smx.finish #smx.moments<epsilon = 0.0 : f64> "variance" (%s#0, %s#1, %s#2 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>)
      maps [#row, #row, #row, #row] : tensor<8xf32>
  return %v : tensor<8xf32>
}
