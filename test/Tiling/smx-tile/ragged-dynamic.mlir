// RUN: softmax-opt %s --smx-online --smx-tile='rows=4 stream=32' --canonicalize --cse --mlir-print-local-scope | FileCheck %s
// RUN: softmax-opt %s --smx-online --smx-tile='rows=4 stream=1' --canonicalize --cse | FileCheck %s --check-prefix=ONE

// A tail of a dynamic extent is a loop of at most one round; all other tiles keep their static shape.

// CHECK-LABEL: @any_number
// CHECK-SAME: %[[X:.+]]: tensor<?x?xf32>
// CHECK-DAG: %[[WHOLE_ROWS:.+]] = affine.apply affine_map<()[s0] -> ((s0 floordiv 4) * 4)>()[%[[ROWS:.+]]]
// CHECK-DAG: %[[LEFT_ROWS:.+]] = affine.apply affine_map<()[s0] -> (s0 mod 4)>()[%[[ROWS]]]
// CHECK: scf.forall (%[[R:.+]]) = (0) to (%[[WHOLE_ROWS]]) step (4)
// CHECK: %[[WHOLE:.+]] = affine.apply affine_map<()[s0] -> ((s0 floordiv 32) * 32)>()[%[[N:.+]]]
// CHECK: %[[LEFT:.+]] = affine.apply affine_map<()[s0] -> (s0 mod 32)>()[%[[N]]]
// CHECK: %[[S:.+]]:2 = scf.for {{.*}} = %c0 to %[[WHOLE]] step %c32
// CHECK: smx.update {{.*}} with(%{{.+}} : tensor<4x32xf32>)
// CHECK: scf.for %[[J:.+]] = %[[WHOLE]] to %[[N]] step %c32 iter_args(%{{.+}} = %[[S]]#0, %{{.+}} = %[[S]]#1)
// CHECK: tensor.extract_slice %[[X]][%[[R]], %[[J]]] [4, %[[LEFT]]] [1, 1]
// CHECK: smx.update {{.*}} with(%{{.+}} : tensor<4x?xf32>)
// CHECK: scf.forall {{.*}} = (%[[WHOLE_ROWS]]) to (%[[ROWS]]) step (4)
// CHECK: smx.identity {{.*}}(%[[LEFT_ROWS]], %[[LEFT_ROWS]]) -> tensor<?xf32>, tensor<?xf32>
// CHECK: smx.update {{.*}} with(%{{.+}} : tensor<?x32xf32>)
// CHECK: smx.update {{.*}} with(%{{.+}} : tensor<?x?xf32>)

// Of tiles of one element none is left.
// ONE-LABEL: @any_number
// ONE: scf.forall
// ONE: scf.for {{.*}} = %c0 to %{{.+}} step %c1
// ONE-NOT: scf.for %
// ONE: scf.forall
// ONE: scf.for {{.*}} = %c0 to %{{.+}} step %c1
// ONE-NOT: scf.for %
func.func @any_number(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %y = smx.logsumexp %x axis(1) : tensor<?x?xf32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// ONE-LABEL: @keys
// ONE: scf.for {{.*}} = %c0 to %{{.+}} step %c1
// ONE-NOT: scf.for %
// ONE: return
func.func @keys(%q: tensor<4x16xf32>, %k: tensor<?x16xf32>) -> tensor<4x16xf32> {
  %o = smx.attention %q, %k, %k scale(0.3) : tensor<4x16xf32>, tensor<?x16xf32>, tensor<?x16xf32> -> tensor<4x16xf32>
  return %o : tensor<4x16xf32>
}
