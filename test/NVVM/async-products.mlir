// Products of a warpgroup: one piece of assembly each, and a wait that passes the accumulator on.
// Pieces of assembly are llvm.inline_asm: nvvm.inline_ptx hands over its operands in another order than it numbers them where some are written.
// RUN: softmax-opt %s --smx-gpu-to-nvvm=chip=sm_90a | FileCheck %s --implicit-check-not=nvvm.inline_ptx

#L = #smx_gpu.fragment<warps = 4>
!a = !smx_gpu.shared<64x64xbf16, swizzle = 128>
!k = !smx_gpu.shared<32x64xbf16, swizzle = 128>
!v = !smx_gpu.shared<32x64xbf16, swizzle = 64>

// Both operands in shared memory; rows of both run along the reduced dimension. The first step overwrites the accumulator,
// which is no operand. What threads wrote to shared memory becomes visible to the unit first.
// CHECK-LABEL: llvm.func @from_shared
smx_gpu.kernel @from_shared(%o: memref<?x32xf32>) warps(4) {
  %c0 = arith.constant 0 : index
  %x = smx_gpu.alloc : !a
  %y = smx_gpu.alloc : !k
  %zero = arith.constant dense<0.0> : tensor<64x32xf32, #L>
  // CHECK: %[[ADDRESS:.+]] = llvm.ptrtoint %{{.+}} : !llvm.ptr<3> to i32
  // CHECK: %[[UNITS:.+]] = llvm.lshr %[[ADDRESS]],
  // In a cluster the rank of the block is above these bits.
  // CHECK: llvm.mlir.constant(16383 : i32)
  // All tiles start from the first byte of shared memory: that of the second operand lies 8192 bytes, 512 units, behind it.
  // CHECK: %[[LOW:.+]] = llvm.and %[[UNITS]],
  // CHECK: llvm.inline_asm has_side_effects
  // CHECK-SAME: fence.proxy.async.shared::cta;\0Awgmma.fence.sync.aligned;
  // CHECK-SAME: add.s32 y, $17, 66048;\0Amov.b64 db, {y, 1073741888};
  // CHECK-SAME: add.s32 x, $16, 65536;
  // CHECK-SAME: wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16 {$0, $1, {{.*}}$15}, da, db, 0, 1, 1, 0, 0;
  // CHECK-SAME: add.s32 y, $17, 66050;
  // CHECK-SAME: da, db, 1, 1, 1, 0, 0;
  // CHECK-SAME: wgmma.commit_group.sync.aligned; }", "=f,{{.*}}=f,r,r,~{memory}" %[[LOW]], %{{[0-9]+}} :
  %s, %t = smx_gpu.mma_async %x, %y, %zero transpose_b zero : !a, !k -> tensor<64x32xf32, #L>
  // CHECK: "wgmma.wait_group.sync.aligned 0;", "=f,{{.*}}=f,0,{{.*}}15,~{memory}"
  %r = smx_gpu.wait %t, %s : tensor<64x32xf32, #L>
  smx_gpu.store %r, %o[%c0, %c0] dims [0, 1] : tensor<64x32xf32, #L>, memref<?x32xf32>
  smx_gpu.return
}

// The first operand in registers, the second one with the reduced dimension along its rows, and panels of 64 bytes; the
// accumulator goes in. The wait holds the registers that the unit reads.
// CHECK-LABEL: llvm.func @from_registers
smx_gpu.kernel @from_registers(%o: memref<?x64xf32>, %w: memref<?x32xbf16>) warps(4) {
  %c0 = arith.constant 0 : index
  %y = smx_gpu.alloc : !v
  %acc = arith.constant dense<0.0> : tensor<64x64xf32, #L>
  %p = smx_gpu.load %w[%c0, %c0] dims [0, 1] : memref<?x32xbf16> -> tensor<64x32xbf16, #L>
  // Panels lie 2048 bytes apart, groups of 8 rows 512: a step of 16 rows is 1024.
  // CHECK: llvm.inline_asm has_side_effects{{.*}}wgmma.fence.sync.aligned;
  // CHECK-SAME: add.s32 y, $40, 8388608;\0Amov.b64 db, {y, 2147483680};
  // CHECK-SAME: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {$0, {{.*}}$31}, {$32, $33, $34, $35}, db, 1, 1, 1, 1;
  // CHECK-SAME: add.s32 y, $40, 8388672;
  // CHECK-SAME: {$36, $37, $38, $39}, db, 1, 1, 1, 1;
  // CHECK-SAME: "=f,{{.*}}=f,r,r,r,r,r,r,r,r,r,0,1,
  %s, %t = smx_gpu.mma_async %p, %y, %acc : tensor<64x32xbf16, #L>, !v -> tensor<64x64xf32, #L>
  // CHECK: "wgmma.wait_group.sync.aligned 0;", "=f,{{.*}}=f,r,r,r,r,r,r,r,r,0,1,
  %r = smx_gpu.wait %t, %s : tensor<64x64xf32, #L>
  smx_gpu.store %r, %o[%c0, %c0] dims [0, 1] : tensor<64x64xf32, #L>, memref<?x64xf32>
  smx_gpu.return
}

