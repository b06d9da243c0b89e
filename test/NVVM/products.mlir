// Products in registers of a warp: which instructions, how many, with which operands.
// RUN: softmax-opt %s --smx-gpu-to-nvvm | FileCheck %s

#L = #smx_gpu.fragment<warps = 1>
!a = !smx_gpu.shared<32x32xbf16, swizzle = 64>
!b = !smx_gpu.shared<32x32xbf16, swizzle = 64>
!f16 = !smx_gpu.shared<16x24xf16, swizzle = 0>
!single = !smx_gpu.shared<16x8xf32, swizzle = 32>
!double = !smx_gpu.shared<8x8xf64, swizzle = 64>

// a's registers are operands as they are; b comes stored as columns x reduced, hence without a transpose.
// CHECK-LABEL: llvm.func @from_registers
smx_gpu.kernel @from_registers(%x: memref<?x32xbf16>) warps(1) {
  %c0 = arith.constant 0 : index
  %a = smx_gpu.load %x[%c0, %c0] dims [0, 1] : memref<?x32xbf16> -> tensor<16x32xbf16, #L>
  %b = smx_gpu.alloc : !b
  %acc = arith.constant dense<0.0> : tensor<16x32xf32, #L>
  // CHECK: %[[A0:.+]] = llvm.shufflevector %[[A:.+]], %[[A]] [0, 1] : vector<16xbf16>
  // CHECK: llvm.shufflevector %[[A]], %[[A]] [6, 7] : vector<16xbf16>
  // CHECK: nvvm.ldmatrix %{{.+}} {{{.*}}layout = #nvvm.mma_layout<row>, num = 4 : i32
  // CHECK: %[[OPERAND:.+]] = llvm.bitcast %[[A0]] : vector<2xbf16> to i32
  // CHECK: nvvm.mma.sync A[%[[OPERAND]],
  // CHECK-SAME: shape = #nvvm.shape<m = 16, n = 8, k = 16>
  // CHECK: nvvm.mma.sync
  // CHECK: nvvm.ldmatrix
  // CHECK-COUNT-2: nvvm.mma.sync
  // The second half of the reduced dimension.
  // CHECK: llvm.shufflevector %[[A]], %[[A]] [8, 9]
  // CHECK: nvvm.ldmatrix
  // CHECK-COUNT-2: nvvm.mma.sync
  // CHECK: nvvm.ldmatrix
  // CHECK-COUNT-2: nvvm.mma.sync
  // CHECK-NOT: nvvm.{{ldmatrix|mma.sync}}
  %r = smx_gpu.mma %a, %b, %acc transpose_b : tensor<16x32xbf16, #L>, !b -> tensor<16x32xf32, #L>
  smx_gpu.return
}

// Both from shared memory; b is transposed on the way and fetched once for both blocks of rows.
// CHECK-LABEL: llvm.func @from_shared
smx_gpu.kernel @from_shared() warps(1) {
  %a = smx_gpu.alloc : !a
  %b = smx_gpu.alloc : !b
  %acc = arith.constant dense<0.0> : tensor<32x32xf32, #L>
  // CHECK-COUNT-2: nvvm.ldmatrix {{.+}} layout = #nvvm.mma_layout<row>
  // CHECK: nvvm.ldmatrix {{.+}} layout = #nvvm.mma_layout<col>
  // CHECK-COUNT-4: nvvm.mma.sync
  // CHECK: nvvm.ldmatrix {{.+}} layout = #nvvm.mma_layout<col>
  // CHECK-COUNT-4: nvvm.mma.sync
  // CHECK: nvvm.ldmatrix {{.+}} layout = #nvvm.mma_layout<row>
  %r = smx_gpu.mma %a, %b, %acc : !a, !b -> tensor<32x32xf32, #L>
  smx_gpu.return
}

