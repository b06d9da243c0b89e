// What a loop keeps in registers: the thread's number is read again for every loop, and a copy in it keeps one pointer.
// RUN: softmax-opt %s --smx-gpu-to-nvvm | FileCheck %s

!global = memref<?x?x64xbf16, strided<[?, ?, 1], offset: ?>>
!tile = !smx_gpu.shared<32x64xbf16, swizzle = 128>
#L = #smx_gpu.fragment<warps = 1>

// CHECK-LABEL: llvm.func @copies
smx_gpu.kernel @copies(%x: !global, %b: index, %n: index) warps(1) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %s = smx_gpu.alloc : !tile
  // The tile's own place in the batch, and the thread's in the tile.
  // CHECK: %[[TID:.+]] = nvvm.read.ptx.sreg.tid.x
  // CHECK: %[[FIRST:.+]] = llvm.inline_asm has_side_effects "mov.b64 $0, $1;", "=l,l"
  // CHECK: %[[FRESH:.+]] = llvm.inline_asm has_side_effects "mov.u32 $0, %tid.x;", "=r"
  // CHECK: scf.for
  // CHECK-NOT: tid.x
  // CHECK: llvm.inline_asm has_side_effects "mov.b64 $0, $1;", "=l,l" %{{.+}} : (i64) -> i64
  // CHECK: %[[MOVED:.+]] = llvm.mul %{{.+}}, %{{.+}} overflow<nsw> : i64
  // CHECK: llvm.lshr %[[FRESH]]
  // CHECK: llvm.getelementptr %[[FIRST]][%{{.+}}]
  // CHECK: nvvm.cp.async.shared.global
  scf.for %j = %c0 to %n step %c32 {
    smx_gpu.copy %x[%b, %j, %c0] to %s dims [1, 2] {aligned = 16 : i64} : !global, !tile
  }
  // Behind the loop again.
  // CHECK: llvm.inline_asm has_side_effects "mov.u32 $0, %tid.x;", "=r"
  // CHECK-NOT: nvvm.read.ptx.sreg.tid.x
  // CHECK: llvm.return
  %t = smx_gpu.read %s : !tile -> tensor<32x64xbf16, #L>
  smx_gpu.store %t, %x[%b, %c0, %c0] dims [1, 2] : tensor<32x64xbf16, #L>, !global
  smx_gpu.return
}

// A round with a loop of its own reads the number in each round, and once more behind that loop.
// CHECK-LABEL: llvm.func @rounds
smx_gpu.kernel @rounds(%x: !global, %b: index, %n: index) warps(1) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %s = smx_gpu.alloc : !tile
  // CHECK: scf.for
  // CHECK-NEXT: %[[HEAD:.+]] = llvm.inline_asm has_side_effects "mov.u32 $0, %tid.x;", "=r"
  // CHECK: scf.for
  // CHECK-NOT: tid.x
  // CHECK: llvm.lshr %[[HEAD]]
  // CHECK: nvvm.cp.async.shared.global
  // CHECK: %[[TAIL:.+]] = llvm.inline_asm has_side_effects "mov.u32 $0, %tid.x;", "=r"
  // CHECK-NOT: tid.x
  // CHECK: %[[TAIL]]{{$|[ ,]}}
  // CHECK-NOT: tid.x
  // CHECK: llvm.return
  scf.for %i = %c0 to %n step %c32 {
    scf.for %j = %c0 to %n step %c32 {
      smx_gpu.copy %x[%b, %j, %c0] to %s dims [1, 2] {aligned = 16 : i64} : !global, !tile
    }
    %t = smx_gpu.read %s : !tile -> tensor<32x64xbf16, #L>
    smx_gpu.store %t, %x[%b, %i, %c0] dims [1, 2] : tensor<32x64xbf16, #L>, !global
  }
  smx_gpu.return
}
