// Rows that follow one another: accesses of 16 bytes to and from shared memory, and elements at the ends and where there are gaps.
// RUN: softmax-opt %s --split-input-file --smx-gpu-to-nvvm --cse | FileCheck %s

#L = #smx_gpu.striped<rows = 32, columns = 4, vector = 17>
!rows = memref<?x65xbf16, strided<[?, 1], offset: ?>>

// Tiles of 64 x 65 elements are 520 accesses, and a part of another one: 5 of 128 threads.
// CHECK-LABEL: llvm.func @sum
smx_gpu.kernel @sum(%x: !rows, %y: !rows, %z: !rows, %m: index) warps(4) {
  %c0 = arith.constant 0 : index
  %c65 = arith.constant 65 : index
  %i = gpu.block_id x
  // CHECK: %[[ADDRESS:.+]] = llvm.ptrtoint
  // CHECK: %[[LOW:.+]] = llvm.trunc %[[ADDRESS]]
  // CHECK: %[[PHASE:.+]] = llvm.and %[[LOW]], %{{.+}} : i32
  // CHECK: %[[DENSE:.+]] = llvm.icmp "eq" %{{.+}}, %{{.+}} : i64
  // CHECK: scf.if %[[DENSE]]
  // CHECK-COUNT-5: nvvm.cp.async.shared.global %{{.+}}, %{{.+}}, 16, cache = cg :
  // Where rows are missing, 0.
  // CHECK-NOT: cp.async
  // CHECK: scf.if
  // CHECK: scf.for
  // CHECK: llvm.store %{{.+}} : vector<8xbf16>, !llvm.ptr<3>
  // The ends: one element of each of 16 threads.
  // CHECK-NOT: cp.async
  // CHECK: ld.global.b16
  // CHECK-NOT: ld.global
  // With gaps: batches of elements.
  // CHECK: scf.if
  // CHECK: scf.for
  // CHECK-COUNT-8: ld.global.b16
  // CHECK-NOT: ld.global.b16
  // The second tile is asked for before anybody waits, and nothing is read before all have met.
  // CHECK: scf.if
  // CHECK-COUNT-5: nvvm.cp.async.shared.global
  // CHECK: cp.async.wait_all
  // CHECK-NEXT: nvvm.barrier0
  // CHECK-COUNT-34: llvm.load %{{.+}} : !llvm.ptr<3> -> vector<1xbf16>
  %a = smx_gpu.load %x[%i, %c0] valid(%m, %c65) dims [0, 1] adjacent {aligned = 2 : i64} : !rows -> tensor<64x68xbf16, #L>
  // CHECK-NOT: nvvm.barrier0
  // CHECK-NOT: cp.async
  // CHECK-COUNT-34: llvm.load %{{.+}} : !llvm.ptr<3> -> vector<1xbf16>
  %b = smx_gpu.load %y[%i, %c0] valid(%m, %c65) dims [0, 1] adjacent {aligned = 2 : i64} : !rows -> tensor<64x68xbf16, #L>
  %s = arith.addf %a, %b : tensor<64x68xbf16, #L>
  // CHECK-COUNT-34: llvm.store %{{.+}} : vector<1xbf16>, !llvm.ptr<3>
  // CHECK: nvvm.barrier0
  // CHECK: scf.if
  // CHECK: llvm.load %{{.+}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<8xbf16>
  // CHECK: st.global.v4.b32
  // CHECK: scf.if
  // CHECK: scf.for
  // CHECK-COUNT-8: st.global.b16
  smx_gpu.store %s, %z[%i, %c0] valid(%m, %c65) dims [0, 1] adjacent {aligned = 2 : i64} : tensor<64x68xbf16, #L>, !rows
  smx_gpu.return
}

// -----

#L = #smx_gpu.striped<rows = 32, columns = 4, vector = 17>

