// Stores by the tensor engine: 16 rows of a warp at a time, through shared memory that only this warp writes.
// RUN: softmax-opt %s --smx-gpu-to-nvvm=chip=sm_90a | FileCheck %s
// RUN: not softmax-opt %s --smx-gpu-to-nvvm=chip=sm_80 2>&1 | FileCheck %s --check-prefix=OLD
// OLD: 'smx_gpu.tensor_store' op needs sm_90 or newer; 'smx_gpu.store' does without

#L = #smx_gpu.fragment<warps = 4>
!shared = !smx_gpu.shared<128x128xbf16, swizzle = 128>
!global = memref<?x?x128xbf16, strided<[?, ?, 1], offset: ?>>

// CHECK-LABEL: llvm.func @stores
// CHECK-SAME: %[[MAP:[^:]+]]: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<16 x i64>, nvvm.grid_constant})
// CHECK-SAME: smx.tensor_maps = [{argument = 0 : i64, box = array<i64: 1, 16, 64>, dims = array<i64: 0, 1, 2>, element = "bf16", swizzle = 128 : i64}]
smx_gpu.kernel @stores(%y: !global, %n: index) warps(8) shared_limit(232448) {
  %s = smx_gpu.alloc : !shared
  smx_gpu.warp_specialize {
    smx_gpu.role @all warps(8) group(4) (%through = %s : !shared, %m = %y : !global, %i = %n : index) {
      %c0 = arith.constant 0 : index
      %o = arith.constant dense<1.0> : tensor<64x128xbf16, #L>
      // The rows of this warp: 16 for each in front of it in the group, and 64 for each group.
      // CHECK: %[[SIXTEEN:.+]] = llvm.mlir.constant(16 : i32)
      // CHECK: %[[ROW:.+]] = llvm.mul %{{.+}}, %[[SIXTEEN]]
      // CHECK: %[[ROWS:.+]] = llvm.mlir.constant(64 : i32)
      // CHECK: %[[FIRST:.+]] = llvm.mul %{{.+}}, %[[ROWS]]
      // CHECK: %[[SHARED:.+]] = llvm.add %[[FIRST]], %[[ROW]]
      // CHECK: nvvm.cp.async.bulk.wait_group 0 {read}
      // CHECK-NEXT: llvm.mlir.constant(-1
      // CHECK-NEXT: nvvm.bar.warp.sync
      // CHECK-COUNT-8: nvvm.stmatrix %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} {{.+}} : !llvm.ptr<3>, i32, i32, i32, i32
      // CHECK-NOT: nvvm.stmatrix
      // CHECK: "fence.proxy.async.shared::cta;", "~{memory}"
      // CHECK: nvvm.bar.warp.sync
      // The first lane stores.
      // CHECK: %[[LANE:.+]] = llvm.and
      // CHECK-NEXT: %[[ZERO:.+]] = llvm.mlir.constant(0 : i32)
      // CHECK-NEXT: %[[IS_FIRST:.+]] = llvm.icmp "eq" %[[LANE]], %[[ZERO]]
      // CHECK-NEXT: scf.if %[[IS_FIRST]]
      // CHECK: %[[FURTHER:.+]] = llvm.add %[[ROW]], %{{.+}} : i32
      // CHECK: %[[AT:.+]] = llvm.add %{{.+}}, %[[FURTHER]]
      // CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta %[[MAP]], %[[FROM:.+]], box[%[[COLUMN:.+]], %[[AT]], %[[BATCH:.+]]] : !llvm.ptr, <3>
      // The second panel: 64 columns to the right, 128 rows of 128 bytes further.
      // CHECK: %[[SHIFT:.+]] = llvm.mlir.constant(64 : i32)
      // CHECK: %[[NEXT:.+]] = llvm.add %[[COLUMN]], %[[SHIFT]]
      // CHECK: llvm.getelementptr %[[FROM]]
      // CHECK-SAME: 16384
      // CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta %[[MAP]], %{{.+}}, box[%[[NEXT]], %[[AT]], %[[BATCH]]]
      // CHECK: nvvm.cp.async.bulk.commit.group
      // CHECK: }
      smx_gpu.tensor_store %o, %m[%i, %i, %c0] through %through dims [1, 2] : tensor<64x128xbf16, #L>, !global, !shared
      // Shared memory is given back when the engine has read it.
      // CHECK: nvvm.cp.async.bulk.wait_group 0 {read}
      // CHECK-NOT: nvvm.cp.async
      // CHECK: llvm.return
    }
  }
  smx_gpu.return
}

// Shared memory for one of three panels at a time: the second and the third wait until the one in front of them is read.
// CHECK-LABEL: llvm.func @in_turn
smx_gpu.kernel @in_turn(%y: memref<?x192xf16>, %n: index) warps(4) {
  %s = smx_gpu.alloc : !smx_gpu.shared<64x64xf16, swizzle = 128>
  smx_gpu.warp_specialize {
    smx_gpu.role @all warps(4) (%through = %s : !smx_gpu.shared<64x64xf16, swizzle = 128>, %m = %y : memref<?x192xf16>, %i = %n : index) {
      %c0 = arith.constant 0 : index
      %o = arith.constant dense<1.0> : tensor<64x192xf16, #L>
      // CHECK: nvvm.cp.async.bulk.wait_group 0 {read}
      // CHECK-COUNT-4: nvvm.stmatrix
      // CHECK: fence.proxy.async
      // CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta %{{.+}}, %[[FROM:.+]], box[%[[COLUMN:.+]], %{{.+}}]
      // CHECK: nvvm.cp.async.bulk.commit.group
      // CHECK: nvvm.cp.async.bulk.wait_group 0 {read}
      // CHECK-COUNT-4: nvvm.stmatrix
      // CHECK: %[[SHIFT:.+]] = llvm.mlir.constant(64 : i32)
      // CHECK: llvm.add %{{.+}}, %[[SHIFT]]
      // CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta
      // CHECK: nvvm.cp.async.bulk.commit.group
      // CHECK: nvvm.cp.async.bulk.wait_group 0 {read}
      // CHECK-COUNT-4: nvvm.stmatrix
      // CHECK: nvvm.cp.async.bulk.commit.group
      smx_gpu.tensor_store %o, %m[%i, %c0] through %through dims [0, 1] : tensor<64x192xf16, #L>, memref<?x192xf16>, !smx_gpu.shared<64x64xf16, swizzle = 128>
    }
  }
  smx_gpu.return
}

// For two of four: one may still be read while the next one is written.
// CHECK-LABEL: llvm.func @two_at_a_time
smx_gpu.kernel @two_at_a_time(%y: memref<?x256xf16>, %n: index) warps(4) {
  %s = smx_gpu.alloc : !smx_gpu.shared<64x128xf16, swizzle = 128>
  smx_gpu.warp_specialize {
    smx_gpu.role @all warps(4) (%through = %s : !smx_gpu.shared<64x128xf16, swizzle = 128>, %m = %y : memref<?x256xf16>, %i = %n : index) {
      %c0 = arith.constant 0 : index
      %o = arith.constant dense<1.0> : tensor<64x256xf16, #L>
      // CHECK-COUNT-4: nvvm.cp.async.bulk.wait_group 1 {read}
      // CHECK: nvvm.cp.async.bulk.wait_group 0 {read}
      smx_gpu.tensor_store %o, %m[%i, %c0] through %through dims [0, 1] : tensor<64x256xf16, #L>, memref<?x256xf16>, !smx_gpu.shared<64x128xf16, swizzle = 128>
    }
  }
  smx_gpu.return
}
