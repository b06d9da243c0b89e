// f64 on the matrix unit: which instructions, on which elements. By the threads unless it is asked for, and where a term
// is guarded.
// RUN: softmax-opt %s --smx-gpu-to-nvvm=doubles-on-matrix-unit | FileCheck %s
// RUN: softmax-opt %s --smx-gpu-to-nvvm | FileCheck %s --check-prefix=FMA

#L = #smx_gpu.fragment<warps = 1>
!a = !smx_gpu.shared<16x8xf64, swizzle = 64>
!b = !smx_gpu.shared<8x8xf64, swizzle = 64>

// Of 8 rows of b, the even ones and the odd ones; a's registers are operands as they are.
// CHECK-LABEL: llvm.func @from_registers
// CHECK: %[[A:.+]] = {{.*}} : vector<4xf64>
// CHECK-COUNT-2: llvm.load %{{.+}} {alignment = 8 : i64} : !llvm.ptr<3> -> f64
// CHECK-COUNT-4: nvvm.mma.sync A[%{{.+}}] B[%{{.+}}] C[%{{.+}}, %{{.+}}] {{.*}}shape = #nvvm.shape<m = 8, n = 8, k = 4>} : (f64, f64, f64) -> !llvm.struct<(f64, f64)>
// CHECK-NOT: nvvm.mma.sync
// CHECK-NOT: llvm.intr.fma
// FMA-LABEL: llvm.func @from_registers
// FMA-NOT: nvvm.mma.sync
// FMA: llvm.intr.fma
smx_gpu.kernel @from_registers(%x: memref<?x8xf64>) warps(1) {
  %c0 = arith.constant 0 : index
  %a = smx_gpu.load %x[%c0, %c0] dims [0, 1] : memref<?x8xf64> -> tensor<16x8xf64, #L>
  %b = smx_gpu.alloc : !b
  %acc = arith.constant dense<0.0> : tensor<16x8xf64, #L>
  %r = smx_gpu.mma %a, %b, %acc : tensor<16x8xf64, #L>, !b -> tensor<16x8xf64, #L>
  smx_gpu.return
}

// Pairs of neighbours along the reduced dimension, of a and of the transposed b.
// CHECK-LABEL: llvm.func @from_shared
// CHECK-COUNT-3: llvm.load %{{.+}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<2xf64>
// CHECK-COUNT-4: nvvm.mma.sync
// CHECK-NOT: nvvm.mma.sync
smx_gpu.kernel @from_shared() warps(1) {
  %a = smx_gpu.alloc : !a
  %b = smx_gpu.alloc : !b
  %acc = arith.constant dense<0.0> : tensor<16x8xf64, #L>
  %r = smx_gpu.mma %a, %b, %acc transpose_b : !a, !b -> tensor<16x8xf64, #L>
  smx_gpu.return
}

// CHECK-LABEL: llvm.func @guarded
// CHECK-NOT: nvvm.mma.sync
// CHECK: llvm.intr.fma
smx_gpu.kernel @guarded() warps(1) {
  %a = smx_gpu.alloc : !a
  %b = smx_gpu.alloc : !b
  %acc = arith.constant dense<0.0> : tensor<16x8xf64, #L>
  %r = smx_gpu.mma %a, %b, %acc guarded : !a, !b -> tensor<16x8xf64, #L>
  smx_gpu.return
}

// Both along 96 columns: two rounds of 48, which start 3 panels of 128 bytes a row further on; 6 steps of 4 products each.
!long = !smx_gpu.shared<16x96xf64, swizzle = 128>
!longColumns = !smx_gpu.shared<8x96xf64, swizzle = 128>
// CHECK-LABEL: llvm.func @in_rounds
// CHECK: scf.for %[[ROUND:[a-z0-9]+]] =
// CHECK: %[[IN_A:.+]] = llvm.mlir.constant(6144 : i32) : i32
// CHECK: llvm.mul %[[ROUND]], %[[IN_A]]
// CHECK: %[[IN_B:.+]] = llvm.mlir.constant(3072 : i32) : i32
// CHECK: llvm.mul %[[ROUND]], %[[IN_B]]
// CHECK-COUNT-24: nvvm.mma.sync
// CHECK-NOT: nvvm.mma.sync
// CHECK: llvm.return
smx_gpu.kernel @in_rounds() warps(1) {
  %a = smx_gpu.alloc : !long
  %b = smx_gpu.alloc : !longColumns
  %acc = arith.constant dense<0.0> : tensor<16x8xf64, #L>
  %r = smx_gpu.mma %a, %b, %acc transpose_b : !long, !longColumns -> tensor<16x8xf64, #L>
  smx_gpu.return
}
