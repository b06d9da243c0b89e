// Reads stand in front of the first wait of a round where there are registers for them.
// RUN: softmax-opt %s --smx-gpu-early-reads | FileCheck %s
// RUN: softmax-opt %s --smx-gpu-early-reads --remarks-filter=smx-gpu-early-reads -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: softmax-opt %s --smx-gpu-early-reads="registers=225" | FileCheck %s --check-prefix=NONE
// RUN: softmax-opt %s --smx-gpu-early-reads="reserve=91" --remarks-filter=smx-gpu-early-reads -o /dev/null 2>&1 | FileCheck %s --check-prefix=TIGHT

#L = #smx_gpu.fragment<warps = 4>
!tile = !smx_gpu.shared<64x128xbf16, swizzle = 128>
!key = !smx_gpu.shared<128x128xbf16, swizzle = 128>
!s = tensor<64x128xf32, #L>
!places = tensor<64x128xindex, #L>

// Of 224 registers 128 are those of the sum and of the product. A thread reads a diagonal from 34 places, and a bias for
// each pair from 64; 90 are left with a reserve of 6. What branches read stays in them, and so does what the product decides.
// REMARK: [Passed] EarlyReads | Category:smx-gpu-early-reads | {{.*}}registers=34
// REMARK: [Missed] EarlyReads | Category:smx-gpu-early-reads | {{.*}}needed=64, room=56
// REMARK-NOT: EarlyReads
// TIGHT: [Missed] EarlyReads | Category:smx-gpu-early-reads | {{.*}}needed=34, room=5

// CHECK-LABEL: @reads
// CHECK: scf.for
// CHECK: smx_gpu.mma_async
// CHECK-NEXT: smx_gpu.position 1
// CHECK-NEXT: smx_gpu.position 0
// CHECK-NEXT: %[[AT:.+]] = arith.subi
// CHECK-NEXT: smx_gpu.gather %{{.+}}[%[[AT]]]
// CHECK-NEXT: smx_gpu.wait
// CHECK: smx_gpu.load
// CHECK: smx_gpu.gather
// NONE-LABEL: @reads
// NONE: smx_gpu.wait
// NONE: smx_gpu.gather
smx_gpu.kernel @reads(%table: memref<?xf32>, %bias: memref<?x128xf32>, %n: index) warps(4) {
  %0 = smx_gpu.alloc : !tile
  %1 = smx_gpu.alloc : !key
  smx_gpu.warp_specialize {
    smx_gpu.role @compute warps(4) group(4) registers(224) (%z = %table : memref<?xf32>, %b = %bias : memref<?x128xf32>, %m = %n : index, %q = %0 : !tile, %k = %1 : !key) {
      %c0 = arith.constant 0 : index
      %c128 = arith.constant 128 : index
      %zeros = arith.constant dense<0.0> : !s
      %first = arith.constant dense<0> : !places
      %r = scf.for %j = %c0 to %m step %c128 iter_args(%sum = %zeros) -> !s {
        %a, %t = smx_gpu.mma_async %q, %k, %zeros transpose_b zero : !tile, !key -> !s
        %p = smx_gpu.wait %t, %a : !s
        %column = smx_gpu.position 1 : !places
        %row = smx_gpu.position 0 : !places
        %at = arith.subi %column, %row : !places
        %near = smx_gpu.gather %z[%at] : memref<?xf32> -> !s
        %pair = smx_gpu.load %b[%j, %c0] dims [0, 1] : memref<?x128xf32> -> !s
        %hit = arith.cmpf ogt, %p, %zeros : !s
        %chosen = arith.select %hit, %at, %first : tensor<64x128xi1, #L>, !places
        %late = smx_gpu.gather %z[%chosen] : memref<?xf32> -> !s
        %x = arith.addf %near, %pair : !s
        %y = arith.addf %x, %late : !s
        %w = arith.addf %y, %p : !s
        %next = arith.addf %w, %sum : !s
        scf.yield %next : !s
      }
      smx_gpu.store %r, %b[%c0, %c0] dims [0, 1] : !s, memref<?x128xf32>
    }
  }
  smx_gpu.return
}

// What is written between the wait and the read may be what is read.
// CHECK-LABEL: @written
// CHECK: smx_gpu.wait
// CHECK: smx_gpu.store
// CHECK: smx_gpu.gather
smx_gpu.kernel @written(%table: memref<?x128xf32>, %n: index) warps(4) {
  %0 = smx_gpu.alloc : !tile
  %1 = smx_gpu.alloc : !key
  smx_gpu.warp_specialize {
    smx_gpu.role @compute warps(4) group(4) registers(224) (%z = %table : memref<?x128xf32>, %m = %n : index, %q = %0 : !tile, %k = %1 : !key) {
      %c0 = arith.constant 0 : index
      %c128 = arith.constant 128 : index
      %zeros = arith.constant dense<0.0> : !s
      scf.for %j = %c0 to %m step %c128 {
        %a, %t = smx_gpu.mma_async %q, %k, %zeros transpose_b zero : !tile, !key -> !s
        %p = smx_gpu.wait %t, %a : !s
        smx_gpu.store %p, %z[%c0, %c0] dims [0, 1] : !s, memref<?x128xf32>
        %column = smx_gpu.position 1 : !places
        %row = smx_gpu.position 0 : !places
        %near = smx_gpu.gather %z[%row, %column] : memref<?x128xf32> -> !s
        smx_gpu.store %near, %z[%c128, %c0] dims [0, 1] : !s, memref<?x128xf32>
      }
    }
  }
  smx_gpu.return
}
