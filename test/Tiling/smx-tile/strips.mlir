// RUN: softmax-opt %s --smx-online --smx-tile=blocks | FileCheck %s
// RUN: softmax-opt %s --smx-online --smx-tile='blocks parts=2 slots=64' | FileCheck %s --check-prefix=PARTS

// An accumulator that registers have no room for is cut along its columns.

!q = tensor<2x300x64xbf16>
!k = tensor<2x128x64xbf16>
!v = tensor<2x128x400xbf16>
!o = tensor<2x300x400xbf16>
!lse = tensor<2x300xf32>

// The strips of 400 columns are 224 and 176; those of a tile of rows follow each other less closely than the rows.
// CHECK-LABEL: @ragged
// CHECK: scf.forall (%[[H:.+]], %[[C:.+]], %[[I:.+]]) = (0, 0, 0) to (2, 400, 300) step (1, 224, 64)
// CHECK-DAG: %[[COLUMNS:.+]] = affine.min #{{.+}}(%[[C]])
// CHECK-DAG: %[[ROWS:.+]] = affine.min #{{.+}}(%[[I]])
// CHECK: smx.identity {{.+}} -> tensor<1x?xf32>, tensor<1x?xf32>, tensor<1x?x?xf32>
// Every strip has the whole scores and its columns of the values.
// CHECK: tensor.extract_slice %arg0[%[[H]], %[[I]], 0] [1, %[[ROWS]], 64]
// CHECK: tensor.extract_slice %arg2[%[[H]], %{{.+}}, %[[C]]] [1, 32, %[[COLUMNS]]]
// CHECK: smx.finish {{.+}} "average"
// CHECK: smx.finish {{.+}} "logsumexp"
// CHECK-DAG: tensor.parallel_insert_slice %{{.+}} into %{{.+}}[%[[H]], %[[I]], %[[C]]] [1, %[[ROWS]], %[[COLUMNS]]]
// CHECK-DAG: tensor.parallel_insert_slice %{{.+}} into %{{.+}}[%[[H]], %[[I]]] [1, %[[ROWS]]]
// Parts of the stream have strips, too.
// PARTS-LABEL: @ragged
// PARTS: scf.forall (%[[H:.+]], %[[C:.+]], %[[I:.+]], %[[P:.+]]) = (0, 0, 0, 0) to (2, 400, 300, 2) step (1, 224, 64, 1)
// PARTS: tensor.extract_slice %arg2[%[[H]], %{{.+}}, %[[C]]]
// PARTS: tensor.parallel_insert_slice %{{.+}} into %{{.+}}[%[[H]], %[[I]], %[[P]], %[[C]]]
func.func @ragged(%q: !q, %k: !k, %v: !v) -> (!o, !lse) {
  %o, %lse = smx.attention %q, %k, %v scale(0.125) : !q, !k, !v -> !o, !lse
  return %o, %lse : !o, !lse
}

!q64 = tensor<2x64x64xf64>

// CHECK-LABEL: @fits
// CHECK: scf.forall (%{{.+}}, %{{.+}}) = (0, 0) to (2, 64)
func.func @fits(%q: !q64, %k: !q64, %v: !q64) -> !q64 {
  %o = smx.attention %q, %k, %v scale(0.125) : !q64, !q64, !q64 -> !q64
  return %o : !q64
}
