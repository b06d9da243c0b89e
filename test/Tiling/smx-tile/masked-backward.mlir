// RUN: softmax-opt %s --smx-online --smx-tile='blocks warpgroups shared-bytes=232448' --canonicalize --cse --mlir-print-local-scope | FileCheck %s
// RUN: softmax-opt %s --smx-online --smx-tile='blocks shared-bytes=232448' --canonicalize --cse --mlir-print-local-scope | FileCheck %s --check-prefix=EXACT
// RUN: softmax-opt %s --smx-online --smx-tile='blocks warpgroups from-diagonal shared-bytes=232448' --canonicalize --cse --mlir-print-local-scope | FileCheck %s --check-prefix=DIAGONAL

// A score that depends on the distance is largest at the diagonal: the tile that the mask cuts there
// comes first, then those seen whole, from the last one to the first, then those cut in front.

!t = tensor<2x1024x128xbf16>

// CHECK-LABEL: @window
// CHECK: %[[BACK:.+]]:3 = scf.for %[[I:.+]] = %[[LAST:.+]] to %[[STOP:.+]] step %c128
// CHECK: affine.apply affine_map<(d0, d1, d2) -> (-d0 + d1 + d2 - 128)>(%[[I]], %[[LAST]], %[[STOP]])
// CHECK: smx.mask
// CHECK: %[[WHOLE:.+]]:3 = scf.for %[[J:.+]] = %[[FIRST:.+]] to %[[LAST]] step %c128 iter_args(%{{.+}} = %[[BACK]]#0
// CHECK-NOT: smx.mask
// CHECK: affine.apply affine_map<(d0, d1, d2) -> (-d0 + d1 + d2 - 128)>(%[[J]], %[[FIRST]], %[[LAST]])
// CHECK-NOT: smx.mask
// CHECK: scf.for %{{.+}} = %{{.+}} to %[[FIRST]] step %c128 iter_args(%{{.+}} = %[[WHOLE]]#0
// CHECK: smx.mask
// CHECK: smx.finish

// Where every tile has its own reference the order is that of the keys.
// EXACT-LABEL: @window
// EXACT-NOT: (-d0 + d1 + d2
// EXACT: return
func.func @window(%q: !t, %k: !t, %v: !t, %slope: f32) -> !t {
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.band<top_left, left = 300, right = 0>) score {
  ^bb0(%s: f32, %b: index, %i: index, %j: index):
    %away = arith.subi %j, %i : index
    %n = arith.index_cast %away : index to i32
    %x = arith.sitofp %n : i32 to f32
    %bias = arith.mulf %slope, %x : f32
    %t = arith.addf %s, %bias : f32
    smx.yield %t : f32
  } : !t, !t, !t -> !t
  return %o : !t
}

// So it is of scores that do not depend on a key's place, unless windows are to start at the diagonal.
// DIAGONAL-LABEL: @no_distance
// DIAGONAL: %[[SOME:.+]]:3 = scf.for %[[I:.+]] = %[[LAST:.+]] to %[[STOP:.+]] step %c128
// DIAGONAL: affine.apply affine_map<(d0, d1, d2) -> (-d0 + d1 + d2 - 128)>(%[[I]], %[[LAST]], %[[STOP]])
// DIAGONAL: scf.for %[[J:.+]] = %[[FIRST:.+]] to %[[LAST]] step %c128 iter_args(%{{.+}} = %[[SOME]]#0
// DIAGONAL: affine.apply affine_map<(d0, d1, d2) -> (-d0 + d1 + d2 - 128)>(%[[J]], %[[FIRST]], %[[LAST]])
// DIAGONAL: return
// CHECK-LABEL: @no_distance
// CHECK-NOT: (-d0 + d1 + d2
// CHECK: return
func.func @no_distance(%q: !t, %k: !t, %v: !t, %biases: tensor<1024xf32>) -> !t {
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.band<top_left, left = 300, right = 0>) score {
  ^bb0(%s: f32, %b: index, %i: index, %j: index):
    %bias = tensor.extract %biases[%i] : tensor<1024xf32>
    %t = arith.addf %s, %bias : f32
    smx.yield %t : f32
  } : !t, !t, !t -> !t
  return %o : !t
}

// What is left over, and is no tile, is in the loop that comes first.
!ragged = tensor<2x1000x128xbf16>
// CHECK-LABEL: @tail
// CHECK: %[[SOME:.+]]:3 = scf.for %[[I:.+]] = %[[LAST:.+]] to %[[STOP:.+]] step %c128
// CHECK: affine.min affine_map<(d0, d1, d2) -> (128, d0 - d1 - d2 + 1128)>(%[[I]], %[[LAST]], %[[STOP]])
// CHECK: scf.for %{{.+}} = %c0 to %[[LAST]] step %c128 iter_args(%{{.+}} = %[[SOME]]#0
// CHECK-NOT: scf.for
// CHECK: smx.finish
func.func @tail(%q: !ragged, %k: !ragged, %v: !ragged) -> !ragged {
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.band<top_left, right = 0>) score {
  ^bb0(%s: f32, %b: index, %i: index, %j: index):
    %n = arith.index_cast %j : index to i32
    %x = arith.sitofp %n : i32 to f32
    %t = arith.addf %s, %x : f32
    smx.yield %t : f32
  } : !ragged, !ragged, !ragged -> !ragged
  return %o : !ragged
}
