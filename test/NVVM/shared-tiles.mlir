// Tiles of shared memory: where they lie, and how threads reach their elements through the swizzle.
// RUN: softmax-opt %s --smx-gpu-to-nvvm --cse | FileCheck %s

#L = #smx_gpu.fragment<warps = 1>
#rows = #smx_gpu.striped<rows = 4, columns = 8, vector = 8>
!swizzled = !smx_gpu.shared<16x64xbf16, swizzle = 128>

// The second tile starts after the first one's 2048 bytes.
// CHECK-LABEL: llvm.func @fragment
// CHECK-SAME: smx.shared_bytes = 4096
smx_gpu.kernel @fragment() warps(1) {
  %first = smx_gpu.alloc : !swizzled
  // CHECK: llvm.getelementptr %{{.+}}[2048] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %second = smx_gpu.alloc : !swizzled
  %t = arith.constant dense<1.0> : tensor<16x64xbf16, #L>
  // A chunk of 16 bytes lies where its number in the row is, exclusive-or the row's number modulo 8.
  // CHECK: %[[SIXTEEN:.+]] = llvm.mlir.constant(16 : i32) : i32
  // CHECK: %[[TILE:.+]] = llvm.ptrtoint %{{.+}} : !llvm.ptr<3> to i32
  // CHECK: %[[SEVEN:.+]] = llvm.mlir.constant(7 : i32) : i32
  // CHECK: %[[OF_EIGHT:.+]] = llvm.and %[[ROW:.+]], %[[SEVEN]] : i32
  // CHECK: %[[ROWS:.+]] = llvm.shl %[[ROW]], %[[SEVEN]] : i32
  // CHECK: %[[LINE:.+]] = llvm.add %{{.+}}, %[[ROWS]] : i32
  // CHECK: %[[ALL:.+]] = llvm.mlir.constant(127 : i32) : i32
  // CHECK: %[[IN_LINE:.+]] = llvm.and %{{.+}}, %[[ALL]] : i32
  // CHECK: %[[CHUNK:.+]] = llvm.shl %[[OF_EIGHT]], %{{.+}} : i32
  // CHECK: %[[SWIZZLED:.+]] = llvm.xor %[[IN_LINE]], %[[CHUNK]] : i32
  // CHECK: %[[OFFSET:.+]] = llvm.add %[[LINE]], %[[SWIZZLED]] : i32
  // CHECK: %[[ADDRESS:.+]] = llvm.add %[[TILE]], %[[OFFSET]] : i32
  // Chunk 0 of a row, then the row 8 further down, an immediate away, then the next chunk by an exclusive-or.
  // CHECK: %[[FIRST:.+]] = llvm.inttoptr %[[ADDRESS]] : i32 to !llvm.ptr<3>
  // CHECK: llvm.store %{{.+}}, %[[FIRST]] {alignment = 4 : i64} : vector<2xbf16>
  // CHECK: %[[BELOW:.+]] = llvm.getelementptr %[[FIRST]][1024]
  // CHECK: llvm.store %{{.+}}, %[[BELOW]] {alignment = 4 : i64} : vector<2xbf16>
  // CHECK: llvm.xor %[[ADDRESS]], %[[SIXTEEN]] : i32
  // CHECK: %[[THIRTY_TWO:.+]] = llvm.mlir.constant(32 : i32) : i32
  // CHECK: llvm.xor %[[ADDRESS]], %[[THIRTY_TWO]] : i32
  // CHECK-COUNT-12: llvm.store {{.+}} vector<2xbf16>
  // CHECK-NOT: llvm.store
  smx_gpu.write %t, %second : tensor<16x64xbf16, #L>, !swizzled
  // CHECK: nvvm.barrier0
  smx_gpu.barrier
  // Squares of 16 x 16 are four matrices: thread t has the address of a row of 16 bytes, its 16 columns an exclusive-or away from the next ones.
  // CHECK-NOT: llvm.load
  // CHECK: %[[A:.+]] = nvvm.ldmatrix %{{.+}} {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, num = 4 : i32, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>}
  // CHECK: %[[WORD:.+]] = llvm.extractvalue %[[A]][0]
  // CHECK: llvm.bitcast %[[WORD]] : i32 to vector<2xbf16>
  // CHECK: llvm.xor %{{.+}}, %[[THIRTY_TWO]] : i32
  // CHECK-COUNT-3: nvvm.ldmatrix
  // CHECK-NOT: nvvm.ldmatrix
  // CHECK-NOT: llvm.load
  %u = smx_gpu.read %second : !swizzled -> tensor<16x64xbf16, #L>
  // Of a tile that is held, words.
  // CHECK-COUNT-16: llvm.load volatile {{.+}} {alignment = 4 : i64} : !llvm.ptr<3> -> vector<2xbf16>
  %held = smx_gpu.hold %second : !swizzled
  %v = smx_gpu.read %held : !swizzled -> tensor<16x64xbf16, #L>
  smx_gpu.return
}

