// RUN: softmax-opt %s --smx-cpu-vectorize --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @add(
// CHECK-SAME:    %[[X:.+]]: memref<32xf32>, %[[Y:.+]]: memref<32xf32>)
// CHECK-DAG:     %[[C0:.+]] = arith.constant 0 : index
// CHECK-DAG:     %[[C16:.+]] = arith.constant 16 : index
// CHECK-NOT:     scf.for
// CHECK:         %[[A:.+]] = vector.load %[[X]][%[[C0]]] : memref<32xf32>, vector<16xf32>
// CHECK:         %[[B:.+]] = vector.load %[[Y]][%[[C0]]] : memref<32xf32>, vector<16xf32>
// CHECK:         %[[S:.+]] = arith.addf %[[A]], %[[B]] : vector<16xf32>
// CHECK:         vector.store %[[S]], %[[Y]][%[[C0]]]
// CHECK:         vector.store %{{.+}}, %[[Y]][%[[C16]]]
// CHECK-NOT:     linalg.generic
func.func @add(%x: memref<32xf32>, %y: memref<32xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<32xf32>) outs(%y : memref<32xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  }
  return
}
