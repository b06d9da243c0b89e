// The second product is waited for in front of the branch that reads it, if registers have room for new weights.
// RUN: softmax-opt %s --smx-gpu-late-waits | FileCheck %s
// RUN: softmax-opt %s --smx-gpu-late-waits --remarks-filter=smx-gpu-late-waits -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: softmax-opt %s --smx-gpu-late-waits="reserve=30" | FileCheck %s --check-prefix=STAYS
// RUN: softmax-opt %s --smx-gpu-late-waits="reserve=30" --remarks-filter=smx-gpu-late-waits -o /dev/null 2>&1 | FileCheck %s --check-prefix=TIGHT

#L = #smx_gpu.fragment<warps = 4>
!tile = !smx_gpu.shared<64x128xbf16, swizzle = 128>
!channel = !smx_gpu.channel<128x128xbf16, swizzle = 128, depth = 2>
!s = tensor<64x128xf32, #L>
!p = tensor<64x128xbf16, #L>
!l = tensor<64x8xf32, #L>

// A sum of 64 registers, weights of 32 and row sums of 4 are carried, scores are 64, the new weights and their sums 36.
// REMARK: [Passed] LateWait | Category:smx-gpu-late-waits | {{.*}}registers=200
// REMARK-NOT: LateWait
// TIGHT: [Missed] LateWait | Category:smx-gpu-late-waits | {{.*}}needed=200, room=194
// TIGHT-NOT: LateWait

// CHECK-LABEL: @whole
// CHECK: smx_gpu.wait {{.*}} pending 1
// CHECK-NEXT: math.exp2
// CHECK: smx_gpu.any
// CHECK-NEXT: smx_gpu.wait
// CHECK-NEXT: smx_gpu.release
// CHECK-NEXT: scf.if
// STAYS-LABEL: @whole
// STAYS: smx_gpu.wait {{.*}} pending 1
// STAYS-NEXT: smx_gpu.wait
// STAYS-NEXT: smx_gpu.release
// STAYS-NEXT: math.exp2
smx_gpu.kernel @whole(%memory: memref<?x128xf32>, %keys: memref<?x128xbf16>, %n: index) warps(8) {
  %0 = smx_gpu.alloc : !tile
  %1 = smx_gpu.make_channel : !channel
  smx_gpu.warp_specialize {
    smx_gpu.role @load warps(4) registers(24) (%k = %keys : memref<?x128xbf16>, %m = %n : index, %c = %1 : !channel) {
      %c0 = arith.constant 0 : index
      %c128 = arith.constant 128 : index
      scf.for %j = %c0 to %m step %c128 {
        smx_gpu.put %k[%j, %c0] into %c dims [0, 1] copy(tensor) : memref<?x128xbf16>, !channel
      }
    }
    smx_gpu.role @compute warps(4) group(4) registers(224) (%b = %memory : memref<?x128xf32>, %m = %n : index, %q = %0 : !tile, %c = %1 : !channel) {
      %c0 = arith.constant 0 : index
      %c128 = arith.constant 128 : index
      %zeros = arith.constant dense<0.0> : !s
      %none = arith.constant dense<0.0> : !p
      %empty = arith.constant dense<0.0> : !l
      %bound = arith.constant dense<256.0> : !l
      %r:3 = scf.for %j = %c0 to %m step %c128 iter_args(%sum = %zeros, %p = %none, %l = %empty) -> (!s, !p, !l) {
        %k = smx_gpu.get %c : !channel -> <128x128xbf16, swizzle = 128>
        %sr, %st = smx_gpu.mma_async %q, %k, %zeros transpose_b zero : !tile, !smx_gpu.shared<128x128xbf16, swizzle = 128> -> !s
        %or, %ot = smx_gpu.mma_async %p, %k, %sum : !p, !smx_gpu.shared<128x128xbf16, swizzle = 128> -> !s
        %s = smx_gpu.wait %st, %sr pending 1 : !s
        %o = smx_gpu.wait %ot, %or : !s
        smx_gpu.release %c : !channel
        %e = math.exp2 %s : !s
        %part = smx_gpu.partial_reduce <add> %e : !s -> !l
        %next = arith.truncf %e : !s to !p
        %large = arith.cmpf ugt, %part, %bound : !l
        %moves = smx_gpu.any %large : tensor<64x8xi1, #L>
        %all:2 = scf.if %moves -> (!s, !l) {
          %twice = arith.addf %o, %o : !s
          scf.yield %twice, %part : !s, !l
        } else {
          %more = arith.addf %part, %l : !l
          scf.yield %o, %more : !s, !l
        }
        scf.yield %all#0, %next, %all#1 : !s, !p, !l
      }
      smx_gpu.store %r#0, %b[%c0, %c0] dims [0, 1] : !s, memref<?x128xf32>
    }
  }
  smx_gpu.return
}

