// Stores come before an announcement, and reads behind its wait.
// RUN: softmax-opt %s --smx-gpu-to-nvvm=chip=sm_90 | FileCheck %s
#rows = #smx_gpu.striped<rows = 1, columns = 128, vector = 4>

// All lanes of a warp have stored when one of them adds.
// CHECK-LABEL: llvm.func @announce(
// CHECK: llvm.store
// CHECK: nvvm.bar.warp.sync
// CHECK: scf.if
// CHECK: llvm.inline_asm has_side_effects {{.*}}"red.release.gpu.global.add.u32 [$0], $1;", "l,r,~{memory}"
smx_gpu.kernel @announce(%x: memref<132x512xf32>, %counts: memref<132xi32>) warps(4) {
  %c0 = arith.constant 0 : index
  %b = gpu.block_id x
  %t = arith.constant dense<1.0> : tensor<1x512xf32, #rows>
  smx_gpu.store %t, %x[%b, %c0] dims [0, 1] {aligned = 16 : i64} : tensor<1x512xf32, #rows>, memref<132x512xf32>
  smx_gpu.announce %counts[%b] : memref<132xi32>
  smx_gpu.return
}

// CHECK-LABEL: llvm.func @await(
// CHECK: %[[FOUR:.+]] = llvm.mlir.constant(4 : i32)
// CHECK: llvm.inline_asm has_side_effects {{.*}}again: ld.acquire.gpu.global.u32 count, [$0]; setp.lt.u32 less, count, $1; @less bra again; }", "l,r,~{memory}" %{{.+}}, %[[FOUR]]
// CHECK-NEXT: llvm.mlir.constant(-1 : i32)
// CHECK-NEXT: nvvm.bar.warp.sync
// CHECK: llvm.load
smx_gpu.kernel @await(%x: memref<132x512xf32>, %counts: memref<132xi32>, %y: memref<132x512xf32>) warps(4) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = gpu.block_id x
  %before = arith.subi %b, %c1 : index
  smx_gpu.await %counts[%before] reaches 4 : memref<132xi32>
  %t = smx_gpu.load %x[%before, %c0] dims [0, 1] {aligned = 16 : i64} : memref<132x512xf32> -> tensor<1x512xf32, #rows>
  smx_gpu.store %t, %y[%b, %c0] dims [0, 1] {aligned = 16 : i64} : tensor<1x512xf32, #rows>, memref<132x512xf32>
  smx_gpu.return
}

// CHECK-LABEL: llvm.func @pause(
// CHECK: %[[CYCLES:.+]] = arith.muli
// CHECK: llvm.inline_asm has_side_effects {{.*}}"{ .reg .pred early; .reg .b64 begin, now; mov.u64 begin, %clock64; again: mov.u64 now, %clock64; sub.u64 now, now, begin; setp.lt.u64 early, now, $0; @early bra again; }", "l,~{memory}" %[[CYCLES]]
smx_gpu.kernel @pause() warps(4) {
  %c2000 = arith.constant 2000 : index
  %b = gpu.block_id x
  %cycles = arith.muli %b, %c2000 : index
  smx_gpu.pause %cycles
  smx_gpu.return
}
