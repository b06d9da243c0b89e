// A guarded term takes a predicate for a's element. Beside an accumulator of 128 registers the four threads of a row bring
// each other two of them at a time, and else four, for both rows of a thread.
// RUN: softmax-opt %s --smx-gpu-to-nvvm | FileCheck %s

#L = #smx_gpu.fragment<warps = 1>
!wide = !smx_gpu.shared<8x256xf32, swizzle = 128>
!narrow = !smx_gpu.shared<8x64xf32, swizzle = 128>

// CHECK-LABEL: llvm.func @wide
// CHECK-COUNT-4: nvvm.shfl.sync
// CHECK-NOT: nvvm.shfl.sync
// Where the sign of a's element says that the term is none, the sum stays.
// CHECK: %[[SUM:.+]] = llvm.intr.fma(%[[A:.+]], %{{.+}}, %[[ACC:.+]]) : (f32, f32, f32)
// CHECK: %[[WORD:.+]] = llvm.bitcast %[[A]] : f32 to i32
// CHECK: %[[IS_NONE:.+]] = llvm.icmp "slt" %[[WORD]], %{{.+}} : i32
// CHECK: llvm.select %[[IS_NONE]], %[[ACC]], %[[SUM]] : i1, f32
smx_gpu.kernel @wide(%x: memref<?x8xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %a = smx_gpu.load %x[%c0, %c0] dims [0, 1] : memref<?x8xf32> -> tensor<16x8xf32, #L>
  %b = smx_gpu.alloc : !wide
  %acc = arith.constant dense<0.0> : tensor<16x256xf32, #L>
  %r = smx_gpu.mma %a, %b, %acc guarded : tensor<16x8xf32, #L>, !wide -> tensor<16x256xf32, #L>
  smx_gpu.return
}

// CHECK-LABEL: llvm.func @narrow
// CHECK-COUNT-8: nvvm.shfl.sync
// CHECK-NOT: nvvm.shfl.sync
// CHECK: llvm.intr.fma
smx_gpu.kernel @narrow(%x: memref<?x8xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %a = smx_gpu.load %x[%c0, %c0] dims [0, 1] : memref<?x8xf32> -> tensor<16x8xf32, #L>
  %b = smx_gpu.alloc : !narrow
  %acc = arith.constant dense<0.0> : tensor<16x64xf32, #L>
  %r = smx_gpu.mma %a, %b, %acc guarded : tensor<16x8xf32, #L>, !narrow -> tensor<16x64xf32, #L>
  smx_gpu.return
}

// Without a guard there is nothing to ask for.
// CHECK-LABEL: llvm.func @unguarded
// CHECK-COUNT-8: nvvm.shfl.sync
// CHECK-NOT: nvvm.shfl.sync
// CHECK: llvm.intr.fma
// CHECK-NOT: llvm.icmp "slt"
// CHECK: llvm.return
smx_gpu.kernel @unguarded(%x: memref<?x8xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %a = smx_gpu.load %x[%c0, %c0] dims [0, 1] : memref<?x8xf32> -> tensor<16x8xf32, #L>
  %b = smx_gpu.alloc : !wide
  %acc = arith.constant dense<0.0> : tensor<16x256xf32, #L>
  %r = smx_gpu.mma %a, %b, %acc : tensor<16x8xf32, #L>, !wide -> tensor<16x256xf32, #L>
  smx_gpu.return
}
