// Copies by the tensor engine: a map among the parameters, one thread, bytes that the full barrier expects.
// RUN: softmax-opt %s --smx-gpu-to-nvvm=chip=sm_90a | FileCheck %s
// RUN: softmax-opt %s --smx-gpu-to-nvvm=chip=sm_90a | FileCheck %s --check-prefix=CARRIED

!ring = !smx_gpu.channel<32x128xbf16, swizzle = 128, depth = 2>
!stage = !smx_gpu.shared<32x128xbf16, swizzle = 128>
!global = memref<?x?x?xbf16, strided<[?, 1, ?], offset: ?>>

// Two puts of the same box share a map. The columns of the tile are dimension 1 of the memref: innermost in the map.
// CHECK-LABEL: llvm.func @copies
// CHECK-SAME: %[[MAP:[^:]+]]: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<16 x i64>, nvvm.grid_constant})
// CHECK-SAME: smx.tensor_maps = [{argument = 1 : i64, box = array<i64: 1, 32, 64>, dims = array<i64: 0, 2, 1>, element = "bf16", swizzle = 128 : i64}]
smx_gpu.kernel @copies(%n: index, %x: !global) warps(4) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  // By thread 0: a full barrier of one arrival, an empty one of the warps that read; the engine sees them.
  // CHECK: %[[THREAD:.+]] = nvvm.read.ptx.sreg.tid.x
  // CHECK-NEXT: %[[ZERO:.+]] = llvm.mlir.constant(0 : i32)
  // CHECK-NEXT: %[[IS_FIRST:.+]] = llvm.icmp "eq" %[[THREAD]], %[[ZERO]]
  // CHECK-NEXT: scf.if %[[IS_FIRST]]
  // CHECK-NEXT: %[[ONE:.+]] = llvm.mlir.constant(1 : i32)
  // CHECK-NEXT: nvvm.mbarrier.init %{{.+}}, %[[ONE]]
  // CHECK: %[[FOUR:.+]] = llvm.mlir.constant(4 : i32)
  // CHECK: nvvm.mbarrier.init %{{.+}}, %[[FOUR]]
  // CHECK: nvvm.fence.mbarrier.init
  %c = smx_gpu.make_channel : !ring
  // Thread 0 waits for the phase of the other parity, in which the stage was read.
  // CHECK: %[[USE:.+]] = llvm.lshr
  // CHECK: %[[PARITY:.+]] = llvm.and %[[USE]],
  // CHECK-NEXT: %[[ONE:.+]] = llvm.mlir.constant(1 : i32)
  // CHECK-NEXT: %[[BEFORE:.+]] = llvm.xor %[[PARITY]], %[[ONE]]
  // CHECK-NEXT: %[[THREAD:.+]] = nvvm.read.ptx.sreg.tid.x
  // CHECK-NEXT: %[[ZERO:.+]] = llvm.mlir.constant(0 : i32)
  // CHECK-NEXT: %[[IS_FIRST:.+]] = llvm.icmp "eq" %[[THREAD]], %[[ZERO]]
  // CHECK-NEXT: scf.if %[[IS_FIRST]]
  // CHECK: mbarrier.try_wait.parity{{.+}} %{{.+}}, %[[BEFORE]] :
  // CHECK: %[[BYTES:.+]] = llvm.mlir.constant(8192 : i32)
  // CHECK: "{ .reg .b64 state; mbarrier.arrive.expect_tx.shared.b64 state, [$0+{{[0-9]+}}], $1; }", "r,r,~{memory}" %{{.+}}, %[[BYTES]]
  // CHECK: "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [$0], [$1, {$3, $4, $5}], [$2];", "r,l,r,r,r,r,~{memory}" %{{.+}}, %[[MAP]], %{{.+}}, %[[COLUMN:.+]], %[[ROW:.+]], %[[BATCH:.+]] : (i32, !llvm.ptr, i32, i32, i32, i32)
  // The second panel: 64 columns to the right, 32 rows of 128 bytes further.
  // CHECK: %[[SHIFT:.+]] = llvm.mlir.constant(64 : i32)
  // CHECK: %[[NEXT:.+]] = llvm.add %[[COLUMN]], %[[SHIFT]]
  // CHECK: "cp.async.bulk.tensor.3d{{.+}} %{{.+}}, %[[MAP]], %{{.+}}, %[[NEXT]], %[[ROW]], %[[BATCH]] :
  smx_gpu.put %x[%n, %c0, %n] into %c dims [2, 1] copy(tensor) : !global, !ring
  // CHECK: "cp.async.bulk.tensor.3d{{.+}} %{{.+}}, %[[MAP]],
  smx_gpu.put %x[%n, %c128, %n] into %c dims [2, 1] copy(tensor) : !global, !ring
  %a = smx_gpu.get %c : !ring -> !stage
  // The first lane of a warp gives a stage back.
  // CHECK: nvvm.bar.warp.sync
  // CHECK: %[[C31:.+]] = llvm.mlir.constant(31 : i32)
  // CHECK-NEXT: %[[LANE:.+]] = llvm.and %{{.+}}, %[[C31]]
  // CHECK-NEXT: %[[ZERO:.+]] = llvm.mlir.constant(0 : i32)
  // CHECK-NEXT: %[[IS_FIRST:.+]] = llvm.icmp "eq" %[[LANE]], %[[ZERO]]
  // CHECK: @$1 mbarrier.arrive.shared.b64 state, [$0+{{[0-9]+}}];{{.+}} %{{.+}}, %[[IS_FIRST]] :
  smx_gpu.release %c : !ring
  %b = smx_gpu.get %c : !ring -> !stage
  smx_gpu.release %c : !ring
  smx_gpu.return
}