// Whole chunks where the layout has them.
// CHECK-LABEL: llvm.func @chunks
smx_gpu.kernel @chunks() warps(1) {
  %s = smx_gpu.alloc : !swizzled
  // CHECK-COUNT-4: llvm.load {{.+}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<8xbf16>
  // CHECK-NOT: llvm.load
  %u = smx_gpu.read %s : !swizzled -> tensor<16x64xbf16, #rows>
  smx_gpu.return
}

// CHECK-LABEL: llvm.func @copy
// CHECK-SAME: %[[N:[a-z0-9]+]]: i64)
smx_gpu.kernel @copy(%x: memref<?x64xbf16>, %n: index) warps(1) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %s = smx_gpu.alloc : !swizzled
  // 16 rows of 8 chunks, 4 rows at a time; nobody reads the tile yet. The thread's row and column are signed indices.
  // CHECK: %[[ROW:.+]] = llvm.lshr %[[THREAD:.+]], %{{.+}} : i32
  // CHECK: %[[CHUNK:.+]] = llvm.and %[[THREAD]], %{{.+}} : i32
  // CHECK: %[[COLUMN:.+]] = llvm.shl %[[CHUNK]], %{{.+}} : i32
  // CHECK: llvm.sext %[[ROW]] : i32 to i64
  // CHECK: llvm.sext %[[COLUMN]] : i32 to i64
  // CHECK-NOT: nvvm.barrier0
  // CHECK-COUNT-4: nvvm.cp.async.shared.global %{{.+}}, %{{.+}}, 16, cache = cg :
  // CHECK: cp.async.wait_all
  // CHECK: nvvm.barrier0
  smx_gpu.copy %x[%c0, %c0] to %s dims [0, 1] {aligned = 16 : i64} : memref<?x64xbf16>, !swizzled
  // Somebody may; of rows that are not valid, which are those from n on, no bytes are read, and they become 0.
  // CHECK: %[[LEAST:.+]] = llvm.intr.smax(%[[N]], %{{.+}}) : (i64, i64)
  // CHECK: %[[EXTENT:.+]] = llvm.mlir.constant(16 : i64)
  // CHECK: %[[MOST:.+]] = llvm.intr.smin(%[[LEAST]], %[[EXTENT]]) : (i64, i64)
  // CHECK: %[[LIMIT:.+]] = llvm.trunc %[[MOST]] : i64 to i32
  // CHECK: nvvm.barrier0
  // CHECK: %[[MINE:.+]] = llvm.inline_asm {{.*}} %[[ROW]] : (i32) -> i32
  // CHECK: %[[IS_VALID:.+]] = llvm.icmp "slt" %[[MINE]], %[[LIMIT]] : i32
  // CHECK: %[[SIXTEEN:.+]] = llvm.mlir.constant(16 : i32)
  // CHECK: %[[NONE:.+]] = llvm.mlir.constant(0 : i32)
  // CHECK: %[[BYTES:.+]] = llvm.select %[[IS_VALID]], %[[SIXTEEN]], %[[NONE]] : i1, i32
  // CHECK: nvvm.cp.async.shared.global %{{.+}}, %{{.+}}, 16, cache = cg, %[[BYTES]] :
  // CHECK: %[[BELOW:.+]] = llvm.add %[[MINE]], %{{.+}} : i32
  // CHECK: %[[IS_VALID:.+]] = llvm.icmp "slt" %[[BELOW]], %[[LIMIT]] : i32
  // CHECK: %[[BYTES:.+]] = llvm.select %[[IS_VALID]], %[[SIXTEEN]], %[[NONE]] : i1, i32
  // CHECK: nvvm.cp.async.shared.global %{{.+}}, %{{.+}}, 16, cache = cg, %[[BYTES]] :
  smx_gpu.copy %x[%c0, %c0] valid(%n, %c64) to %s dims [0, 1] {aligned = 16 : i64} : memref<?x64xbf16>, !swizzled
  smx_gpu.return
}

