// RUN: softmax-opt %s --smx-online --smx-split=parts=5 --smx-tile='rows=4 stream=10 resident-bytes=0' --canonicalize --cse | FileCheck %s

// Five streams inside one loop over rows, and the tree that merges them; the second pass reads all of the row.

// CHECK-LABEL: @five_parts
// CHECK: scf.forall
// CHECK: %[[S0:.+]]:2 = scf.for
// CHECK: %[[S1:.+]]:2 = scf.for
// CHECK: %[[A:.+]]:2 = smx.merge {{.*}}(%[[S0]]#0, {{.*}} and(%[[S1]]#0,
// CHECK: %[[S2:.+]]:2 = scf.for
// CHECK: %[[S3:.+]]:2 = scf.for
// CHECK: %[[B:.+]]:2 = smx.merge {{.*}}(%[[S2]]#0, {{.*}} and(%[[S3]]#0,
// CHECK: %[[C:.+]]:2 = smx.merge {{.*}}(%[[A]]#0, {{.*}} and(%[[B]]#0,
// CHECK: %[[S4:.+]]:2 = scf.for
// CHECK: %[[D:.+]]:2 = smx.merge {{.*}}(%[[C]]#0, {{.*}} and(%[[S4]]#0,
// CHECK: scf.for {{.*}} = %c0 to %c100 step %c10
// CHECK: smx.finish {{.*}} "softmax"(%[[D]]#0, %[[D]]#1
// CHECK-NOT: scf.for %
// CHECK: scf.forall.in_parallel
func.func @five_parts(%x: tensor<8x100xf32>) -> tensor<8x100xf32> {
  %y = smx.softmax %x axis(1) : tensor<8x100xf32> -> tensor<8x100xf32>
  return %y : tensor<8x100xf32>
}

// The second part starts at key 52: its bounds are those of the mask, less 52, within the part.
// CHECK-LABEL: @part_of_the_keys
// CHECK: scf.forall (%[[R:.+]]) =
// CHECK: arith.subi %{{.+}}, %c52
// CHECK: smx.mask {{.*}} at(%[[R]], %{{.+}}) of(%c256, %c256)
// CHECK: smx.merge
func.func @part_of_the_keys(%q: tensor<256x16xf32>, %k: tensor<256x16xf32>, %v: tensor<256x4xf32>) -> tensor<256x4xf32> {
  %o = smx.attention %q, %k, %v scale(0.25) mask(#smx.band<top_left, right = 0>)
     : tensor<256x16xf32>, tensor<256x16xf32>, tensor<256x4xf32> -> tensor<256x4xf32>
  return %o : tensor<256x4xf32>
}