// A tile of rows that the loop over tiles carries, and a branch hands on, was copied by the engine all the same: its product needs no
// fence. One that threads have written does.
!rows = !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 2>
!row_tile = !smx_gpu.shared<64x64xbf16, swizzle = 128>
!scores = tensor<64x64xf32, #smx_gpu.fragment<warps = 4>>
// CARRIED-LABEL: llvm.func @carried
smx_gpu.kernel @carried(%x: memref<?x64xbf16>, %o: memref<?x64xf32>, %n: index, %is_new: i1) warps(4) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : !scores
  %c = smx_gpu.make_channel : !rows
  %written = smx_gpu.alloc : !row_tile
  smx_gpu.put %x[%c0, %c0] into %c dims [0, 1] copy(tensor) : memref<?x64xbf16>, !rows
  %first = smx_gpu.get %c : !rows -> !row_tile
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%q = %first) -> !row_tile {
    // CARRIED: "{ .reg .b32 x, y;\0A.reg .b64 da, db;\0Awgmma.fence.sync.aligned;
    %r, %t = smx_gpu.mma_async %q, %q, %zero transpose_b zero : !row_tile, !row_tile -> !scores
    %s = smx_gpu.wait %t, %r : !scores
    smx_gpu.store %s, %o[%c0, %c0] dims [0, 1] : !scores, memref<?x64xf32>
    smx_gpu.release %c : !rows
    smx_gpu.put %x[%c0, %c0] into %c dims [0, 1] copy(tensor) : memref<?x64xbf16>, !rows
    %got = smx_gpu.get %c : !rows -> !row_tile
    %next = scf.if %is_new -> !row_tile {
      scf.yield %got : !row_tile
    } else {
      scf.yield %q : !row_tile
    }
    scf.yield %next : !row_tile
  }
  %other = scf.if %is_new -> !row_tile {
    scf.yield %last : !row_tile
  } else {
    scf.yield %written : !row_tile
  }
  // CARRIED: "{ .reg .b32 x, y;\0A.reg .b64 da, db;\0Afence.proxy.async.shared::cta;
  %r, %t = smx_gpu.mma_async %other, %other, %zero transpose_b zero : !row_tile, !row_tile -> !scores
  %s = smx_gpu.wait %t, %r : !scores
  smx_gpu.store %s, %o[%c0, %c0] dims [0, 1] : !scores, memref<?x64xf32>
  smx_gpu.release %c : !rows
  smx_gpu.return
}

// A cluster fetches together: the empty barrier waits for the warps of both blocks, the box has half of the rows, which
// are this rank's, and goes to both; the full barrier expects all bytes. A release is told to both.
// CHECK-LABEL: llvm.func @together
// CHECK-SAME: smx.tensor_maps = [{argument = 0 : i64, box = array<i64: 1, 16, 64>
smx_gpu.kernel @together(%x: !global) warps(4) cluster(2) {
  %c0 = arith.constant 0 : index
  // CHECK: %[[EIGHT:.+]] = llvm.mlir.constant(8 : i32)
  // CHECK: nvvm.mbarrier.init %{{.+}}, %[[EIGHT]]
  // CHECK: nvvm.fence.mbarrier.init
  // CHECK: nvvm.cluster.arrive
  // CHECK-NEXT: nvvm.cluster.wait
  %c = smx_gpu.make_channel : !ring
  // CHECK: %[[BYTES:.+]] = llvm.mlir.constant(8192 : i32)
  // CHECK: expect_tx{{.+}} %[[BYTES]]
  // CHECK: %[[RANK:.+]] = nvvm.read.ptx.sreg.cluster.ctarank
  // CHECK: %[[ROWS:.+]] = llvm.mlir.constant(16 : i32)
  // CHECK: %[[FIRST:.+]] = llvm.mul %[[RANK]], %[[ROWS]]
  // CHECK: %[[BOTH:.+]] = llvm.mlir.constant(3 : i16)
  // CHECK: llvm.add %{{.+}}, %[[FIRST]]
  // CHECK: "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [$0], [$1, {$3, $4, $5}], [$2], $6;", "r,l,r,r,r,r,h,~{memory}" %{{.+}}, %[[BOTH]] : (
  // CHECK: "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [$0], [$1, {$3, $4, $5}], [$2], $6;", "r,l,r,r,r,r,h,~{memory}" %{{.+}}, %[[BOTH]] : (
  smx_gpu.put %x[%c0, %c0, %c0] into %c dims [2, 1] copy(tensor) {multicast} : !global, !ring
  %a = smx_gpu.get %c : !ring -> !stage
  // CHECK: nvvm.bar.warp.sync
  // A lane for each block.
  // CHECK: %[[LANE:.+]] = llvm.and
  // CHECK: %[[BLOCKS:.+]] = llvm.mlir.constant(2 : i32)
  // CHECK-NEXT: %[[TELLS:.+]] = llvm.icmp "slt" %[[LANE]], %[[BLOCKS]]
  // CHECK: mapa.shared::cluster.u32 theirs, $0, $1; @$2 mbarrier.arrive.shared::cluster.b64 _, [theirs]{{.+}} %{{.+}}, %[[LANE]], %[[TELLS]] :
  smx_gpu.release %c : !ring
  smx_gpu.cluster_barrier
  smx_gpu.return
}
