// What rows share takes the registers of one row, and what is read or not as a whole those of what is read.
// RUN: softmax-opt %s --smx-gpu-early-reads | FileCheck %s
// RUN: softmax-opt %s --smx-gpu-early-reads --remarks-filter=smx-gpu-early-reads -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

#L = #smx_gpu.fragment<warps = 4>
!tile = !smx_gpu.shared<64x128xbf16, swizzle = 128>
!key = !smx_gpu.shared<128x128xbf16, swizzle = 128>
!s = tensor<64x128xf32, #L>
!h = tensor<64x128xbf16, #L>
!places = tensor<64x128xindex, #L>

// A thread has 32 columns of both of its rows: pairs of 16 bits.
// REMARK: [Passed] EarlyReads | {{.*}}registers=16
// REMARK: [Passed] EarlyReads | {{.*}}registers=34
// CHECK-LABEL: @shared
// CHECK: smx_gpu.mma_async
// CHECK-DAG: smx_gpu.load
// CHECK-DAG: smx_gpu.gather
// CHECK: smx_gpu.wait
// CHECK-NOT: smx_gpu.gather
smx_gpu.kernel @shared(%table: memref<?xf32>, %bias: memref<?x128xbf16>, %y: memref<?x128xf32>, %n: index, %in: i1) warps(4) {
  %0 = smx_gpu.alloc : !tile
  %1 = smx_gpu.alloc : !key
  smx_gpu.warp_specialize {
    smx_gpu.role @compute warps(4) group(4) registers(224) (%z = %table : memref<?xf32>, %b = %bias : memref<?x128xbf16>, %o = %y : memref<?x128xf32>, %m = %n : index, %i = %in : i1, %q = %0 : !tile, %k = %1 : !key) {
      %c0 = arith.constant 0 : index
      %c128 = arith.constant 128 : index
      %zeros = arith.constant dense<0.0> : !s
      %first = arith.constant dense<0> : !places
      %all = tensor.splat %i : tensor<64x128xi1, #L>
      %r = scf.for %j = %c0 to %m step %c128 iter_args(%sum = %zeros) -> !s {
        %a, %t = smx_gpu.mma_async %q, %k, %zeros transpose_b zero : !tile, !key -> !s
        %p = smx_gpu.wait %t, %a : !s
        %column = smx_gpu.position 1 : !places
        %row = smx_gpu.position 0 : !places
        %distance = arith.subi %column, %row : !places
        %at = arith.select %all, %distance, %first : tensor<64x128xi1, #L>, !places
        %shared = smx_gpu.load %b[%j, %c0] dims [-1, 1] {aligned = 16 : i64} : memref<?x128xbf16> -> !h
        %near = smx_gpu.gather %z[%at] : memref<?xf32> -> !s
        %wide = arith.extf %shared : !h to !s
        %x = arith.addf %near, %wide : !s
        %w = arith.addf %x, %p : !s
        %next = arith.addf %w, %sum : !s
        scf.yield %next : !s
      }
      smx_gpu.store %r, %o[%c0, %c0] dims [0, 1] : !s, memref<?x128xf32>
    }
  }
  smx_gpu.return
}
