// Tiles of f8E4M3FN are bytes in registers, widened two at a time where the chip has an instruction for it, and else in integers.
// RUN: softmax-opt %s --smx-gpu-to-nvvm=chip=sm_90 | FileCheck %s --check-prefixes=CHECK,CVT
// RUN: softmax-opt %s --smx-gpu-to-nvvm=chip=sm_80 | FileCheck %s --check-prefixes=CHECK,INT

#L = #smx_gpu.striped<rows = 4, columns = 8, vector = 16>
!stage = !smx_gpu.shared<4x128xf8E4M3FN, swizzle = 128>
!wide = !smx_gpu.shared<4x128xbf16, swizzle = 128>

// CHECK-LABEL: llvm.func @widen
// CHECK: llvm.load %{{.+}} : !llvm.ptr<3> -> vector<16xi8>
// CVT-COUNT-8: llvm.inline_asm {{.*}}"cvt.rn.f16x2.e4m3x2 $0, $1;", "=r,h"
// CVT-NOT: cvt.rn.f16x2
// CVT: arith.extf %{{.+}} : vector<16xf16> to vector<16xf32>
// CVT: arith.truncf %{{.+}} : vector<16xf32> to vector<16xbf16>
// INT-NOT: inline_asm
// INT: arith.extui %{{.+}} : vector<16xi8> to vector<16xi32>
// INT: arith.bitcast %{{.+}} : vector<16xi16> to vector<16xbf16>
// CHECK: llvm.store
smx_gpu.kernel @widen(%x: memref<?x128xf8E4M3FN, strided<[?, 1], offset: ?>>) warps(1) {
  %c0 = arith.constant 0 : index
  %stage = smx_gpu.alloc : !stage
  %wide = smx_gpu.alloc : !wide
  smx_gpu.copy %x[%c0, %c0] to %stage dims [0, 1] {aligned = 16} : memref<?x128xf8E4M3FN, strided<[?, 1], offset: ?>>, !stage
  %codes = smx_gpu.read %stage : !stage -> tensor<4x128xf8E4M3FN, #L>
  %t = arith.extf %codes : tensor<4x128xf8E4M3FN, #L> to tensor<4x128xbf16, #L>
  smx_gpu.write %t, %wide : tensor<4x128xbf16, #L>, !wide
  smx_gpu.return
}