// Three groups of 8 columns: a pair, and one by itself. f16 operands are vectors.
// CHECK-LABEL: llvm.func @odd
smx_gpu.kernel @odd(%x: memref<?x16xf16>) warps(1) {
  %c0 = arith.constant 0 : index
  %a = smx_gpu.load %x[%c0, %c0] dims [0, 1] : memref<?x16xf16> -> tensor<16x16xf16, #L>
  %b = smx_gpu.alloc : !f16
  %acc = arith.constant dense<0.0> : tensor<16x24xf32, #L>
  // CHECK: nvvm.ldmatrix {{.+}} num = 4
  // CHECK-COUNT-2: nvvm.mma.sync {{.+}} (vector<2xf16>, vector<2xf16>, f32)
  // CHECK: nvvm.ldmatrix {{.+}} num = 2
  // CHECK: nvvm.mma.sync
  // CHECK-NOT: nvvm.mma.sync
  %r = smx_gpu.mma %a, %b, %acc : tensor<16x16xf16, #L>, !f16 -> tensor<16x24xf32, #L>
  smx_gpu.return
}

// A term is 0 where a is -0. Only if b is not finite throughout, in the eyes of all warps, this takes more than a product:
// loops over columns and over the reduced dimension. The sums of a round are the first ones, which all move up after it.
// CHECK-LABEL: llvm.func @guarded
smx_gpu.kernel @guarded(%x: memref<?x16xf16>) warps(1) {
  %c0 = arith.constant 0 : index
  %a = smx_gpu.load %x[%c0, %c0] dims [0, 1] : memref<?x16xf16> -> tensor<16x16xf16, #L>
  %b = smx_gpu.alloc : !f16
  %acc = arith.constant dense<0.0> : tensor<16x24xf32, #L>
  // CHECK-NOT: nvvm.mma.sync
  // CHECK: llvm.load {{.+}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<8xf16>
  // CHECK: %[[BAD:.+]] = llvm.fcmp "uno"
  // CHECK: %[[MET:.+]] = llvm.call_intrinsic "llvm.nvvm.barrier.cta.red.or.aligned.count"({{.+}}, %[[BAD]])
  // CHECK: %[[ANY:.+]] = nvvm.vote.sync any %{{.+}}, %[[MET]]
  // CHECK: scf.if %[[ANY]] -> (vector<12xf32>)
  // CHECK: scf.for {{.+}} iter_args(%[[ALL:.+]] = %{{.+}}) -> (vector<12xf32>)
  // CHECK: llvm.extractelement %[[ALL]]
  // CHECK: scf.for {{.+}} -> (vector<4xf32>)
  // CHECK-COUNT-4: nvvm.mma.sync
  // CHECK-NOT: nvvm.mma.sync
  // CHECK: } {loop_annotation = #{{.+}}}
  // CHECK: llvm.inline_asm {{.+}} "{ .reg .b32 first<4>; mov.b32 first0, $0; {{.+}} mov.b32 $0, $4; {{.+}} mov.b32 $8, first0; {{.+}} }"
  // CHECK: } {loop_annotation = #{{.+}}}
  // CHECK: } else {
  // CHECK-COUNT-3: nvvm.mma.sync
  // CHECK-NOT: nvvm.mma.sync
  %r = smx_gpu.mma %a, %b, %acc guarded : tensor<16x16xf16, #L>, !f16 -> tensor<16x24xf32, #L>
  smx_gpu.return
}

