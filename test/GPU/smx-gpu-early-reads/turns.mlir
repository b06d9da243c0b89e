// A turn that is passed on behind the products orders these alone: a read comes while they are under way.
// RUN: softmax-opt %s --smx-gpu-early-reads | FileCheck %s

#L = #smx_gpu.fragment<warps = 4>
!tile = !smx_gpu.shared<64x128xbf16, swizzle = 128>
!key = !smx_gpu.shared<128x128xbf16, swizzle = 128>
!s = tensor<64x128xf32, #L>

// CHECK-LABEL: @in_turn
// CHECK: smx_gpu.take_turn
// CHECK: smx_gpu.mma_async
// CHECK-NEXT: smx_gpu.load
// CHECK-NEXT: smx_gpu.wait
// CHECK-NEXT: smx_gpu.pass_turn
smx_gpu.kernel @in_turn(%bias: memref<?x?xf32>, %n: index) warps(8) {
  %0 = smx_gpu.alloc : !tile
  %1 = smx_gpu.alloc : !key
  %turns = smx_gpu.turns : !smx_gpu.turns<2>
  smx_gpu.warp_specialize {
    smx_gpu.role @compute warps(8) group(4) registers(224) (%b = %bias : memref<?x?xf32>, %m = %n : index, %q = %0 : !tile, %k = %1 : !key,
                                                            %turn = %turns : !smx_gpu.turns<2>) {
      %c0 = arith.constant 0 : index
      %c128 = arith.constant 128 : index
      %zeros = arith.constant dense<0.0> : !s
      %r = scf.for %j = %c0 to %m step %c128 iter_args(%sum = %zeros) -> !s {
        smx_gpu.take_turn %turn : !smx_gpu.turns<2>
        %a, %t = smx_gpu.mma_async %q, %k, %zeros transpose_b zero : !tile, !key -> !s
        %p = smx_gpu.wait %t, %a : !s
        smx_gpu.pass_turn %turn : !smx_gpu.turns<2>
        %x = smx_gpu.load %b[%c0, %j] dims [-1, 1] : memref<?x?xf32> -> !s
        %y = arith.addf %x, %p : !s
        %next = arith.addf %y, %sum : !s
        scf.yield %next : !s
      }
      smx_gpu.store %r, %b[%c0, %c0] dims [0, 1] : !s, memref<?x?xf32>
    }
  }
  smx_gpu.return
}
