// Tiles are somewhat smaller where they lie in marked blocks for it, unless sizes are asked for.
// RUN: softmax-opt %s --smx-online --smx-tile=blocks --remarks-filter=smx-tile -o /dev/null 2>&1 | FileCheck %s
// RUN: softmax-opt %s --smx-online --smx-tile="blocks warpgroups shared-bytes=232448" --remarks-filter=smx-tile -o /dev/null 2>&1 | FileCheck %s --check-prefix=GROUPS
// RUN: softmax-opt %s --smx-online --smx-tile="blocks rows=64 stream=48" --remarks-filter=smx-tile -o /dev/null 2>&1 | FileCheck %s --check-prefix=ASKED

// 48 keys of the accumulators of 128 rows would be in one block or in two.
// CHECK: TileSizes | {{.*}}rows=128, stream=32
// CHECK: MarkedBlocks | {{.*}}tiles-in-blocks=true
// ASKED: TileSizes | {{.*}}rows=64, stream=48
// ASKED: MarkedBlocks | {{.*}}tiles-in-blocks=false
!t = tensor<4096x128xbf16>
func.func @wide(%q: !t, %k: !t, %v: !t, %m: tensor<32x32xi8>) -> !t {
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.blocks<rows = 128, keys = 128>) reads(%m : tensor<32x32xi8>) : !t, !t, !t -> !t
  return %o : !t
}

// Two warpgroups, where three would be in blocks of 128 rows and half of the next.
// GROUPS: TileSizes | {{.*}}rows=128, stream=128
// GROUPS: TileSizes | {{.*}}rows=128, stream=128
// GROUPS: MarkedBlocks | {{.*}}tiles-in-blocks=true
!n = tensor<4096x64xbf16>
func.func @narrow(%q: !n, %k: !n, %v: !n, %m: tensor<32x32xi8>) -> !n {
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.blocks<rows = 128, keys = 128>) reads(%m : tensor<32x32xi8>) : !n, !n, !n -> !n
  return %o : !n
}