// Guarded in a tile that is cut alone: without a look, another tile takes the same product, which is there once.
// CHECK-LABEL: llvm.func @guarded_where_cut
// CHECK-SAME: %[[CUT:[a-z0-9]+]]: i1
smx_gpu.kernel @guarded_where_cut(%x: memref<?x16xf16>, %cut: i1) warps(1) {
  %c0 = arith.constant 0 : index
  %a = smx_gpu.load %x[%c0, %c0] dims [0, 1] : memref<?x16xf16> -> tensor<16x16xf16, #L>
  %b = smx_gpu.alloc : !f16
  %acc = arith.constant dense<0.0> : tensor<16x24xf32, #L>
  // CHECK: %[[GUARDED:.+]] = scf.if %[[CUT]] -> (i1)
  // CHECK: %[[ANY:.+]] = nvvm.vote.sync any
  // CHECK: scf.yield %[[ANY]]
  // CHECK: } else {
  // CHECK: %[[NONE:.+]] = llvm.mlir.constant(false) : i1
  // CHECK-NEXT: scf.yield %[[NONE]]
  // CHECK: scf.if %[[GUARDED]] -> (vector<12xf32>)
  // CHECK-COUNT-4: nvvm.mma.sync
  // CHECK: } else {
  // CHECK-COUNT-3: nvvm.mma.sync
  // CHECK-NOT: nvvm.mma.sync
  %r = scf.if %cut -> (tensor<16x24xf32, #L>) {
    %g = smx_gpu.mma %a, %b, %acc guarded : tensor<16x16xf16, #L>, !f16 -> tensor<16x24xf32, #L>
    scf.yield %g : tensor<16x24xf32, #L>
  } else {
    %u = smx_gpu.mma %a, %b, %acc : tensor<16x16xf16, #L>, !f16 -> tensor<16x24xf32, #L>
    scf.yield %u : tensor<16x24xf32, #L>
  }
  smx_gpu.return
}

// Products of different operands are two.
// CHECK-LABEL: llvm.func @guarded_other
// CHECK-SAME: %[[CUT:[a-z0-9]+]]: i1
smx_gpu.kernel @guarded_other(%x: memref<?x16xf16>, %cut: i1) warps(1) {
  %c0 = arith.constant 0 : index
  %a = smx_gpu.load %x[%c0, %c0] dims [0, 1] : memref<?x16xf16> -> tensor<16x16xf16, #L>
  %b = smx_gpu.alloc : !f16
  %c = smx_gpu.alloc : !f16
  %acc = arith.constant dense<0.0> : tensor<16x24xf32, #L>
  // CHECK: scf.if %[[CUT]] -> (vector<12xf32>)
  // CHECK-COUNT-10: nvvm.mma.sync
  // CHECK-NOT: nvvm.mma.sync
  %r = scf.if %cut -> (tensor<16x24xf32, #L>) {
    %g = smx_gpu.mma %a, %b, %acc guarded : tensor<16x16xf16, #L>, !f16 -> tensor<16x24xf32, #L>
    scf.yield %g : tensor<16x24xf32, #L>
  } else {
    %u = smx_gpu.mma %a, %c, %acc : tensor<16x16xf16, #L>, !f16 -> tensor<16x24xf32, #L>
    scf.yield %u : tensor<16x24xf32, #L>
  }
  smx_gpu.return
}

// A look at a large operand: 20 loads of a thread, eight at a time.
// CHECK-LABEL: llvm.func @looks
smx_gpu.kernel @looks(%x: memref<?x80xbf16>) warps(1) {
  %c0 = arith.constant 0 : index
  %a = smx_gpu.load %x[%c0, %c0] dims [0, 1] : memref<?x80xbf16> -> tensor<16x80xbf16, #L>
  %b = smx_gpu.alloc : !smx_gpu.shared<80x64xbf16, swizzle = 128>
  %acc = arith.constant dense<0.0> : tensor<16x64xf32, #L>
  // CHECK: scf.for %[[TURN:[a-z0-9]+]] = {{.+}} -> (vector<8xbf16>)
  // CHECK: llvm.mul %[[TURN]]
  // CHECK-COUNT-8: llvm.load {{.+}} !llvm.ptr<3> -> vector<8xbf16>
  // CHECK-NOT: llvm.load
  // CHECK: } {loop_annotation = #{{.+}}}
  // CHECK-COUNT-4: llvm.load {{.+}} !llvm.ptr<3> -> vector<8xbf16>
  // CHECK-NOT: llvm.load
  // CHECK: llvm.fcmp "uno"
  %r = smx_gpu.mma %a, %b, %acc guarded : tensor<16x80xbf16, #L>, !smx_gpu.shared<80x64xbf16, swizzle = 128> -> tensor<16x64xf32, #L>
  smx_gpu.return
}

