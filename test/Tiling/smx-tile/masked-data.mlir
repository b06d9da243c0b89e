// RUN: softmax-opt %s --smx-online --smx-tile='rows=32 stream=32' --canonicalize --cse | FileCheck %s

// Where data decide what is seen, loops end where they say.

// The number of keys of a head is read before its loops.
// CHECK-LABEL: @lengths
// CHECK-SAME: %[[LENGTHS:[^:]+]]: tensor<2xi32>)
// CHECK: scf.forall (%[[B:.+]], %{{.+}}, %{{.+}}) =
// CHECK: %[[N:.+]] = tensor.extract %[[LENGTHS]][%[[B]]]
// CHECK: %[[LENGTH:.+]] = arith.index_cast %[[N]] : i32 to index
// CHECK: %[[POSITIVE:.+]] = arith.maxsi %[[LENGTH]], %c0
// CHECK: %[[END:.+]] = arith.minsi %[[POSITIVE]], %c256
// CHECK: affine.apply {{.+}}(%[[END]])
// CHECK: scf.for {{.+}} = %c0 to %[[BACK:.+]] step %c32
// CHECK-NOT: smx.mask
// CHECK: smx.update {{.*}}]{{$}}
// CHECK: %[[OF:.+]] = tensor.extract_slice %[[LENGTHS]][%[[B]]] [1] [1]
// CHECK: scf.for {{.+}} = %[[BACK]] to
// CHECK: smx.mask %{{.+}} by #smx.key_lengths reads(%[[OF]] : tensor<1xi32>) dims(2, 3)
// CHECK: smx.update {{.*}} masked{{$}}
!t = tensor<2x3x256x16xf32>
func.func @lengths(%q: !t, %k: !t, %v: !t, %n: tensor<2xi32>) -> !t {
  %o = smx.attention %q, %k, %v scale(0.25) mask(#smx.key_lengths) reads(%n : tensor<2xi32>) : !t, !t, !t -> !t
  return %o : !t
}

// Of ranges that each row has for itself, extrema over the rows of each tile are computed in front, all at once.
// CHECK-LABEL: @ranges
// CHECK-SAME: %[[BEGIN:[^:]+]]: tensor<2x256xi32>, %[[END:[^:]+]]: tensor<2x256xi32>)
// CHECK: %[[TILES:.+]] = tensor.expand_shape %[[BEGIN]] {{\[\[}}0], [1, 2]] output_shape [2, 8, 32]
// CHECK: %[[OTHERS:.+]] = tensor.expand_shape %[[END]] {{\[\[}}0], [1, 2]] output_shape [2, 8, 32]
// CHECK: %[[EXTREMA:.+]]:4 = linalg.generic {{.*}}"reduction"]} ins(%[[TILES]], %[[OTHERS]]
// CHECK: arith.minsi
// CHECK: arith.maxsi
// CHECK: arith.minsi
// CHECK: arith.maxsi
// CHECK: scf.forall (%[[B:.+]], %{{.+}}, %[[I:.+]]) =
// CHECK: %[[T:.+]] = affine.apply {{.+}}(%[[I]])
// CHECK: tensor.extract %[[EXTREMA]]#0[%[[B]], %[[T]]]
// CHECK: tensor.extract %[[EXTREMA]]#1[%[[B]], %[[T]]]
// CHECK: tensor.extract %[[EXTREMA]]#2[%[[B]], %[[T]]]
// CHECK: tensor.extract %[[EXTREMA]]#3[%[[B]], %[[T]]]
// CHECK-COUNT-3: scf.for
// CHECK: smx.finish
!i = tensor<2x256xi32>
func.func @ranges(%q: !t, %k: !t, %v: !t, %begin: !i, %end: !i) -> !t {
  %o = smx.attention %q, %k, %v scale(0.25) mask(#smx.all_of<[#smx.band<top_left, right = 0>, #smx.key_ranges]>)
       reads(%begin, %end : !i, !i) : !t, !t, !t -> !t
  return %o : !t
}

// The last tile has fewer rows, of which the last one may count several times.
// CHECK-LABEL: @ragged
// CHECK-SAME: %[[BEGIN:[^:]+]]: tensor<2x250xi32>, %[[END:[^:]+]]: tensor<2x250xi32>)
// CHECK: %{{.+}}:4 = linalg.generic {{.*}}"reduction"]
// CHECK: %[[TILE:.+]] = linalg.index 1
// CHECK: arith.muli %[[TILE]], %c32
// CHECK: tensor.extract %[[BEGIN]][%{{.+}}, %[[PLACE:.+]]]
// CHECK: arith.minsi
// CHECK: arith.maxsi
// CHECK: tensor.extract %[[END]][%{{.+}}, %[[PLACE]]]
// CHECK: arith.minsi
// CHECK: arith.maxsi
!rt = tensor<2x3x250x16xf32>
!ri = tensor<2x250xi32>
func.func @ragged(%q: !rt, %k: !rt, %v: !rt, %begin: !ri, %end: !ri) -> !rt {
  %o = smx.attention %q, %k, %v scale(0.25) mask(#smx.all_of<[#smx.band<top_left, right = 0>, #smx.key_ranges]>)
       reads(%begin, %end : !ri, !ri) : !rt, !rt, !rt -> !rt
  return %o : !rt
}
