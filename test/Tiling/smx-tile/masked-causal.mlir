// RUN: softmax-opt %s --smx-online --smx-tile='rows=64 stream=32' --canonicalize --cse --mlir-print-local-scope | FileCheck %s

// Rows [r, r+64) all see keys [0, r+1), and none sees more than [0, r+64): a loop that needs no mask,
// one that does, and no visit to the tiles behind.

// CHECK-LABEL: @full_then_back
// CHECK: scf.forall (%[[R:.+]]) = (0) to (256) step (64)
// CHECK-DAG: %[[END0:.+]] = arith.addi %[[R]], %c64
// CHECK-DAG: %[[END1:.+]] = arith.maxsi %[[END0]], %c0
// CHECK-DAG: %[[END:.+]] = arith.minsi %[[END1]], %c256
// CHECK-DAG: %[[FULL0:.+]] = arith.addi %[[R]], %c1
// CHECK-DAG: %[[FULL1:.+]] = arith.maxsi %[[FULL0]], %c0
// CHECK-DAG: %[[FULL:.+]] = arith.minsi %[[FULL1]], %c256
// CHECK-DAG: %[[UP:.+]] = affine.apply affine_map<(d0) -> ((d0 ceildiv 32) * 32)>(%[[END]])
// CHECK-DAG: %[[LAST:.+]] = arith.minsi %[[UP]], %c256
// CHECK-DAG: %[[DOWN:.+]] = affine.apply affine_map<(d0) -> ((d0 floordiv 32) * 32)>(%[[FULL]])
// CHECK-DAG: %[[MIN:.+]] = arith.minsi %[[DOWN]], %[[LAST]]
// CHECK-DAG: %[[BACK:.+]] = arith.maxsi %[[MIN]], %c0
// CHECK: %[[S:.+]]:3 = scf.for {{.*}} = %c0 to %[[BACK]] step %c32
// CHECK-NOT: smx.mask
// CHECK: smx.update {{.*}}]{{$}}
// CHECK: scf.for %[[J:.+]] = %[[BACK]] to %[[LAST]] step %c32 iter_args(%{{.+}} = %[[S]]#0
// CHECK: smx.mask %{{.+}} by #smx.band<top_left, right = 0> dims(0, 1) at(%[[R]], %[[J]]) of(%c256, %c256) : tensor<64x32xf32>
// CHECK: smx.update {{.*}} masked{{$}}
// CHECK-NOT: scf.for %
// CHECK: smx.finish
func.func @full_then_back(%q: tensor<256x16xf32>, %k: tensor<256x16xf32>, %v: tensor<256x4xf32>) -> tensor<256x4xf32> {
  %o = smx.attention %q, %k, %v scale(0.25) mask(#smx.band<top_left, right = 0>)
     : tensor<256x16xf32>, tensor<256x16xf32>, tensor<256x4xf32> -> tensor<256x4xf32>
  return %o : tensor<256x4xf32>
}

// Without a mask there is one loop, and nothing is selected away.
// CHECK-LABEL: @no_mask
// CHECK-COUNT-1: scf.for %
// CHECK-NOT: scf.for %
// CHECK: return
func.func @no_mask(%q: tensor<256x16xf32>, %k: tensor<256x16xf32>, %v: tensor<256x4xf32>) -> tensor<256x4xf32> {
  %o = smx.attention %q, %k, %v scale(0.25) : tensor<256x16xf32>, tensor<256x16xf32>, tensor<256x4xf32> -> tensor<256x4xf32>
  return %o : tensor<256x4xf32>
}