// Three products of parts for each.
// CHECK-LABEL: llvm.func @split
smx_gpu.kernel @split(%x: memref<?x8xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %a = smx_gpu.load %x[%c0, %c0] dims [0, 1] : memref<?x8xf32> -> tensor<16x8xf32, #L>
  %b = smx_gpu.alloc : !single
  %acc = arith.constant dense<0.0> : tensor<16x16xf32, #L>
  // CHECK: %[[HEAD:.+]] = llvm.mlir.constant(-8192 : i32) : i32
  // CHECK: llvm.and %{{.+}}, %[[HEAD]] : i32
  // CHECK: llvm.fsub
  // CHECK-COUNT-2: llvm.load {{.+}} !llvm.ptr<3> -> vector<2xf32>
  // CHECK-COUNT-6: nvvm.mma.sync {{.+}} shape = #nvvm.shape<m = 16, n = 8, k = 8>
  // CHECK-NOT: nvvm.mma.sync
  %r = smx_gpu.mma %a, %b, %acc transpose_b precision(tf32x3) : tensor<16x8xf32, #L>, !single -> tensor<16x16xf32, #L>
  smx_gpu.return
}

// Exactly: a row's elements come from the other three threads of the row.
// CHECK-LABEL: llvm.func @exact
smx_gpu.kernel @exact(%x: memref<?x8xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %a = smx_gpu.load %x[%c0, %c0] dims [0, 1] : memref<?x8xf32> -> tensor<16x8xf32, #L>
  %b = smx_gpu.alloc : !single
  %acc = arith.constant dense<0.0> : tensor<16x16xf32, #L>
  // CHECK-COUNT-8: nvvm.shfl.sync idx {{.+}} : f32 -> f32
  // CHECK-COUNT-2: llvm.load {{.+}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
  // CHECK-COUNT-16: llvm.intr.fma
  // CHECK-COUNT-2: llvm.load {{.+}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
  // CHECK-COUNT-16: llvm.intr.fma
  // CHECK-COUNT-8: nvvm.shfl.sync idx
  %r = smx_gpu.mma %a, %b, %acc transpose_b : tensor<16x8xf32, #L>, !single -> tensor<16x16xf32, #L>
  smx_gpu.return
}

// f64 goes in two words; guarded, a sum stays as it is where a is -0.
// CHECK-LABEL: llvm.func @double
smx_gpu.kernel @double(%x: memref<?x8xf64>) warps(1) {
  %c0 = arith.constant 0 : index
  %a = smx_gpu.load %x[%c0, %c0] dims [0, 1] : memref<?x8xf64> -> tensor<16x8xf64, #L>
  %b = smx_gpu.alloc : !double
  %acc = arith.constant dense<0.0> : tensor<16x8xf64, #L>
  // CHECK: %[[END:.+]] = llvm.mlir.constant(-2147483647 : i32) : i32
  // CHECK-COUNT-2: nvvm.shfl.sync idx {{.+}} : i32 -> i32
  // CHECK: %[[SUM:.+]] = llvm.intr.fma(%[[A:.+]], %{{.+}}, %[[BEFORE:.+]]) : (f64, f64, f64) -> f64
  // CHECK: %[[BITS:.+]] = llvm.bitcast %[[A]] : f64 to i64
  // CHECK: %[[UPPER:.+]] = llvm.lshr %[[BITS]]
  // CHECK: %[[WORD:.+]] = llvm.trunc %[[UPPER]] : i64 to i32
  // CHECK: %[[NONE:.+]] = llvm.icmp "slt" %[[WORD]], %[[END]]
  // CHECK: llvm.select %[[NONE]], %[[BEFORE]], %[[SUM]]
  %r = smx_gpu.mma %a, %b, %acc guarded : tensor<16x8xf64, #L>, !double -> tensor<16x8xf64, #L>
  smx_gpu.return
}

