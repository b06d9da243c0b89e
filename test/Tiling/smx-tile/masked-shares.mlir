// RUN: softmax-opt %s --smx-online --smx-tile='rows=128 stream=128' --remarks-filter=smx-tile 2>&1 >/dev/null | FileCheck %s
// RUN: softmax-opt %s --smx-online --smx-tile --remarks-filter=smx-tile 2>&1 >/dev/null | FileCheck %s --check-prefix=MODEL
// RUN: softmax-opt %s --smx-online --smx-tile | FileCheck %s --check-prefix=LOOPS

// What a mask leaves of 128 x 128 tiles. A window of 1024 in 16k: each of the 128 tiles of rows has one tile on the diagonal, one at
// the other end of the window and seven between, fewer at the start.

!t = tensor<2x16384x64xf32>
// CHECK: MaskedTiles {{.*}}cut=248, skipped=15268, skipped-percent=93, whole=868
func.func @window(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.band<top_left, left = 1024, right = 0>) : !t, !t, !t -> !t
  return %o : !t
}

// CHECK: MaskedTiles {{.*}}cut=128, skipped=8128, skipped-percent=49, whole=8128
// Of 64 x 128 tiles, whose halves count: each of 256 tiles of rows has 128 of 256 halves, of which one or two may be cut.
// MODEL: MaskedTiles {{.*}}cut=384, skipped=32640, skipped-percent=49, whole=32512
// LOOPS-LABEL: @causal
// LOOPS: scf.for {{.*}} step %c128
// LOOPS: smx.update
// LOOPS: scf.for {{.*}} step %c64
// LOOPS: tensor<1x64x64xf32>
// LOOPS: smx.mask
func.func @causal(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.band<top_left, right = 0>) : !t, !t, !t -> !t
  return %o : !t
}

// Four chunks of 32 tiles each, and half of each of them.
// CHECK: MaskedTiles {{.*}}cut=128, skipped=14272, skipped-percent=87, whole=1984
func.func @chunks(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.all_of<[#smx.chunks<top_left, size = 4096>, #smx.band<top_left, right = 0>]>)
     : !t, !t, !t -> !t
  return %o : !t
}

// Not known before the data are.
// CHECK-NOT: MaskedTiles
func.func @lengths(%q: !t, %k: !t, %v: !t, %n: tensor<2xi32>) -> !t {
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.key_lengths) reads(%n : tensor<2xi32>) : !t, !t, !t -> !t
  return %o : !t
}
