// RUN: softmax-opt %s --split-input-file --pass-pipeline='builtin.module(smx_gpu.kernel(smx-gpu-read-once))' | FileCheck %s

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 8>
#value = #smx_gpu.slice<1, #row>

// The row of a block; but not what all blocks read.
// CHECK-LABEL: smx_gpu.kernel @sum
// CHECK: smx_gpu.load %[[A:.+]][%{{.+}}, %c0] dims [-1, 1] reading(once)
// CHECK: smx_gpu.load %{{.+}}[%c0] dims [-1, 0] {aligned
// CHECK: smx_gpu.return
smx_gpu.kernel @sum(%a: memref<?x1024xf32>, %w: memref<1024xf32>, %b: memref<?xf32>) warps(2) {
  %c0 = arith.constant 0 : index
  %i = gpu.block_id x
  %x = smx_gpu.load %a[%i, %c0] dims [-1, 1] {aligned = 16 : i64} : memref<?x1024xf32> -> tensor<1x1024xf32, #row>
  %v = smx_gpu.load %w[%c0] dims [-1, 0] {aligned = 16 : i64} : memref<1024xf32> -> tensor<1x1024xf32, #row>
  %y = arith.mulf %x, %v : tensor<1x1024xf32, #row>
  %s = smx_gpu.reduce <add> %y dim 1 : tensor<1x1024xf32, #row> -> tensor<1xf32, #value>
  smx_gpu.store %s, %b[%i] dims [0] : tensor<1xf32, #value>, memref<?xf32>
  smx_gpu.return
}

// -----

// Not where something as long is stored, and not what is read again anyway.

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 8>
#value = #smx_gpu.slice<1, #row>

// CHECK-LABEL: smx_gpu.kernel @written
// CHECK: smx_gpu.load {{.*}} dims [-1, 1] {aligned
// CHECK-LABEL: smx_gpu.kernel @marked
// CHECK: smx_gpu.load {{.*}} reading(first)
// CHECK: smx_gpu.load {{.*}} again
// CHECK: smx_gpu.return
smx_gpu.kernel @written(%a: memref<?x1024xf32>) warps(2) {
  %c0 = arith.constant 0 : index
  %i = gpu.block_id x
  %x = smx_gpu.load %a[%i, %c0] dims [-1, 1] {aligned = 16 : i64} : memref<?x1024xf32> -> tensor<1x1024xf32, #row>
  smx_gpu.store %x, %a[%i, %c0] dims [-1, 1] {aligned = 16 : i64} : tensor<1x1024xf32, #row>, memref<?x1024xf32>
  smx_gpu.return
}
smx_gpu.kernel @marked(%a: memref<?x1024xf32>, %b: memref<?xf32>) warps(2) {
  %c0 = arith.constant 0 : index
  %i = gpu.block_id x
  %x = smx_gpu.load %a[%i, %c0] dims [-1, 1] reading(first) {aligned = 16 : i64} : memref<?x1024xf32> -> tensor<1x1024xf32, #row>
  %v = smx_gpu.load %a[%i, %c0] dims [-1, 1] again {aligned = 16 : i64} : memref<?x1024xf32> -> tensor<1x1024xf32, #row>
  %y = arith.mulf %x, %v : tensor<1x1024xf32, #row>
  %s = smx_gpu.reduce <add> %y dim 1 : tensor<1x1024xf32, #row> -> tensor<1xf32, #value>
  smx_gpu.store %s, %b[%i] dims [0] : tensor<1xf32, #value>, memref<?xf32>
  smx_gpu.return
}

// -----

// Candidates of the k largest are read again.

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 8>
#value = #smx_gpu.slice<1, #row>

// CHECK-LABEL: smx_gpu.kernel @largest
// CHECK-NOT: reading
// CHECK: smx_gpu.return
smx_gpu.kernel @largest(%a: memref<?x1024xf32>, %b: memref<?xf32>) warps(2) {
  %c0 = arith.constant 0 : index
  %i = gpu.block_id x
  %x = smx_gpu.load %a[%i, %c0] dims [-1, 1] {aligned = 16 : i64} : memref<?x1024xf32> -> tensor<1x1024xf32, #row>
  %v, %p = smx_gpu.largest %x : tensor<1x1024xf32, #row> -> tensor<1xf32, #value> at tensor<1xindex, #value>
  smx_gpu.store %v, %b[%i] dims [0] : tensor<1xf32, #value>, memref<?xf32>
  smx_gpu.return
}
