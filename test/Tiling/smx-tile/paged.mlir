// Keys in pages are read in place: the number of the page is read from the table in each round.
// RUN: softmax-opt %s --smx-online --smx-tile="blocks slots=8" --canonicalize --cse | FileCheck %s

// Tiles divide the page, and there is no tail: a sequence has whole pages.
// CHECK-LABEL: @decode
// CHECK-SAME: %[[K:[^:]+]]: tensor<?x16x2x64xbf16>, %[[V:[^:]+]]: tensor<?x16x2x64xbf16>, %[[TABLE:[^:]+]]: tensor<?x?xi32>, %[[N:[^:]+]]: tensor<?xi32>
// CHECK-NOT: smx.paged
// CHECK: scf.forall (%[[B:[^,]+]], %{{.+}}, %{{.+}}) =
// CHECK: scf.for %[[J:.+]] = %c0 to %{{.+}} step %c16
// CHECK: %[[AT:.+]] = affine.apply {{.+}}(%[[J]])
// CHECK: %[[USED:.+]] = arith.cmpi slt, %[[J]]
// CHECK: %[[ENTRY:.+]] = affine.apply {{.+}}(%[[J]])
// CHECK: %[[E:.+]] = tensor.extract %[[TABLE]][%[[B]], %[[ENTRY]]]
// CHECK: %[[NUMBER:.+]] = arith.index_cast %[[E]]
// CHECK: %[[PAGE:.+]] = arith.select %[[USED]], %[[NUMBER]], %c0
// CHECK: tensor.extract_slice %[[K]][%[[PAGE]], %[[AT]], %{{.+}}, 0] [1, 16, 1, 64]
// CHECK: linalg.transpose
// CHECK: tensor.extract_slice %[[V]][%[[PAGE]], %[[AT]], %{{.+}}, 0] [1, 16, 1, 64]
// CHECK: smx.update {{.*}}]{{$}}
// CHECK: scf.for {{.+}} step %c16
// CHECK: smx.update {{.*}} masked{{$}}
// CHECK-NOT: scf.for %
// CHECK: smx.finish
!q = tensor<?x8x1x64xbf16>
!p = tensor<?x16x2x64xbf16>
!k = tensor<?x2x?x64xbf16>
func.func @decode(%q: !q, %kp: !p, %vp: !p, %t: tensor<?x?xi32>, %n: tensor<?xi32>) -> !q {
  %k = smx.paged %kp by(%t, %n : tensor<?x?xi32>, tensor<?xi32>) : !p -> !k
  %v = smx.paged %vp by(%t, %n : tensor<?x?xi32>, tensor<?xi32>) : !p -> !k
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.key_lengths<causal>) reads(%n : tensor<?xi32>) : !q, !k, !k -> !q
  return %o : !q
}
