// RUN: softmax-opt %s --pass-pipeline='builtin.module(smx_gpu.kernel(smx-gpu-shared-rows))' | FileCheck %s

// The blocks of a cluster of 16 that have all threads of their multiprocessors: of 16 stripes 5 stay in registers, and the row has two states. A barrier
// keeps what the first one begins with before the copies.

#row = #smx_gpu.striped<rows = 1, columns = 1024, vector = 4>
#parts = #smx_gpu.striped<rows = 32, columns = 32, vector = 4>
#values = #smx_gpu.slice<1, #parts>

// CHECK-LABEL: smx_gpu.kernel @alone
// CHECK-SAME: attributes {smx.lone_rows}
// CHECK: smx_gpu.load {{.*}} -> tensor<1x20480xf32
// CHECK-NEXT: smx_gpu.barrier
// CHECK-COUNT-11: smx_gpu.copy
// CHECK-COUNT-2: smx_gpu.reduce <maxnum>
// CHECK-NOT: smx_gpu.reduce <maxnum>
smx_gpu.kernel @alone(%x: memref<?x65536xf32>, %y: memref<?x65536xf32>) warps(32) cluster(16) shared_limit(232448) {
  %c0 = arith.constant 0 : index
  %one = arith.constant dense<1.0> : tensor<32xf32, #values>
  %i = gpu.block_id x
  %t = smx_gpu.load %x[%i, %c0] dims [-1, 1] {aligned = 16 : i64} : memref<?x65536xf32> -> tensor<1x65536xf32, #row>
  %p = smx_gpu.parts %t : tensor<1x65536xf32, #row> -> tensor<32x2048xf32, #parts>
  %m = smx_gpu.reduce <maxnum> %p dim 1 : tensor<32x2048xf32, #parts> -> tensor<32xf32, #values>
  %b = smx_gpu.broadcast %m : tensor<32xf32, #values> -> tensor<32x2048xf32, #parts>
  %d = arith.subf %p, %b : tensor<32x2048xf32, #parts>
  %e = math.exp %d : tensor<32x2048xf32, #parts>
  %l = smx_gpu.reduce <add> %e dim 1 : tensor<32x2048xf32, #parts> -> tensor<32xf32, #values>
  %s = arith.divf %one, %l : tensor<32xf32, #values>
  %sb = smx_gpu.broadcast %s : tensor<32xf32, #values> -> tensor<32x2048xf32, #parts>
  %q = arith.mulf %e, %sb : tensor<32x2048xf32, #parts>
  %r = smx_gpu.parts %q : tensor<32x2048xf32, #parts> -> tensor<1x65536xf32, #row>
  smx_gpu.store %r, %y[%i, %c0] dims [-1, 1] {aligned = 16 : i64} : tensor<1x65536xf32, #row>, memref<?x65536xf32>
  smx_gpu.return
}

// Others compute while a row of 8 blocks arrives: one state.
// CHECK-LABEL: smx_gpu.kernel @beside
// CHECK-NOT: smx.lone_rows
// CHECK: smx_gpu.load {{.*}} -> tensor<1x24576xf32
// CHECK-NOT: smx_gpu.barrier
// CHECK-COUNT-10: smx_gpu.copy
// CHECK: smx_gpu.reduce <maxnum>
// CHECK-NOT: smx_gpu.reduce <maxnum>
smx_gpu.kernel @beside(%x: memref<?x65536xf32>, %y: memref<?x65536xf32>) warps(32) cluster(8) shared_limit(232448) {
  %c0 = arith.constant 0 : index
  %one = arith.constant dense<1.0> : tensor<32xf32, #values>
  %i = gpu.block_id x
  %t = smx_gpu.load %x[%i, %c0] dims [-1, 1] {aligned = 16 : i64} : memref<?x65536xf32> -> tensor<1x65536xf32, #row>
  %p = smx_gpu.parts %t : tensor<1x65536xf32, #row> -> tensor<32x2048xf32, #parts>
  %m = smx_gpu.reduce <maxnum> %p dim 1 : tensor<32x2048xf32, #parts> -> tensor<32xf32, #values>
  %b = smx_gpu.broadcast %m : tensor<32xf32, #values> -> tensor<32x2048xf32, #parts>
  %d = arith.subf %p, %b : tensor<32x2048xf32, #parts>
  %e = math.exp %d : tensor<32x2048xf32, #parts>
  %l = smx_gpu.reduce <add> %e dim 1 : tensor<32x2048xf32, #parts> -> tensor<32xf32, #values>
  %s = arith.divf %one, %l : tensor<32xf32, #values>
  %sb = smx_gpu.broadcast %s : tensor<32xf32, #values> -> tensor<32x2048xf32, #parts>
  %q = arith.mulf %e, %sb : tensor<32x2048xf32, #parts>
  %r = smx_gpu.parts %q : tensor<32x2048xf32, #parts> -> tensor<1x65536xf32, #row>
  smx_gpu.store %r, %y[%i, %c0] dims [-1, 1] {aligned = 16 : i64} : tensor<1x65536xf32, #row>, memref<?x65536xf32>
  smx_gpu.return
}

// Masks take registers: one state.
// CHECK-LABEL: smx_gpu.kernel @masked
// CHECK-NOT: smx.lone_rows
// CHECK: smx_gpu.load {{.*}} -> tensor<1x24576xf32
// CHECK-NOT: smx_gpu.barrier
// CHECK: smx_gpu.reduce <maxnum>
// CHECK-NOT: smx_gpu.reduce <maxnum>
smx_gpu.kernel @masked(%x: memref<?x65536xf32>, %y: memref<?x65536xf32>, %n: index) warps(32) cluster(16) shared_limit(232448) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant dense<1.0> : tensor<32xf32, #values>
  %i = gpu.block_id x
  %t = smx_gpu.load %x[%i, %c0] valid(%c1, %n) dims [-1, 1] {aligned = 16 : i64} : memref<?x65536xf32> -> tensor<1x65536xf32, #row>
  %p = smx_gpu.parts %t : tensor<1x65536xf32, #row> -> tensor<32x2048xf32, #parts>
  %m = smx_gpu.reduce <maxnum> %p dim 1 : tensor<32x2048xf32, #parts> -> tensor<32xf32, #values>
  %b = smx_gpu.broadcast %m : tensor<32xf32, #values> -> tensor<32x2048xf32, #parts>
  %d = arith.subf %p, %b : tensor<32x2048xf32, #parts>
  %e = math.exp %d : tensor<32x2048xf32, #parts>
  %l = smx_gpu.reduce <add> %e dim 1 : tensor<32x2048xf32, #parts> -> tensor<32xf32, #values>
  %s = arith.divf %one, %l : tensor<32xf32, #values>
  %sb = smx_gpu.broadcast %s : tensor<32xf32, #values> -> tensor<32x2048xf32, #parts>
  %q = arith.mulf %e, %sb : tensor<32x2048xf32, #parts>
  %r = smx_gpu.parts %q : tensor<32x2048xf32, #parts> -> tensor<1x65536xf32, #row>
  smx_gpu.store %r, %y[%i, %c0] valid(%c1, %n) dims [-1, 1] {aligned = 16 : i64} : tensor<1x65536xf32, #row>, memref<?x65536xf32>
  smx_gpu.return
}
