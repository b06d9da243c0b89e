// Keys and values in one tensor: each product has a channel of its own, whether queries are loaded, gathered or computed.
// RUN: softmax-compile %s --emit=gpu | FileCheck %s
// RUN: softmax-run %s --entry=packed_heads --target=emulator --repeat=0 | FileCheck %s --check-prefix=GOOD
// RUN: softmax-run %s --entry=scaled_queries --target=emulator --repeat=0 | FileCheck %s --check-prefix=GOOD
// RUN: softmax-run %s --entry=scaled_queries --target=emulator --chip=sm_90a --repeat=0 | FileCheck %s --check-prefix=GOOD
// GOOD: against raised: pass

!q = tensor<2x4x16xbf16>
!k = tensor<1x512x16xbf16>
// CHECK: smx_gpu.kernel @packed_heads_kernel
// CHECK-COUNT-2: smx_gpu.make_channel
// CHECK: smx_gpu.return
func.func @packed_heads(%q: !q, %k: !k) -> !q {
  %o = smx.attention %q, %k, %k scale(1.0e-01) : !q, !k, !k -> !q
  return %o : !q
}

!q2 = tensor<2x40x16xbf16>
!k2 = tensor<2x512x16xbf16>
#all = affine_map<(a, b, c) -> (a, b, c)>
// CHECK: smx_gpu.kernel @scaled_queries_kernel
// CHECK-COUNT-2: smx_gpu.make_channel
// CHECK: smx_gpu.return
func.func @scaled_queries(%q: !q2, %k: !k2) -> !q2 {
  %empty = tensor.empty() : !q2
  %half = arith.constant 0.5 : bf16
  %scaled = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%q : !q2) outs(%empty : !q2) {
  ^bb0(%x: bf16, %y: bf16):
    %z = arith.mulf %x, %half : bf16
    linalg.yield %z : bf16
  } -> !q2
  %o = smx.attention %scaled, %k, %k scale(1.0e-01) : !q2, !k2, !k2 -> !q2
  return %o : !q2
}
