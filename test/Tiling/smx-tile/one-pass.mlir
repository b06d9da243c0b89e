// RUN: softmax-opt %s --smx-online --smx-tile='rows=4 stream=32' --canonicalize --cse | FileCheck %s

// One value per row: the stream is read once, and the state is what the loop carries.

// CHECK-LABEL: @log_sum_exp
// CHECK-SAME: %[[X:.+]]: tensor<8x128xf32>
// CHECK: %[[Y:.+]] = scf.forall (%[[R:.+]]) = (0) to (8) step (4) shared_outs(%[[OUT:.+]] = %{{.+}}) -> (tensor<8xf32>) {
// CHECK: %[[I:.+]]:2 = smx.identity #smx.softmax<exp> -> tensor<4xf32>, tensor<4xf32>
// CHECK: %[[S:.+]]:2 = scf.for %[[J:.+]] = %c0 to %c128 step %c32 iter_args(%[[M:.+]] = %[[I]]#0, %[[L:.+]] = %[[I]]#1)
// CHECK: %[[T:.+]] = tensor.extract_slice %[[X]][%[[R]], %[[J]]] [4, 32] [1, 1]
// CHECK: %[[U:.+]]:2 = smx.update #smx.softmax<exp>(%[[M]], %[[L]] : {{.*}}) with(%[[T]] : tensor<4x32xf32>)
// CHECK: scf.yield %[[U]]#0, %[[U]]#1
// CHECK: %[[F:.+]] = smx.finish #smx.softmax<exp> "logsumexp"(%[[S]]#0, %[[S]]#1 :
// CHECK: scf.forall.in_parallel
// CHECK-NEXT: tensor.parallel_insert_slice %[[F]] into %[[OUT]][%[[R]]] [4] [1]
// CHECK: return %[[Y]]
func.func @log_sum_exp(%x: tensor<8x128xf32>) -> tensor<8xf32> {
  %y = smx.logsumexp %x axis(1) : tensor<8x128xf32> -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// Two quantities of one state share its loops.
// CHECK-LABEL: @average_and_log_sum_exp
// CHECK: scf.forall {{.*}} -> (tensor<64x4xf32>, tensor<64xf32>)
// CHECK-COUNT-1: scf.for
// CHECK: smx.finish {{.*}} "average"
// CHECK: smx.finish {{.*}} "logsumexp"
// CHECK-COUNT-2: tensor.parallel_insert_slice
// CHECK-NOT: scf.for
func.func @average_and_log_sum_exp(%q: tensor<64x16xf32>, %k: tensor<128x16xf32>, %v: tensor<128x4xf32>) -> (tensor<64x4xf32>, tensor<64xf32>) {
  %o, %lse = smx.attention %q, %k, %v scale(0.25)
     : tensor<64x16xf32>, tensor<128x16xf32>, tensor<128x4xf32> -> tensor<64x4xf32>, tensor<64xf32>
  return %o, %lse : tensor<64x4xf32>, tensor<64xf32>
}