// 128 rows are two instructions a step; the second of two products may still run.
// CHECK-LABEL: llvm.func @two_products
smx_gpu.kernel @two_products(%o: memref<?x16xf32>) warps(4) {
  %c0 = arith.constant 0 : index
  %x = smx_gpu.alloc : !smx_gpu.shared<128x16xf16, swizzle = 32>
  %acc = arith.constant dense<0.0> : tensor<128x16xf32, #L>
  %y = smx_gpu.alloc : !smx_gpu.shared<16x16xf16, swizzle = 32>
  // CHECK: add.s32 x, $16, 65536;
  // CHECK-SAME: wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {$0, {{.*}}$7}, da, db, 1, 1, 1, 0, 1;
  // CHECK-SAME: add.s32 x, $16, 65664;
  // CHECK-SAME: {$8, {{.*}}$15}, da, db, 1, 1, 1, 0, 1;
  %s, %t = smx_gpu.mma_async %x, %y, %acc : !smx_gpu.shared<128x16xf16, swizzle = 32>, !smx_gpu.shared<16x16xf16, swizzle = 32> -> tensor<128x16xf32, #L>
  %u, %v = smx_gpu.mma_async %x, %y, %acc : !smx_gpu.shared<128x16xf16, swizzle = 32>, !smx_gpu.shared<16x16xf16, swizzle = 32> -> tensor<128x16xf32, #L>
  // CHECK: "wgmma.wait_group.sync.aligned 1;"
  %r = smx_gpu.wait %t, %s pending 1 : tensor<128x16xf32, #L>
  // CHECK: "wgmma.wait_group.sync.aligned 0;"
  %q = smx_gpu.wait %v, %u : tensor<128x16xf32, #L>
  %sum = arith.addf %r, %q : tensor<128x16xf32, #L>
  smx_gpu.store %sum, %o[%c0, %c0] dims [0, 1] : tensor<128x16xf32, #L>, memref<?x16xf32>
  smx_gpu.return
}

// ptxas does not keep registers of a first operand that the rounds of a loop share: the warps multiply by themselves.
// CHECK-LABEL: llvm.func @shared_by_rounds
smx_gpu.kernel @shared_by_rounds(%o: memref<?x32xf32>, %w: memref<?x64xbf16>, %n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = smx_gpu.alloc : !k
  %zero = arith.constant dense<0.0> : tensor<64x32xf32, #L>
  %q = smx_gpu.load %w[%c0, %c0] dims [0, 1] : memref<?x64xbf16> -> tensor<64x64xbf16, #L>
  // CHECK-NOT: wgmma
  // CHECK: nvvm.mma.sync
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> tensor<64x32xf32, #L> {
    %r = smx_gpu.mma %q, %y, %acc transpose_b : tensor<64x64xbf16, #L>, !k -> tensor<64x32xf32, #L>
    scf.yield %r : tensor<64x32xf32, #L>
  }
  smx_gpu.store %sum, %o[%c0, %c0] dims [0, 1] : tensor<64x32xf32, #L>, memref<?x32xf32>
  smx_gpu.return
}

// Registers of this round are kept.
// CHECK-LABEL: llvm.func @of_the_round
smx_gpu.kernel @of_the_round(%o: memref<?x32xf32>, %w: memref<?x64xbf16>, %n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = smx_gpu.alloc : !k
  %zero = arith.constant dense<0.0> : tensor<64x32xf32, #L>
  // CHECK: wgmma.mma_async
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> tensor<64x32xf32, #L> {
    %q = smx_gpu.load %w[%i, %c0] dims [0, 1] : memref<?x64xbf16> -> tensor<64x64xbf16, #L>
    %r = smx_gpu.mma %q, %y, %acc transpose_b : tensor<64x64xbf16, #L>, !k -> tensor<64x32xf32, #L>
    scf.yield %r : tensor<64x32xf32, #L>
  }
  smx_gpu.store %sum, %o[%c0, %c0] dims [0, 1] : tensor<64x32xf32, #L>, memref<?x32xf32>
  smx_gpu.return
}

// A product that is left out: the branch is in the assembly, and where it is taken there is a group of products, too: waits count these. All of a group
// know whether a tile holds something that is not finite, 16 bytes at a time and thread.
// CHECK-LABEL: llvm.func @left_out
smx_gpu.kernel @left_out(%o: memref<?x64xf32>, %w: memref<?x32xbf16>) warps(4) {
  %c0 = arith.constant 0 : index
  %y = smx_gpu.alloc : !v
  %start = arith.constant dense<1.0> : tensor<64x64xf32, #L>
  %x = smx_gpu.load %w[%c0, %c0] dims [0, 1] : memref<?x32xbf16> -> tensor<64x32xbf16, #L>
  // CHECK: llvm.load %{{.+}} : !llvm.ptr<3> -> vector<8xbf16>
  // CHECK: llvm.intr.fma
  // CHECK: llvm.fcmp "uno"
  // CHECK: "llvm.nvvm.barrier.cta.red.or.aligned.count"
  // CHECK: %[[ANY:.+]] = nvvm.vote.sync any
  %none = smx_gpu.not_finite %y : !v
  // CHECK: %[[WORD:.+]] = llvm.zext %[[ANY]] : i1 to i32
  // CHECK: llvm.inline_asm has_side_effects
  // CHECK-SAME: .reg .pred none;\0Asetp.ne.b32 none, $41, 0;\0A@none bra.uni behind;\0Awgmma.fence.sync.aligned;
  // CHECK-SAME: wgmma.commit_group.sync.aligned;\0Abra.uni done;\0Abehind:\0Awgmma.fence.sync.aligned;\0Awgmma.commit_group.sync.aligned;\0Adone: }"
  // CHECK-SAME: %[[WORD]]
  %s, %t = smx_gpu.mma_async %x, %y, %start unless %none : tensor<64x32xbf16, #L>, !v -> tensor<64x64xf32, #L>
  %r = smx_gpu.wait %t, %s : tensor<64x64xf32, #L>
  smx_gpu.store %r, %o[%c0, %c0] dims [0, 1] : tensor<64x64xf32, #L>, memref<?x64xf32>
  smx_gpu.return
}
