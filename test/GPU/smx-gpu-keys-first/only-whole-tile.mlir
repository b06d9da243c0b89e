// The only whole tile of keys stands in front of the loop over cut ones: rows come first, then its keys, then theirs.
// RUN: softmax-opt %s --smx-to-gpu='alignment=16 chip=sm_90a' | FileCheck %s
// RUN: softmax-opt %s --smx-to-gpu='alignment=16 chip=sm_90a' --remarks-filter=smx-gpu-keys-first 2>&1 >/dev/null | FileCheck %s --allow-empty --check-prefix=REMARK
// RUN: softmax-run %s --target=emulator --chip=sm_90a --repeat=0 | FileCheck %s --check-prefix=NUMBERS
// REMARK-NOT: KeysFirst
// NUMBERS: against raised: pass

// CHECK: role @load
// CHECK: scf.for
// CHECK-COUNT-2: smx_gpu.put {{.+}} <64x64xbf16
// CHECK-COUNT-2: smx_gpu.put {{.+}}%c0, %c0] into {{.+}} <128x64xbf16
// CHECK: scf.for %{{.+}} = %c128 to %c384 step
// CHECK-NEXT: smx_gpu.put
// CHECK-NEXT: smx_gpu.put
// CHECK-NOT: smx_gpu.put
// CHECK: role @compute
!q = tensor<1x2x128x64xbf16>
!k = tensor<1x2x320x64xbf16>
func.func @causal(%q: !q, %k: !k, %v: !k) -> !q {
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.band<bottom_right, right = 0>) : !q, !k, !k -> !q
  return %o : !q
}
