// RUN: softmax-opt %s --smx-cpu-vectorize --canonicalize --cse | FileCheck %s

// Squares through registers: sixteen lines in, four rounds of shuffles, sixteen lines out. What the squares leave
// over is scalar.
// CHECK-LABEL: func.func @transpose(
// CHECK-SAME:    %[[X:.+]]: memref<16x20xf32>, %[[Y:.+]]: memref<20x16xf32>)
// CHECK-COUNT-16: vector.load %[[X]]
// CHECK-COUNT-64: vector.shuffle
// CHECK-COUNT-16: vector.store %{{.+}}, %[[Y]]
// CHECK:          memref.load %[[X]]
// CHECK:          memref.store %{{.+}}, %[[Y]]
func.func @transpose(%x: memref<16x20xf32>, %y: memref<20x16xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d, i) -> (i, d)>, affine_map<(d, i) -> (d, i)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<16x20xf32>) outs(%y : memref<20x16xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  return
}

// Contiguous along no loop: one scalar at a time.
// CHECK-LABEL: func.func @column(
// CHECK-SAME:    %[[X:.+]]: memref<6x1xf32>, %[[Y:.+]]: memref<6xf32>)
// CHECK:         scf.for %[[I:.+]] = %c0 to %c6
// CHECK:           memref.load %[[X]][%[[I]], %c0]
// CHECK:           memref.store %{{.+}}, %[[Y]][%[[I]]]
func.func @column(%x: memref<6x1xf32>, %y: memref<6xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i, 0)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<6x1xf32>) outs(%y : memref<6xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  return
}

// A square that is read from its second column on.
// CHECK-LABEL: func.func @shifted(
// CHECK:         memref.load
// CHECK:         memref.store
func.func @shifted(%x: memref<16x17xf32>, %y: memref<16x16xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d, i) -> (i, d + 1)>, affine_map<(d, i) -> (d, i)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<16x17xf32>) outs(%y : memref<16x16xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  return
}
