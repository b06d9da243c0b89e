// RUN: softmax-opt %s --smx-online --smx-rows-in-lanes --canonicalize | FileCheck %s

// Every finish of the state follows it; dynamic extents of the accumulator change places.

// CHECK-LABEL: @both_quantities
// CHECK-SAME: %[[V:[^:]+]]: tensor<?x?xf32>)
// CHECK-DAG: %[[COLUMNS:.+]] = tensor.dim %[[V]], %c1
// CHECK: %[[I:.+]]:3 = smx.identity {{.*}}(%[[ROWS:.+]], %[[ROWS]], %[[COLUMNS]], %[[ROWS]]) -> tensor<?xf32>, tensor<?xf32>, tensor<?x?xf32>
// CHECK: %[[U:.+]]:3 = smx.update {{.*}}(%[[I]]#0, %[[I]]#1, %[[I]]#2 :
// CHECK: smx.finish {{.*}} "average"(%[[U]]#0, %[[U]]#1, %[[U]]#2 :
// CHECK: smx.finish {{.*}} "logsumexp"(%[[U]]#0, %[[U]]#1, %[[U]]#2 :
// CHECK-NOT: smx.update
func.func @both_quantities(%q: tensor<?x16xf32>, %k: tensor<?x16xf32>, %v: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?xf32>) {
  %o, %lse = smx.attention %q, %k, %v scale(0.25)
     : tensor<?x16xf32>, tensor<?x16xf32>, tensor<?x?xf32> -> tensor<?x?xf32>, tensor<?xf32>
  return %o, %lse : tensor<?x?xf32>, tensor<?xf32>
}
