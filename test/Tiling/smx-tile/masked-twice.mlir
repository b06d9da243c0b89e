// RUN: softmax-opt %s --smx-online --smx-tile='rows=16 stream=8' --canonicalize --cse | FileCheck %s

// Loops are bounded by masks. What else hides places still hides them where that mask hides nothing.

// CHECK-LABEL: @causal_and_padding
// CHECK: scf.for
// CHECK-NOT: smx.mask
// CHECK: arith.select
// CHECK: smx.update {{.*}} masked{{$}}
// CHECK: scf.for
// CHECK: arith.select
// CHECK: smx.mask
// CHECK: smx.update {{.*}} masked{{$}}
// CHECK: smx.finish
func.func @causal_and_padding(%q: tensor<64x16xf32>, %k: tensor<64x16xf32>, %v: tensor<64x4xf32>, %seen: tensor<64xi1>) -> tensor<64x4xf32> {
  %o = smx.attention %q, %k, %v scale(0.25) mask(#smx.band<top_left, right = 0>) visible {
  ^bb0(%i: index, %j: index):
    %b = tensor.extract %seen[%j] : tensor<64xi1>
    smx.yield %b : i1
  } : tensor<64x16xf32>, tensor<64x16xf32>, tensor<64x4xf32> -> tensor<64x4xf32>
  return %o : tensor<64x4xf32>
}

// A bias hides nothing.
// CHECK-LABEL: @causal_and_bias
// CHECK: scf.for
// CHECK: smx.update {{.*}}]{{$}}
// CHECK: scf.for
// CHECK: smx.update {{.*}} masked{{$}}
func.func @causal_and_bias(%q: tensor<64x16xf32>, %k: tensor<64x16xf32>, %v: tensor<64x4xf32>, %bias: tensor<64xf32>) -> tensor<64x4xf32> {
  %o = smx.attention %q, %k, %v scale(0.25) mask(#smx.band<top_left, right = 0>) score {
  ^bb0(%s: f32, %i: index, %j: index):
    %b = tensor.extract %bias[%j] : tensor<64xf32>
    %t = arith.addf %s, %b : f32
    smx.yield %t : f32
  } : tensor<64x16xf32>, tensor<64x16xf32>, tensor<64x4xf32> -> tensor<64x4xf32>
  return %o : tensor<64x4xf32>
}

#i = affine_map<(i, j) -> (i)>
#ij = affine_map<(i, j) -> (i, j)>
// A mask of what another one leaves: together they are a window. Of 16 rows with 7 keys before them
// no tile of 8 keys is seen whole by all, so that the loop between those over cut tiles never runs.
// CHECK-LABEL: @two_masks
// CHECK: %[[BEGIN:.+]] = arith.maxsi
// CHECK: scf.for
// CHECK: smx.mask %{{.+}} by #smx.band<top_left, left = 7>
// CHECK: smx.mask %{{.+}} by #smx.band<top_left, right = 0>
// CHECK: smx.update {{.*}} masked{{$}}
// CHECK: scf.for
// CHECK-NOT: smx.mask
// CHECK: smx.update {{.*}}]{{$}}
// CHECK: scf.for
// CHECK: smx.mask %{{.+}} by #smx.band<top_left, left = 7>
// CHECK: smx.mask %{{.+}} by #smx.band<top_left, right = 0>
// CHECK: smx.update {{.*}} masked{{$}}
// CHECK: smx.finish
func.func @two_masks(%x: tensor<64x64xf32>) -> tensor<64xf32> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %a = smx.mask %x by #smx.band<top_left, left = 7> dims(0, 1) at(%c0, %c0) of(%c64, %c64) : tensor<64x64xf32>
  %m = smx.mask %a by #smx.band<top_left, right = 0> dims(0, 1) at(%c0, %c0) of(%c64, %c64) : tensor<64x64xf32>
  %i:2 = smx.identity #smx.softmax<exp> -> tensor<64xf32>, tensor<64xf32>
  %s:2 = smx.update #smx.softmax<exp> (%i#0, %i#1 : tensor<64xf32>, tensor<64xf32>) with (%m : tensor<64x64xf32>) maps [#i, #i, #ij] masked
  %y = smx.finish #smx.softmax<exp> "logsumexp" (%s#0, %s#1 : tensor<64xf32>, tensor<64xf32>) maps [#i, #i, #i] : tensor<64xf32>
  return %y : tensor<64xf32>
}

// Scores that begin in the middle of what is masked: every tile is visited, and masked.
// CHECK-LABEL: @starts_elsewhere
// CHECK: scf.for %{{.+}} = %c0 to %c64 step %c8
// CHECK: smx.mask
// CHECK: smx.update {{.*}} masked{{$}}
// CHECK-NOT: scf.for %
// CHECK: smx.finish
func.func @starts_elsewhere(%x: tensor<64x64xf32>) -> tensor<64xf32> {
  %c5 = arith.constant 5 : index
  %c3 = arith.constant 3 : index
  %c200 = arith.constant 200 : index
  %m = smx.mask %x by #smx.band<top_left, right = 0> dims(0, 1) at(%c5, %c3) of(%c200, %c200) : tensor<64x64xf32>
  %i:2 = smx.identity #smx.softmax<exp> -> tensor<64xf32>, tensor<64xf32>
  %s:2 = smx.update #smx.softmax<exp> (%i#0, %i#1 : tensor<64xf32>, tensor<64xf32>) with (%m : tensor<64x64xf32>) maps [#i, #i, #ij] masked
  %y = smx.finish #smx.softmax<exp> "logsumexp" (%s#0, %s#1 : tensor<64xf32>, tensor<64xf32>) maps [#i, #i, #i] : tensor<64xf32>
  return %y : tensor<64xf32>
}