// Guarded in a tile that is cut alone: in another one, no word is below the lowest number, that of -0.
// CHECK-LABEL: llvm.func @exact_where_cut
// CHECK-SAME: %[[CUT:[a-z0-9]+]]: i1
smx_gpu.kernel @exact_where_cut(%x: memref<?x8xf32>, %cut: i1) warps(1) {
  %c0 = arith.constant 0 : index
  %a = smx_gpu.load %x[%c0, %c0] dims [0, 1] : memref<?x8xf32> -> tensor<16x8xf32, #L>
  %b = smx_gpu.alloc : !single
  %acc = arith.constant dense<0.0> : tensor<16x16xf32, #L>
  // CHECK-NOT: scf.if
  // CHECK: %[[ABOVE:.+]] = llvm.mlir.constant(-2147483647 : i32) : i32
  // CHECK: %[[LOWEST:.+]] = llvm.mlir.constant(-2147483648 : i32) : i32
  // CHECK: %[[END:.+]] = llvm.select %[[CUT]], %[[ABOVE]], %[[LOWEST]] : i1, i32
  // CHECK: %[[SUM:.+]] = llvm.intr.fma(%[[A:.+]], %{{.+}}, %[[BEFORE:.+]]) : (f32, f32, f32) -> f32
  // CHECK: %[[WORD:.+]] = llvm.bitcast %[[A]] : f32 to i32
  // CHECK: %[[HIDDEN:.+]] = llvm.icmp "slt" %[[WORD]], %[[END]]
  // CHECK: llvm.select %[[HIDDEN]], %[[BEFORE]], %[[SUM]]
  // CHECK-COUNT-63: llvm.intr.fma
  // CHECK-NOT: llvm.intr.fma
  %r = scf.if %cut -> (tensor<16x16xf32, #L>) {
    %g = smx_gpu.mma %a, %b, %acc transpose_b guarded : tensor<16x8xf32, #L>, !single -> tensor<16x16xf32, #L>
    scf.yield %g : tensor<16x16xf32, #L>
  } else {
    %u = smx_gpu.mma %a, %b, %acc transpose_b : tensor<16x8xf32, #L>, !single -> tensor<16x16xf32, #L>
    scf.yield %u : tensor<16x16xf32, #L>
  }
  smx_gpu.return
}

// Long products go in rounds of 8 columns of a, whose places in a row of a shared tile count.
// CHECK-LABEL: llvm.func @exact_rounds
smx_gpu.kernel @exact_rounds() warps(1) {
  %a = smx_gpu.alloc : !smx_gpu.shared<16x16xf32, swizzle = 64>
  %b = smx_gpu.alloc : !smx_gpu.shared<64x16xf32, swizzle = 64>
  %acc = arith.constant dense<0.0> : tensor<16x64xf32, #L>
  // CHECK: scf.for %[[ROUND:[a-z0-9]+]] = {{.+}} -> (vector<32xf32>)
  // CHECK: llvm.shl %[[ROUND]], %{{.+}} : i32
  // CHECK: llvm.xor
  // CHECK-COUNT-256: llvm.intr.fma
  // CHECK-NOT: llvm.intr.fma
  // CHECK: } {loop_annotation = #{{.+}}}
  %r = smx_gpu.mma %a, %b, %acc transpose_b : !smx_gpu.shared<16x16xf32, swizzle = 64>, !smx_gpu.shared<64x16xf32, swizzle = 64> -> tensor<16x64xf32, #L>
  smx_gpu.return
}
