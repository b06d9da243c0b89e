// A kernel that follows another one waits for it; its launch begins while that one ends.
// RUN: softmax-opt %s --smx-gpu-to-nvvm='chip=sm_90' --split-input-file | FileCheck %s
// RUN: softmax-opt %s --smx-gpu-to-nvvm='chip=sm_80' --split-input-file | FileCheck %s --check-prefix=OLD
// OLD-LABEL: llvm.func @one(
// OLD-NOT: griddepcontrol
// OLD-NOT: smx.overlaps_previous
// OLD: llvm.return
// OLD-LABEL: llvm.func @two(
// OLD-NOT: griddepcontrol
// OLD-NOT: smx.overlaps_previous
// OLD: llvm.return
// OLD-LABEL: llvm.func @three(
// OLD-NOT: griddepcontrol
// OLD-NOT: smx.overlaps_previous
// OLD: llvm.return

// CHECK-LABEL: llvm.func @one(
// CHECK-NOT: smx.overlaps_previous
// CHECK-SAME: {
// CHECK-NOT: griddepcontrol wait
// CHECK: nvvm.griddepcontrol launch_dependents
// CHECK: llvm.return
smx_gpu.kernel @one(%x: memref<?xi32>) warps(1) {
  smx_gpu.return
}

// What it allows the next one it allows behind its own wait.
// CHECK-LABEL: llvm.func @two(
// CHECK-SAME: smx.overlaps_previous
// CHECK: nvvm.griddepcontrol wait
// CHECK-NEXT: nvvm.griddepcontrol launch_dependents
// CHECK: llvm.return
smx_gpu.kernel @two(%x: memref<?xi32>) warps(1) {
  smx_gpu.return
}

// CHECK-LABEL: llvm.func @three(
// CHECK-SAME: smx.overlaps_previous
// CHECK: nvvm.griddepcontrol wait
// CHECK-NOT: launch_dependents
// CHECK: llvm.return
smx_gpu.kernel @three(%x: memref<?xi32>) warps(1) {
  smx_gpu.return
}

func.func @in_order(%x: memref<?xi32>) {
  %c1 = arith.constant 1 : index
  smx_gpu.launch @one grid(%c1, %c1, %c1) (%x : memref<?xi32>)
  %n = arith.addi %c1, %c1 : index
  smx_gpu.launch @two grid(%n, %c1, %c1) (%x : memref<?xi32>)
  smx_gpu.launch @three grid(%c1, %c1, %c1) (%x : memref<?xi32>)
  return
}

// -----

// A copy in between is waited for as ever.
// CHECK-LABEL: llvm.func @before(
// CHECK-NOT: griddepcontrol
// CHECK: llvm.func @behind(
// CHECK-NOT: griddepcontrol
smx_gpu.kernel @before(%x: memref<?xi32>) warps(1) {
  smx_gpu.return
}

smx_gpu.kernel @behind(%x: memref<?xi32>) warps(1) {
  smx_gpu.return
}

func.func @copy_between(%x: memref<?xi32>, %y: memref<?xi32>) {
  %c1 = arith.constant 1 : index
  smx_gpu.launch @before grid(%c1, %c1, %c1) (%x : memref<?xi32>)
  memref.copy %x, %y : memref<?xi32> to memref<?xi32>
  smx_gpu.launch @behind grid(%c1, %c1, %c1) (%y : memref<?xi32>)
  return
}