// 16-bit elements of which nothing is known are loaded and stored, predicated, without a branch.
// CHECK-LABEL: llvm.func @unaligned
// CHECK-SAME: %[[N:[a-z0-9]+]]: i64)
smx_gpu.kernel @unaligned(%x: memref<?x?xbf16>, %n: index) warps(1) {
  %c0 = arith.constant 0 : index
  %s = smx_gpu.alloc : !smx_gpu.shared<4x32xbf16, swizzle = 0>
  // Limits of 4 rows and of 32 columns.
  // CHECK: %[[ZERO:.+]] = llvm.mlir.constant(0 : i64)
  // CHECK: %[[LEAST:.+]] = llvm.intr.smax(%[[N]], %[[ZERO]]) : (i64, i64)
  // CHECK: %[[MOST:.+]] = llvm.intr.smin(%[[LEAST]], %{{.+}}) : (i64, i64)
  // CHECK: %[[ROWS:.+]] = llvm.trunc %[[MOST]] : i64 to i32
  // CHECK: %[[EXTENT:.+]] = llvm.mlir.constant(32 : i64)
  // CHECK: %[[MOST:.+]] = llvm.intr.smin(%[[LEAST]], %[[EXTENT]]) : (i64, i64)
  // CHECK: %[[COLUMNS:.+]] = llvm.trunc %[[MOST]] : i64 to i32
  // CHECK: %[[WARP:.+]] = llvm.lshr %{{.+}}, %{{.+}} : i32
  // CHECK: %[[LANE:.+]] = llvm.and %{{.+}}, %{{.+}} : i32
  // CHECK: %[[ROW:.+]] = llvm.inline_asm {{.*}} %[[WARP]] : (i32) -> i32
  // The valid bytes of the element, 0 or 2, if its row is valid; it is read where all are.
  // CHECK: %[[LEFT:.+]] = llvm.sub %[[COLUMNS]], %[[LANE]] : i32
  // CHECK: %[[TWO:.+]] = llvm.mlir.constant(2 : i32)
  // CHECK: %[[BYTES:.+]] = llvm.mul %[[LEFT]], %[[TWO]]
  // CHECK: %[[NONE:.+]] = llvm.mlir.constant(0 : i32)
  // CHECK: %[[LEAST:.+]] = llvm.intr.smax(%[[BYTES]], %[[NONE]]) : (i32, i32)
  // CHECK: %[[VALID:.+]] = llvm.intr.smin(%[[LEAST]], %[[TWO]]) : (i32, i32)
  // CHECK: %[[IS_ROW:.+]] = llvm.icmp "slt" %[[ROW]], %[[ROWS]] : i32
  // CHECK: %[[READ:.+]] = llvm.select %[[IS_ROW]], %[[VALID]], %[[NONE]] : i1, i32
  // CHECK: %[[IS_READ:.+]] = llvm.icmp "eq" %[[READ]], %[[TWO]] : i32
  // CHECK: @$2 ld.global.b16{{.*}}, %[[IS_READ]] :
  // CHECK: %[[BELOW:.+]] = llvm.add %[[ROW]], %{{.+}} : i32
  // CHECK: %[[IS_ROW:.+]] = llvm.icmp "slt" %[[BELOW]], %[[ROWS]] : i32
  // CHECK: llvm.select %[[IS_ROW]], %[[VALID]], %[[NONE]] : i1, i32
  // CHECK-COUNT-3: ld.global.b16
  // CHECK-COUNT-4: llvm.store {{.+}} {alignment = 2 : i64} : vector<1xbf16>, !llvm.ptr<3>
  // CHECK-NOT: cp.async
  // CHECK: nvvm.barrier0
  smx_gpu.copy %x[%c0, %c0] valid(%n, %n) to %s dims [0, 1] : memref<?x?xbf16>, !smx_gpu.shared<4x32xbf16, swizzle = 0>
  smx_gpu.return
}

// Single precision has asynchronous copies of one element, also down a column.
// CHECK-LABEL: llvm.func @down_columns
smx_gpu.kernel @down_columns(%x: memref<?x?xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %s = smx_gpu.alloc : !smx_gpu.shared<4x32xf32, swizzle = 128>
  // CHECK-COUNT-4: nvvm.cp.async.shared.global %{{.+}}, %{{.+}}, 4, cache = ca
  smx_gpu.copy %x[%c0, %c0] to %s dims [1, 0] : memref<?x?xf32>, !smx_gpu.shared<4x32xf32, swizzle = 128>
  smx_gpu.return
}
