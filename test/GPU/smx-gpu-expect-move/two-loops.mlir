// Rounds of cut tiles go on with what rounds of whole ones expect, and the next rows with what is expected there.
// RUN: softmax-compile %s --chip=sm_90a --alignment=16 --emit=gpu --skip-pass=smx-gpu-rising-tiles | FileCheck %s

// CHECK: iter_args(%[[BEFORE:[^ ]+]] = %{{[^ ]+}}) -> (i32)
// CHECK: iter_args(%[[TILE:[^ ]+]] = %[[BEFORE]]) -> (i32)
// CHECK: %[[WHOLE:[^ ]+]]:5 = scf.for {{.+}} = %[[TILE]]) -> {{.+}}, i32)
// CHECK: = scf.if {{.+}} -> {{.+}}, i32)
// CHECK: %[[CUT:[^ ]+]]:6 = scf.for {{.+}} = %[[WHOLE]]#4) -> {{.+}}, i32)
// CHECK: = scf.if {{.+}} -> {{.+}}, i32)
// CHECK: scf.yield %[[CUT]]#5 : i32
!t = tensor<4x16x4096x128xbf16>
func.func @causal(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.08838834764831845) mask(#smx.band<top_left, right = 0>) : !t, !t, !t -> !t
  return %o : !t
}
