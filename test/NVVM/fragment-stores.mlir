// RUN: softmax-opt %s --smx-gpu-to-nvvm --cse --split-input-file | FileCheck %s

// The four lanes of a row exchange words, and each writes eight columns of 16 bits.
#L = #smx_gpu.fragment<warps = 1>
// CHECK-LABEL: llvm.func @whole_rows
// The bits of the lane's number in its row.
// CHECK: %[[TWO:.+]] = llvm.mlir.constant(2 : i32)
// CHECK: %[[THREE:.+]] = llvm.mlir.constant(3 : i32)
// CHECK: %[[LANE:.+]] = llvm.and %{{.+}}, %[[THREE]] : i32
// CHECK: %[[ZERO:.+]] = llvm.mlir.constant(0 : i32)
// CHECK: %[[ONE:.+]] = llvm.mlir.constant(1 : i32)
// CHECK: %[[BIT:.+]] = llvm.and %[[LANE]], %[[ONE]] : i32
// CHECK: %[[IS_ODD:.+]] = llvm.icmp "ne" %[[BIT]], %[[ZERO]] : i32
// CHECK: %[[BIT:.+]] = llvm.and %[[LANE]], %[[TWO]] : i32
// CHECK: %[[IS_UPPER:.+]] = llvm.icmp "ne" %[[BIT]], %[[ZERO]] : i32
// CHECK: %[[ROW:.+]] = llvm.inline_asm {{.*}} : (i32) -> i32
// CHECK: %[[FIRST:.+]] = llvm.inline_asm {{.*}} : (i32) -> i32
// CHECK: llvm.sext %[[ROW]] : i32 to i64
// CHECK: llvm.sext %[[FIRST]] : i32 to i64
// Two rows, of two pieces of 32 columns each: four words of a thread. An odd lane sends its first word and keeps the second one,
// an even one the other way round; then the pairs of lanes do the same.
// CHECK: %[[W0:.+]] = llvm.bitcast %{{.+}} : vector<2xbf16> to i32
// CHECK: %[[W1:.+]] = llvm.bitcast %{{.+}} : vector<2xbf16> to i32
// CHECK: %[[W2:.+]] = llvm.bitcast %{{.+}} : vector<2xbf16> to i32
// CHECK: %[[W3:.+]] = llvm.bitcast %{{.+}} : vector<2xbf16> to i32
// CHECK: %[[SENT:.+]] = llvm.select %[[IS_ODD]], %[[W0]], %[[W1]] : i1, i32
// CHECK: %[[GOT:.+]] = nvvm.shfl.sync bfly %{{.+}}, %[[SENT]], %[[ONE]], %{{.+}} : i32 -> i32
// CHECK: %[[A0:.+]] = llvm.select %[[IS_ODD]], %[[GOT]], %[[W0]] : i1, i32
// CHECK: %[[A1:.+]] = llvm.select %[[IS_ODD]], %[[W1]], %[[GOT]] : i1, i32
// CHECK: %[[SENT:.+]] = llvm.select %[[IS_ODD]], %[[W2]], %[[W3]] : i1, i32
// CHECK: %[[GOT:.+]] = nvvm.shfl.sync bfly %{{.+}}, %[[SENT]], %[[ONE]], %{{.+}} : i32 -> i32
// CHECK: %[[A2:.+]] = llvm.select %[[IS_ODD]], %[[GOT]], %[[W2]] : i1, i32
// CHECK: %[[A3:.+]] = llvm.select %[[IS_ODD]], %[[W3]], %[[GOT]] : i1, i32
// CHECK: %[[SENT:.+]] = llvm.select %[[IS_UPPER]], %[[A0]], %[[A2]] : i1, i32
// CHECK: %[[GOT:.+]] = nvvm.shfl.sync bfly %{{.+}}, %[[SENT]], %[[TWO]], %{{.+}} : i32 -> i32
// CHECK: %[[B0:.+]] = llvm.select %[[IS_UPPER]], %[[GOT]], %[[A0]] : i1, i32
// CHECK: %[[B2:.+]] = llvm.select %[[IS_UPPER]], %[[A2]], %[[GOT]] : i1, i32
// CHECK: llvm.select %[[IS_UPPER]], %[[A1]], %[[A3]] : i1, i32
// CHECK: nvvm.shfl.sync bfly
// CHECK: llvm.insertelement %[[B0]], %{{.+}}[%[[ZERO]] : i32]
// CHECK: llvm.insertelement %[[B2]], %{{.+}}[%[[TWO]] : i32]
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

