// RUN: softmax-opt %s --smx-online --smx-tile='stream=32 resident-bytes=0 deferred-bytes=0' --canonicalize --cse | FileCheck %s

// One row alone: no loop over rows is left, and the state is scalars.

// CHECK-LABEL: @vector
// CHECK-NOT: scf.forall
// CHECK: %[[I:.+]]:2 = smx.identity {{.*}} -> tensor<f32>, tensor<f32>
// CHECK: %[[S:.+]]:2 = scf.for {{.*}} = %c0 to %c96 step %c32 iter_args(%{{.+}} = %[[I]]#0, %{{.+}} = %[[I]]#1)
// CHECK: %[[U:.+]]:2 = smx.update {{.*}}(%[[S]]#0, %[[S]]#1 : {{.*}}) with(%{{.+}} : tensor<4xf32>)
// CHECK: smx.finish {{.*}} "softmax"(%[[U]]#0, %[[U]]#1
func.func @vector(%x: tensor<100xf32>) -> tensor<100xf32> {
  %y = smx.softmax %x axis(0) : tensor<100xf32> -> tensor<100xf32>
  return %y : tensor<100xf32>
}
