// Threads that read only what they have copied wait for it when they read it, and for no later copy.
// RUN: softmax-opt %s --smx-gpu-to-nvvm=chip=sm_90a | FileCheck %s

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 4>
#other = #smx_gpu.striped<rows = 1, columns = 64, vector = 2>

// CHECK-LABEL: llvm.func @own
smx_gpu.kernel @own(%x: memref<?xf32>, %y: memref<?xf32>) warps(2) {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %c512 = arith.constant 512 : index
  %a = smx_gpu.alloc : <1x256xf32, swizzle = 0>
  %b = smx_gpu.alloc : <1x256xf32, swizzle = 0>
  %c = smx_gpu.alloc : <1x256xf32, swizzle = 0>
  // CHECK: nvvm.cp.async.shared.global
  // CHECK: cp.async.commit_group
  // CHECK: nvvm.cp.async.shared.global
  // CHECK: cp.async.commit_group
  // CHECK: nvvm.cp.async.shared.global
  // CHECK: cp.async.commit_group
  // CHECK-NOT: nvvm.barrier
  smx_gpu.copy %x[%c0] to %a dims [-1, 0] {aligned = 16 : i64} : memref<?xf32>, <1x256xf32, swizzle = 0>
  smx_gpu.copy %x[%c256] to %b dims [-1, 0] {aligned = 16 : i64} : memref<?xf32>, <1x256xf32, swizzle = 0>
  smx_gpu.copy %x[%c512] to %c dims [-1, 0] {aligned = 16 : i64} : memref<?xf32>, <1x256xf32, swizzle = 0>
  // The second of them: one is later. Whoever reads again knows that it is there.
  // CHECK: cp.async.wait_group 1;
  // CHECK: llvm.load {{.*}} !llvm.ptr<3>
  // CHECK-NOT: cp.async.wait
  // CHECK: llvm.load {{.*}} !llvm.ptr<3>
  %h = smx_gpu.hold %b : !smx_gpu.shared<1x256xf32, swizzle = 0>
  %t = smx_gpu.read %h : <1x256xf32, swizzle = 0> -> tensor<1x256xf32, #row>
  %again = smx_gpu.read %b : <1x256xf32, swizzle = 0> -> tensor<1x256xf32, #row>
  // CHECK: cp.async.wait_group 0;
  // CHECK: llvm.store {{.*}} !llvm.ptr<3>
  smx_gpu.write %t, %c : tensor<1x256xf32, #row>, <1x256xf32, swizzle = 0>
  // CHECK: cp.async.wait_group 2;
  // CHECK-NOT: cp.async.wait
  // CHECK: llvm.return
  %u = smx_gpu.read %a : <1x256xf32, swizzle = 0> -> tensor<1x256xf32, #row>
  %s = arith.addf %u, %again : tensor<1x256xf32, #row>
  smx_gpu.store %s, %y[%c0] dims [-1, 0] {aligned = 16 : i64} : tensor<1x256xf32, #row>, memref<?xf32>
  smx_gpu.return
}

// What another thread has copied is there when all have met.
// CHECK-LABEL: llvm.func @others
smx_gpu.kernel @others(%x: memref<?xf32>, %y: memref<?xf32>) warps(2) {
  %c0 = arith.constant 0 : index
  %a = smx_gpu.alloc : <1x256xf32, swizzle = 0>
  // CHECK: nvvm.cp.async.shared.global
  // CHECK-NOT: commit_group
  // CHECK: cp.async.wait_all
  // CHECK-NEXT: nvvm.barrier0
  // CHECK-NOT: cp.async.wait
  // CHECK: llvm.return
  smx_gpu.copy %x[%c0] to %a dims [-1, 0] {aligned = 16 : i64} : memref<?xf32>, <1x256xf32, swizzle = 0>
  %t = smx_gpu.read %a : <1x256xf32, swizzle = 0> -> tensor<1x256xf32, #other>
  smx_gpu.store %t, %y[%c0] dims [-1, 0] : tensor<1x256xf32, #other>, memref<?xf32>
  smx_gpu.return
}