// Of rows those below the limit, which is n, but at least 0 and at most 16.
#L = #smx_gpu.fragment<warps = 1>
// CHECK-LABEL: llvm.func @cut_rows
// CHECK-SAME: %[[N:[a-z0-9]+]]: i64)
// CHECK: %[[NONE:.+]] = llvm.mlir.constant(0 : i64)
// CHECK: %[[LEAST:.+]] = llvm.intr.smax(%[[N]], %[[NONE]])
// CHECK: %[[EXTENT:.+]] = llvm.mlir.constant(16 : i64)
// CHECK: %[[MOST:.+]] = llvm.intr.smin(%[[LEAST]], %[[EXTENT]])
// CHECK: %[[LIMIT:.+]] = llvm.trunc %[[MOST]] : i64 to i32
// CHECK: %[[ROW:.+]] = llvm.inline_asm {{.*}} : (i32) -> i32
// CHECK: %[[EIGHT:.+]] = llvm.mlir.constant(8 : i32)
// CHECK: %[[LEFT:.+]] = llvm.sub %[[LIMIT]], %[[ROW]] overflow<nsw> : i32
// CHECK: %[[IS_VALID:.+]] = llvm.icmp "slt" %{{.+}}, %[[LEFT]] : i32
// CHECK-COUNT-2: "@$0 st.global.v4.b32 [$1], {$2, $3, $4, $5};"{{.+}} %[[IS_VALID]],
// The row 8 further down.
// CHECK: %[[IS_VALID:.+]] = llvm.icmp "slt" %[[EIGHT]], %[[LEFT]] : i32
// CHECK-COUNT-2: "@$0 st.global.v4.b32 [$1], {$2, $3, $4, $5};"{{.+}} %[[IS_VALID]],
smx_gpu.kernel @cut_rows(%x: memref<?x64xbf16, strided<[?, 1]>>, %n: index) warps(1) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %t = arith.constant dense<1.0> : tensor<16x64xbf16, #L>
  smx_gpu.store %t, %x[%c0, %c0] valid(%n, %c64) dims [0, 1] {aligned = 16 : i64} : tensor<16x64xbf16, #L>, memref<?x64xbf16, strided<[?, 1]>>
  smx_gpu.return
}

// -----

// Rows that start anywhere, 32 bits, or columns that are cut: as the registers are.
#L = #smx_gpu.fragment<warps = 1>
// CHECK-LABEL: llvm.func @as_they_are
// CHECK-SAME: %[[N:[a-z0-9]+]]: i64)
// CHECK-NOT: nvvm.shfl.sync
// CHECK: %[[LEAST:.+]] = llvm.intr.smax(%[[N]], %{{.+}})
// CHECK-NOT: nvvm.shfl.sync
// CHECK: llvm.return
smx_gpu.kernel @as_they_are(%x: memref<?x64xbf16, strided<[?, 1]>>, %y: memref<?x64xf32, strided<[?, 1]>>, %n: index) warps(1) {
  %c0 = arith.constant 0 : index
  %t = smx_gpu.load %x[%c0, %c0] dims [0, 1] : memref<?x64xbf16, strided<[?, 1]>> -> tensor<16x64xbf16, #L>
  smx_gpu.store %t, %x[%c0, %c0] dims [0, 1] {aligned = 8 : i64} : tensor<16x64xbf16, #L>, memref<?x64xbf16, strided<[?, 1]>>
  smx_gpu.store %t, %x[%c0, %c0] valid(%n, %n) dims [0, 1] {aligned = 16 : i64} : tensor<16x64xbf16, #L>, memref<?x64xbf16, strided<[?, 1]>>
  %f = smx_gpu.load %y[%c0, %c0] dims [0, 1] : memref<?x64xf32, strided<[?, 1]>> -> tensor<16x64xf32, #L>
  smx_gpu.store %f, %y[%c0, %c0] dims [0, 1] {aligned = 16 : i64} : tensor<16x64xf32, #L>, memref<?x64xf32, strided<[?, 1]>>
  smx_gpu.return
}
