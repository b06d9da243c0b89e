// RUN: softmax-opt %s --smx-gpu-to-nvvm --split-input-file | FileCheck %s

// The four lanes of a row exchange words, and each writes eight columns of 16 bits.
#L = #smx_gpu.fragment<warps = 1>
// CHECK-LABEL: llvm.func @whole_rows
// CHECK-DAG: %[[FIRST:.+]] = llvm.icmp "ne"
// CHECK-DAG: %[[SECOND:.+]] = llvm.icmp "ne"
// Two rows, of two pieces of 32 columns each: four words of a thread.
// CHECK-COUNT-2: nvvm.shfl.sync bfly %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} : i32 -> i32
// CHECK-COUNT-2: nvvm.shfl.sync bfly %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} : i32 -> i32
// CHECK: llvm.store %{{.+}}, %{{.+}} : vector<8xbf16>, !llvm.ptr<1>
// CHECK-COUNT-12: nvvm.shfl.sync bfly
// CHECK-NOT: nvvm.shfl.sync
smx_gpu.kernel @whole_rows(%x: memref<?x64xbf16, strided<[?, 1]>>) warps(1) {
  %c0 = arith.constant 0 : index
  %t = smx_gpu.load %x[%c0, %c0] dims [0, 1] : memref<?x64xbf16, strided<[?, 1]>> -> tensor<16x64xbf16, #L>
  smx_gpu.store %t, %x[%c0, %c0] dims [0, 1] {aligned = 16 : i64} : tensor<16x64xbf16, #L>, memref<?x64xbf16, strided<[?, 1]>>
  smx_gpu.return
}

// -----

// Rows that start anywhere, 32 bits, or columns that are cut: as the registers are.
#L = #smx_gpu.fragment<warps = 1>
// CHECK-LABEL: llvm.func @as_they_are
// CHECK-NOT: nvvm.shfl.sync
smx_gpu.kernel @as_they_are(%x: memref<?x64xbf16, strided<[?, 1]>>, %y: memref<?x64xf32, strided<[?, 1]>>, %n: index) warps(1) {
  %c0 = arith.constant 0 : index
  %t = smx_gpu.load %x[%c0, %c0] dims [0, 1] : memref<?x64xbf16, strided<[?, 1]>> -> tensor<16x64xbf16, #L>
  smx_gpu.store %t, %x[%c0, %c0] dims [0, 1] {aligned = 8 : i64} : tensor<16x64xbf16, #L>, memref<?x64xbf16, strided<[?, 1]>>
  smx_gpu.store %t, %x[%c0, %c0] valid(%n, %n) dims [0, 1] {aligned = 16 : i64} : tensor<16x64xbf16, #L>, memref<?x64xbf16, strided<[?, 1]>>
  %f = smx_gpu.load %y[%c0, %c0] dims [0, 1] : memref<?x64xf32, strided<[?, 1]>> -> tensor<16x64xf32, #L>
  smx_gpu.store %f, %y[%c0, %c0] dims [0, 1] {aligned = 16 : i64} : tensor<16x64xf32, #L>, memref<?x64xf32, strided<[?, 1]>>
  smx_gpu.return
}
