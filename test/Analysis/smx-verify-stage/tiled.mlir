// RUN: softmax-opt %s --pass-pipeline='builtin.module(smx-online,func.func(smx-tile),canonicalize,cse,smx-verify-stage{stage=tiled})' | FileCheck %s
// RUN: softmax-opt %s --pass-pipeline='builtin.module(smx-online,smx-rows-in-lanes,smx-split{parts=2},func.func(smx-tile{rows=5 stream=48 resident-bytes=0}),canonicalize,cse,smx-verify-stage{stage=tiled})' | FileCheck %s

// A tail of a dynamic extent has a bound: it is smaller than a tile.
// CHECK-LABEL: @dynamic_tails
func.func @dynamic_tails(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // CHECK: scf.forall
  // CHECK: scf.for
  %y = smx.softmax %x axis(1) : tensor<?x?xf32> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// A row that is one tile needs no loop over the stream.
// CHECK-LABEL: @one_tile
func.func @one_tile(%x: tensor<8x128xf32>) -> tensor<8xf32> {
  %y = smx.logsumexp %x axis(1) : tensor<8x128xf32> -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// The head dimensions are not tiled, and may be dynamic.
// CHECK-LABEL: @dynamic_depth
func.func @dynamic_depth(%q: tensor<?x?x?xf32>, %k: tensor<?x?x?xf32>, %v: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  // CHECK: scf.forall
  // CHECK: scf.for
  %o = smx.attention %q, %k, %v scale(1.250000e-01) mask(#smx.band<top_left, right = 0>)
     : tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<?x?x?xf32> -> tensor<?x?x?xf32>
  return %o : tensor<?x?x?xf32>
}

// A loop of the program's own advances no state: both rows start from one identity, which CSE leaves in front of it.
// CHECK-LABEL: @rows_in_a_loop
// CHECK: smx.identity
// CHECK: scf.for
// CHECK-NOT: smx.identity
// CHECK: smx.finish #smx.softmax<exp> "log_softmax"
func.func @rows_in_a_loop(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %s = smx.softmax %x axis(1) : tensor<4x8xf32> -> tensor<4x8xf32>
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %s) -> (tensor<4x8xf32>) {
    %y = smx.log_softmax %a axis(1) : tensor<4x8xf32> -> tensor<4x8xf32>
    scf.yield %y : tensor<4x8xf32>
  }
  return %r : tensor<4x8xf32>
}
