// Copies by the tensor engine: a map among the parameters, one thread, bytes that the full barrier expects.
// RUN: softmax-opt %s --smx-gpu-to-nvvm=chip=sm_90 | FileCheck %s

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
  // A full barrier of one arrival, an empty one of the warps that read; the engine sees them.
  // CHECK: scf.if
  // CHECK-NEXT: %[[ONE:.+]] = llvm.mlir.constant(1 : i32)
  // CHECK-NEXT: nvvm.mbarrier.init %{{.+}}, %[[ONE]]
  // CHECK: %[[FOUR:.+]] = llvm.mlir.constant(4 : i32)
  // CHECK: nvvm.mbarrier.init %{{.+}}, %[[FOUR]]
  // CHECK: nvvm.fence.mbarrier.init
  %c = smx_gpu.make_channel : !ring
  // CHECK: scf.if
  // CHECK: mbarrier.try_wait.parity
  // CHECK: %[[BYTES:.+]] = llvm.mlir.constant(8192 : i32)
  // CHECK: "{ .reg .b64 state; mbarrier.arrive.expect_tx.shared.b64 state, [$0], $1; }", "r,r,~{memory}" %{{.+}}, %[[BYTES]]
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %[[MAP]], %{{.+}}, box[%[[COLUMN:.+]], %[[ROW:.+]], %[[BATCH:.+]]] : !llvm.ptr<7>, !llvm.ptr
  // The second panel: 64 columns to the right, 32 rows of 128 bytes further.
  // CHECK: %[[SHIFT:.+]] = llvm.mlir.constant(64 : i32)
  // CHECK: %[[NEXT:.+]] = llvm.add %[[COLUMN]], %[[SHIFT]]
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %[[MAP]], %{{.+}}, box[%[[NEXT]], %[[ROW]], %[[BATCH]]]
  smx_gpu.put %x[%n, %c0, %n] into %c dims [2, 1] copy(tensor) : !global, !ring
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %[[MAP]]
  smx_gpu.put %x[%n, %c128, %n] into %c dims [2, 1] copy(tensor) : !global, !ring
  %a = smx_gpu.get %c : !ring -> !stage
  smx_gpu.release %c : !ring
  %b = smx_gpu.get %c : !ring -> !stage
  smx_gpu.release %c : !ring
  smx_gpu.return
}
