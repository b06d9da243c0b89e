// Stores by the tensor copy engine: rows beyond the end are not written, and memory is written late.
// RUN: split-file %s %t
// RUN: smx-gpu-host-run %t/rows.mlir --entry=k --arg=normal:200x64xbf16 --arg=poison:200x64xbf16 --check=copy | FileCheck %s
// RUN: not smx-gpu-host-run %t/early.mlir --entry=k --arg=normal:64x64xbf16 --arg=poison:64x64xbf16 --arg=poison:64x64xbf16 --check=copy | FileCheck %s --check-prefix=EARLY
// RUN: sed 's/200x64xbf16/200x68xbf16/' %t/rows.mlir | not smx-gpu-host-run - --entry=k --arg=normal:200x68xbf16 --arg=poison:200x68xbf16 2>&1 | FileCheck %s --check-prefix=ROWS
// CHECK: copy: pass
// EARLY: copy: fail
// ROWS: 'smx_gpu.tensor_store' copies rows from byte {{.*}} at a distance of 136 bytes; the engine needs multiples of 16

//--- rows.mlir
#L = #smx_gpu.fragment<warps = 4>
!shared = !smx_gpu.shared<128x64xbf16, swizzle = 128>
!global = memref<200x64xbf16>
smx_gpu.kernel @k(%x: !global, %y: !global) warps(8) {
  %s = smx_gpu.alloc : !shared
  smx_gpu.warp_specialize {
    smx_gpu.role @all warps(8) group(4) (%through = %s : !shared, %from = %x : !global, %to = %y : !global) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c64 = arith.constant 64 : index
      %c128 = arith.constant 128 : index
      %c200 = arith.constant 200 : index
      %g = smx_gpu.group_id
      %first = arith.muli %g, %c64 : index
      scf.for %i = %c0 to %c200 step %c128 {
        %r = arith.addi %i, %first : index
        %left = arith.subi %c200, %r : index
        %t = smx_gpu.load %from[%r, %c0] valid(%left, %c64) dims [0, 1] : !global -> tensor<64x64xbf16, #L>
        smx_gpu.tensor_store %t, %to[%r, %c0] through %through dims [0, 1] : tensor<64x64xbf16, #L>, !global, !shared
      }
    }
  }
  smx_gpu.return
}

//--- early.mlir
// What was stored is read before the end of the kernel.
#L = #smx_gpu.fragment<warps = 4>
!shared = !smx_gpu.shared<64x64xbf16, swizzle = 128>
!global = memref<64x64xbf16>
smx_gpu.kernel @k(%x: !global, %y: !global, %z: !global) warps(4) {
  %s = smx_gpu.alloc : !shared
  smx_gpu.warp_specialize {
    smx_gpu.role @all warps(4) (%through = %s : !shared, %from = %x : !global, %by = %y : !global, %to = %z : !global) {
      %c0 = arith.constant 0 : index
      %t = smx_gpu.load %from[%c0, %c0] dims [0, 1] : !global -> tensor<64x64xbf16, #L>
      smx_gpu.tensor_store %t, %by[%c0, %c0] through %through dims [0, 1] : tensor<64x64xbf16, #L>, !global, !shared
      %u = smx_gpu.load %by[%c0, %c0] dims [0, 1] : !global -> tensor<64x64xbf16, #L>
      smx_gpu.store %u, %to[%c0, %c0] dims [0, 1] : tensor<64x64xbf16, #L>, !global
    }
  }
  smx_gpu.return
}