// A row that is copied again where threads have read it: in every round one copy is later than that of the first tile, and of the second at least none.
// CHECK-LABEL: llvm.func @rounds
smx_gpu.kernel @rounds(%x: memref<?xf32>, %y: memref<?xf32>, %n: index) warps(2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = smx_gpu.alloc : <1x256xf32, swizzle = 0>
  %b = smx_gpu.alloc : <1x256xf32, swizzle = 0>
  // CHECK-NOT: nvvm.barrier
  // CHECK: scf.for
  // CHECK: cp.async.wait_group 1;
  // CHECK: cp.async.commit_group
  // CHECK: cp.async.wait_group 0;
  // CHECK: cp.async.commit_group
  // CHECK: llvm.return
  smx_gpu.copy %x[%c0] to %a dims [-1, 0] {aligned = 16 : i64} : memref<?xf32>, <1x256xf32, swizzle = 0>
  smx_gpu.copy %x[%c0] to %b dims [-1, 0] {aligned = 16 : i64} : memref<?xf32>, <1x256xf32, swizzle = 0>
  scf.for %i = %c0 to %n step %c1 {
    %t = smx_gpu.read %a : <1x256xf32, swizzle = 0> -> tensor<1x256xf32, #row>
    smx_gpu.store %t, %y[%c0] dims [-1, 0] : tensor<1x256xf32, #row>, memref<?xf32>
    smx_gpu.copy %x[%c0] to %a dims [-1, 0] {aligned = 16 : i64} : memref<?xf32>, <1x256xf32, swizzle = 0>
    %u = smx_gpu.read %b : <1x256xf32, swizzle = 0> -> tensor<1x256xf32, #row>
    smx_gpu.store %u, %y[%c0] dims [-1, 0] : tensor<1x256xf32, #row>, memref<?xf32>
    smx_gpu.copy %x[%c0] to %b dims [-1, 0] {aligned = 16 : i64} : memref<?xf32>, <1x256xf32, swizzle = 0>
  }
  smx_gpu.return
}

// Before the first round no copy is later, whatever is in others.
// CHECK-LABEL: llvm.func @fewer
smx_gpu.kernel @fewer(%x: memref<?xf32>, %y: memref<?xf32>, %n: index) warps(2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = smx_gpu.alloc : <1x256xf32, swizzle = 0>
  %b = smx_gpu.alloc : <1x256xf32, swizzle = 0>
  // CHECK: scf.for
  // CHECK: cp.async.wait_group 0;
  // CHECK: cp.async.commit_group
  // CHECK: cp.async.commit_group
  // CHECK: cp.async.wait_group 0;
  // CHECK: llvm.return
  smx_gpu.copy %x[%c0] to %a dims [-1, 0] {aligned = 16 : i64} : memref<?xf32>, <1x256xf32, swizzle = 0>
  scf.for %i = %c0 to %n step %c1 {
    %t = smx_gpu.read %a : <1x256xf32, swizzle = 0> -> tensor<1x256xf32, #row>
    smx_gpu.store %t, %y[%c0] dims [-1, 0] : tensor<1x256xf32, #row>, memref<?xf32>
    smx_gpu.copy %x[%c0] to %a dims [-1, 0] {aligned = 16 : i64} : memref<?xf32>, <1x256xf32, swizzle = 0>
    smx_gpu.copy %x[%c0] to %b dims [-1, 0] {aligned = 16 : i64} : memref<?xf32>, <1x256xf32, swizzle = 0>
    %u = smx_gpu.read %b : <1x256xf32, swizzle = 0> -> tensor<1x256xf32, #row>
    smx_gpu.store %u, %y[%c0] dims [-1, 0] : tensor<1x256xf32, #row>, memref<?xf32>
  }
  smx_gpu.return
}

// Where the next access is, in the loop or behind it, depends on the number of rounds: all wait.
// CHECK-LABEL: llvm.func @behind
smx_gpu.kernel @behind(%x: memref<?xf32>, %y: memref<?xf32>, %n: index) warps(2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = smx_gpu.alloc : <1x256xf32, swizzle = 0>
  %b = smx_gpu.alloc : <1x256xf32, swizzle = 0>
  // CHECK: cp.async.wait_all
  // CHECK-NEXT: nvvm.barrier0
  // CHECK: scf.for
  // CHECK-NOT: cp.async.wait
  // CHECK: llvm.return
  smx_gpu.copy %x[%c0] to %a dims [-1, 0] {aligned = 16 : i64} : memref<?xf32>, <1x256xf32, swizzle = 0>
  scf.for %i = %c0 to %n step %c1 {
    %t = smx_gpu.read %a : <1x256xf32, swizzle = 0> -> tensor<1x256xf32, #row>
    smx_gpu.store %t, %y[%c0] dims [-1, 0] : tensor<1x256xf32, #row>, memref<?xf32>
  }
  %u = smx_gpu.read %a : <1x256xf32, swizzle = 0> -> tensor<1x256xf32, #row>
  smx_gpu.store %u, %y[%c0] dims [-1, 0] : tensor<1x256xf32, #row>, memref<?xf32>
  smx_gpu.return
}