// A turn that is kept until the products are done would be kept for longer.
// CHECK-LABEL: @kept_turn
// CHECK: smx_gpu.wait {{.*}} pending 1
// CHECK-NEXT: smx_gpu.wait
// CHECK-NEXT: smx_gpu.pass_turn
smx_gpu.kernel @kept_turn(%memory: memref<?x128xf32>, %n: index) warps(8) {
  %0 = smx_gpu.alloc : !tile
  %1 = smx_gpu.alloc : !smx_gpu.shared<128x128xbf16, swizzle = 128>
  %turns = smx_gpu.turns : !smx_gpu.turns<2>
  smx_gpu.warp_specialize {
    smx_gpu.role @compute warps(8) group(4) registers(224) (%b = %memory : memref<?x128xf32>, %m = %n : index, %q = %0 : !tile,
        %k = %1 : !smx_gpu.shared<128x128xbf16, swizzle = 128>, %turn = %turns : !smx_gpu.turns<2>) {
      %c0 = arith.constant 0 : index
      %c128 = arith.constant 128 : index
      %zeros = arith.constant dense<0.0> : !s
      %none = arith.constant dense<0.0> : !p
      %r:2 = scf.for %j = %c0 to %m step %c128 iter_args(%sum = %zeros, %p = %none) -> (!s, !p) {
        smx_gpu.take_turn %turn : !smx_gpu.turns<2>
        %sr, %st = smx_gpu.mma_async %q, %k, %zeros transpose_b zero : !tile, !smx_gpu.shared<128x128xbf16, swizzle = 128> -> !s
        %or, %ot = smx_gpu.mma_async %p, %k, %sum : !p, !smx_gpu.shared<128x128xbf16, swizzle = 128> -> !s
        %s = smx_gpu.wait %st, %sr pending 1 : !s
        %o = smx_gpu.wait %ot, %or : !s
        smx_gpu.pass_turn %turn : !smx_gpu.turns<2>
        %e = math.exp2 %s : !s
        %next = arith.truncf %e : !s to !p
        %twice = arith.addf %o, %o : !s
        scf.yield %twice, %next : !s, !p
      }
      smx_gpu.store %r#0, %b[%c0, %c0] dims [0, 1] : !s, memref<?x128xf32>
    }
  }
  smx_gpu.return
}

// Places are made again where they are needed, and take no registers until then.
// CHECK-LABEL: @places
// CHECK: smx_gpu.wait {{.*}} pending 1
// CHECK-NEXT: smx_gpu.position
// REMARK: [Passed] LateWait | Category:smx-gpu-late-waits | {{.*}}registers=196
// REMARK-NOT: LateWait
// TIGHT: [Missed] LateWait | Category:smx-gpu-late-waits | {{.*}}needed=196, room=194
// TIGHT-NOT: LateWait
smx_gpu.kernel @places(%memory: memref<?x128xf32>, %n: index) warps(4) {
  %0 = smx_gpu.alloc : !tile
  %1 = smx_gpu.alloc : !smx_gpu.shared<128x128xbf16, swizzle = 128>
  smx_gpu.warp_specialize {
    smx_gpu.role @compute warps(4) group(4) registers(224) (%b = %memory : memref<?x128xf32>, %m = %n : index, %q = %0 : !tile,
        %k = %1 : !smx_gpu.shared<128x128xbf16, swizzle = 128>) {
      %c0 = arith.constant 0 : index
      %c128 = arith.constant 128 : index
      %zeros = arith.constant dense<0.0> : !s
      %none = arith.constant dense<0.0> : !p
      %bound = arith.constant dense<256.0> : !l
      %r:2 = scf.for %j = %c0 to %m step %c128 iter_args(%sum = %zeros, %p = %none) -> (!s, !p) {
        %sr, %st = smx_gpu.mma_async %q, %k, %zeros transpose_b zero : !tile, !smx_gpu.shared<128x128xbf16, swizzle = 128> -> !s
        %or, %ot = smx_gpu.mma_async %p, %k, %sum : !p, !smx_gpu.shared<128x128xbf16, swizzle = 128> -> !s
        %s = smx_gpu.wait %st, %sr pending 1 : !s
        %o = smx_gpu.wait %ot, %or : !s
        %column = smx_gpu.position 1 : tensor<64x128xindex, #L>
        %first = tensor.splat %j : tensor<64x128xindex, #L>
        %key = arith.addi %column, %first : tensor<64x128xindex, #L>
        %number = arith.index_cast %key : tensor<64x128xindex, #L> to tensor<64x128xi32, #L>
        %place = arith.sitofp %number : tensor<64x128xi32, #L> to !s
        %score = arith.addf %s, %place : !s
        %e = math.exp2 %score : !s
        %part = smx_gpu.partial_reduce <add> %e : !s -> !l
        %next = arith.truncf %e : !s to !p
        %large = arith.cmpf ugt, %part, %bound : !l
        %moves = smx_gpu.any %large : tensor<64x8xi1, #L>
        %all = scf.if %moves -> !s {
          %more = arith.addf %o, %place : !s
          scf.yield %more : !s
        } else {
          scf.yield %o : !s
        }
        scf.yield %all, %next : !s, !p
      }
      smx_gpu.store %r#0, %b[%c0, %c0] dims [0, 1] : !s, memref<?x128xf32>
    }
  }
  smx_gpu.return
}
