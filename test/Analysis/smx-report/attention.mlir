// Attention over B1 H8 S2048 D64: product flops 4*B*H*Sq*Sk*D = 8589934592, for a causal mask those of the visible pairs,
// S(S+1)/2, and in tiled form those of the visited tiles (64 x 128: 34816 of 65536 keys for each row of tiles).

// RUN: softmax-opt %s -o /dev/null --smx-report | FileCheck %s --check-prefix=NAIVE
// RUN: softmax-opt %s -o /dev/null --pass-pipeline='builtin.module(smx-online,func.func(smx-tile{rows=64 stream=128}),canonicalize,cse,smx-report)' | FileCheck %s --check-prefix=TILED

// NAIVE: @full naive 6291456 2097152 8589934592 135266304 33554432 {{.*}} products
// NAIVE: @causal naive 6291456 2097152 4297064448

// Every tile of rows reads its queries once, and the keys and values of the tiles it visits.
// TILED: @full tiled 136314880 2097152 8589934592
// TILED: @causal tiled 73400320 2097152 4563402752

!t = tensor<1x8x2048x64xbf16>
func.func @full(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(1.250000e-01) : !t, !t, !t -> !t
  return %o : !t
}
func.func @causal(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(1.250000e-01) mask(#smx.band<top_left, right = 0>) : !t, !t, !t -> !t
  return %o : !t
}
