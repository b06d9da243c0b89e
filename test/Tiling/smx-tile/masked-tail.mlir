// RUN: softmax-opt %s --smx-online --smx-tile='rows=32 stream=32' --canonicalize --cse | FileCheck %s

// The tail of the keys is visited, masked, by the rows that see a key in it.

// CHECK-LABEL: @causal
// CHECK: scf.forall (%[[R:.+]]) =
// CHECK: %[[END:.+]] = arith.minsi %{{.+}}, %c100
// CHECK: scf.for
// CHECK: scf.for
// CHECK: %[[SEES:.+]] = arith.cmpi sgt, %[[END]], %c96
// CHECK: %[[TAIL:.+]] = arith.select %[[SEES]], %c100, %c96
// CHECK: scf.for %[[J:.+]] = %c96 to %[[TAIL]] step %c32
// CHECK: smx.mask {{.*}} at(%[[R]], %[[J]]) of(%c64, %c100) : tensor<32x4xf32>
// CHECK: smx.update {{.*}} masked{{$}}
// CHECK: smx.finish
func.func @causal(%q: tensor<64x16xf32>, %k: tensor<100x16xf32>, %v: tensor<100x4xf32>) -> tensor<64x4xf32> {
  %o = smx.attention %q, %k, %v scale(0.25) mask(#smx.band<bottom_right, right = 0>)
     : tensor<64x16xf32>, tensor<100x16xf32>, tensor<100x4xf32> -> tensor<64x4xf32>
  return %o : tensor<64x4xf32>
}

// A visible region is no mask that can be analysed: one loop and its tail, all of it guarded.
// CHECK-LABEL: @visible_region
// CHECK-COUNT-1: scf.for %
// CHECK: smx.update {{.*}} masked{{$}}
// CHECK: smx.update {{.*}} masked{{$}}
// CHECK-NOT: scf.for %
// CHECK: smx.finish
func.func @visible_region(%q: tensor<32x16xf32>, %k: tensor<100x16xf32>, %v: tensor<100x4xf32>, %seen: tensor<100xi1>) -> tensor<32x4xf32> {
  %o = smx.attention %q, %k, %v scale(0.25) visible {
  ^bb0(%i: index, %j: index):
    %b = tensor.extract %seen[%j] : tensor<100xi1>
    smx.yield %b : i1
  } : tensor<32x16xf32>, tensor<100x16xf32>, tensor<100x4xf32> -> tensor<32x4xf32>
  return %o : tensor<32x4xf32>
}
