// All threads widen keys of 8 bits. Warps that a caller has chosen are refused where they can not share a tile of them evenly: a
// layout of such threads had parts of rows that nobody wrote.
// RUN: not softmax-compile %s --emit=gpu --target=cuda --chip=sm_90a --warps=12 2>&1 | FileCheck %s
// RUN: not softmax-compile %s --emit=gpu --target=cuda --chip=sm_80 --warps=16 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: softmax-compile %s --emit=gpu --target=cuda --chip=sm_90a --warps=4 | softmax-opt | FileCheck %s --check-prefix=FOUR
// CHECK: widened-by-warps-invalid.mlir:[[#@LINE+7]]:{{[0-9]+}}: error: 'linalg.generic' op a tile of 16 x 16 elements, which all threads widen,
// CHECK-SAME: can not be shared evenly by 12 warps; a power of two of them, and fewer (warps), would work
// MANY: error: 'linalg.generic' op a tile of 16 x 16 elements, which all threads widen, can not be shared evenly by 16 warps
// FOUR: smx_gpu.kernel
!q = tensor<1x16xf16>
!k = tensor<16x16xf8E4M3FN>
func.func @f(%q: !q, %k: !k) -> !q {
  %o = smx.attention %q, %k, %k scale(0.25) : !q, !k, !k -> !q
  return %o : !q
}