// Rows that the type knows to have no gaps ask nothing.
// CHECK-LABEL: llvm.func @dense
smx_gpu.kernel @dense(%x: memref<640x65xbf16>) warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c65 = arith.constant 65 : index
  %i = gpu.block_id x
  // CHECK-NOT: llvm.icmp "eq"
  // CHECK-NOT: scf.for
  // CHECK-COUNT-5: nvvm.cp.async.shared.global
  // CHECK-NOT: scf.for
  // CHECK: llvm.return
  %a = smx_gpu.load %x[%i, %c0] valid(%c64, %c65) dims [0, 1] adjacent {aligned = 2 : i64} : memref<640x65xbf16> -> tensor<64x68xbf16, #L>
  smx_gpu.hold %a : tensor<64x68xbf16, #L>
  smx_gpu.return
}

// -----

#L = #smx_gpu.striped<rows = 32, columns = 4, vector = 9>
!rows = memref<?x33xf32, strided<[?, 1], offset: ?>>

// Of f32 an access has four elements: 528 of them and a part of another one.
// CHECK-LABEL: llvm.func @words
smx_gpu.kernel @words(%x: !rows, %y: !rows, %m: index) warps(4) {
  %c0 = arith.constant 0 : index
  %c33 = arith.constant 33 : index
  %i = gpu.block_id x
  // CHECK-COUNT-5: nvvm.cp.async.shared.global
  // CHECK: ld.global.b32
  // CHECK-COUNT-18: llvm.load %{{.+}} : !llvm.ptr<3> -> vector<1xf32>
  %a = smx_gpu.load %x[%i, %c0] valid(%m, %c33) dims [0, 1] adjacent {aligned = 4 : i64} : !rows -> tensor<64x36xf32, #L>
  // CHECK: llvm.load %{{.+}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
  // CHECK: st.global.v4.b32
  // CHECK: st.global.b32
  smx_gpu.store %a, %y[%i, %c0] valid(%m, %c33) dims [0, 1] adjacent {aligned = 4 : i64} : tensor<64x36xf32, #L>, !rows
  smx_gpu.return
}

// -----

#L = #smx_gpu.striped<rows = 64, columns = 2, vector = 22>
!rows = memref<?x129xbf16, strided<[?, 1], offset: ?>>

// Words of two elements from the one on that a row starts in. Where that is not the first element of a word, the last one of the row takes
// the place of it, which is of another row.
// CHECK-LABEL: llvm.func @unordered
smx_gpu.kernel @unordered(%x: !rows, %m: index) warps(4) {
  %c0 = arith.constant 0 : index
  %c129 = arith.constant 129 : index
  %i = gpu.block_id x
  // CHECK: nvvm.barrier0
  // CHECK: llvm.load %[[WORD:.+]] {alignment = 4 : i64} : !llvm.ptr<3> -> vector<2xbf16>
  // CHECK: %[[PLACE:.+]] = llvm.select %{{.+}}, %{{.+}}, %{{.+}} : i1, !llvm.ptr<3>
  // CHECK-NEXT: llvm.load %[[PLACE]] {{.*}}-> vector<1xbf16>
  // CHECK-NOT: !llvm.ptr<3> -> vector<1xbf16>
  // CHECK-COUNT-32: llvm.load %{{.+}} {alignment = 4 : i64} : !llvm.ptr<3> -> vector<2xbf16>
  // CHECK-NOT: !llvm.ptr<3> -> vector
  // CHECK: llvm.return
  %a = smx_gpu.load %x[%i, %c0] valid(%m, %c129) dims [0, 1] adjacent unordered {aligned = 2 : i64} : !rows -> tensor<64x132xbf16, #L>
  smx_gpu.hold %a : tensor<64x132xbf16, #L>
  smx_gpu.return
}

// -----

#L = #smx_gpu.striped<rows = 128, columns = 1, vector = 9>

// A thread that has no whole words reads elements.
// CHECK-LABEL: llvm.func @odd_run
smx_gpu.kernel @odd_run(%x: memref<?x9xbf16>) warps(4) {
  %c0 = arith.constant 0 : index
  %i = gpu.block_id x
  // CHECK: nvvm.barrier0
  // CHECK-COUNT-9: llvm.load %{{.+}} : !llvm.ptr<3> -> vector<1xbf16>
  %a = smx_gpu.load %x[%i, %c0] dims [0, 1] adjacent unordered {aligned = 2 : i64} : memref<?x9xbf16> -> tensor<128x9xbf16, #L>
  smx_gpu.hold %a : tensor<128x9xbf16, #L>
  smx_gpu.return
}
