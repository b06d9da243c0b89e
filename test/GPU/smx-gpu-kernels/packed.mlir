// Keys and values that lie in one tensor have a channel each: with one, copies a round ahead would be got in another order.
// RUN: softmax-opt %s --smx-to-gpu='alignment=16 chip=sm_80' | FileCheck %s

!x = tensor<1x384x6x64xbf16>
!s = tensor<1x384x2x64xbf16>
!t = tensor<1x2x384x64xbf16>

// CHECK-LABEL: smx_gpu.kernel @packed_kernel
// CHECK: scf.for
// CHECK: smx_gpu.get %[[KEYS:[0-9]+]] :
// CHECK: smx_gpu.mma {{.+}} transpose_b
// CHECK-NOT: smx_gpu.get %[[KEYS]] :
// CHECK: smx_gpu.get %{{[0-9]+}} :
// CHECK-NEXT: smx_gpu.mma
func.func @packed(%x: !x) -> !t {
  %e = tensor.empty() : !t
  %qs = tensor.extract_slice %x[0, 0, 0, 0] [1, 384, 2, 64] [1, 1, 1, 1] : !x to !s
  %q = linalg.transpose ins(%qs : !s) outs(%e : !t) permutation = [0, 2, 1, 3]
  %ks = tensor.extract_slice %x[0, 0, 2, 0] [1, 384, 2, 64] [1, 1, 1, 1] : !x to !s
  %k = linalg.transpose ins(%ks : !s) outs(%e : !t) permutation = [0, 2, 1, 3]
  %vs = tensor.extract_slice %x[0, 0, 4, 0] [1, 384, 2, 64] [1, 1, 1, 1] : !x to !s
  %v = linalg.transpose ins(%vs : !s) outs(%e : !t) permutation = [0, 2, 1, 3]
  %o = smx.attention %q, %k, %v scale(0.125) : !t, !t, !t -> !t
  return %o : !t
}
