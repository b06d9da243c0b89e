// RUN: softmax-opt %s --smx-gpu-persistent-rows=clusters=7 --split-input-file | FileCheck %s

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 4>
#half = #smx_gpu.striped<rows = 1, columns = 64, vector = 2>

// Others compute while a row arrives.
// CHECK-LABEL: smx_gpu.kernel @beside
// CHECK-NOT: scf.for
// CHECK: smx_gpu.launch @beside
smx_gpu.kernel @beside(%x: memref<?x1024xf32>, %y: memref<?x1024xf32>) warps(2) cluster(2) {
  %c2 = arith.constant 2 : index
  %c256 = arith.constant 256 : index
  %c512 = arith.constant 512 : index
  %b = gpu.block_id x
  %i = arith.divui %b, %c2 : index
  %r = smx_gpu.cluster_rank
  %j = arith.muli %r, %c512 : index
  %t = smx_gpu.load %x[%i, %j] dims [-1, 1] {aligned = 16 : i64} : memref<?x1024xf32> -> tensor<1x256xf32, #row>
  %s = smx_gpu.alloc : !smx_gpu.shared<1x256xf32, swizzle = 0>
  %k = arith.addi %j, %c256 : index
  smx_gpu.copy %x[%i, %k] to %s dims [-1, 1] {aligned = 16 : i64} : memref<?x1024xf32>, !smx_gpu.shared<1x256xf32, swizzle = 0>
  %l = smx_gpu.reduce <add> %t dim 1 : tensor<1x256xf32, #row> -> tensor<1xf32, #smx_gpu.slice<1, #row>>
  %c = smx_gpu.cluster_reduce <add> %l : tensor<1xf32, #smx_gpu.slice<1, #row>>
  %w = smx_gpu.broadcast %c : tensor<1xf32, #smx_gpu.slice<1, #row>> -> tensor<1x256xf32, #row>
  %p = arith.mulf %t, %w : tensor<1x256xf32, #row>
  smx_gpu.store %p, %y[%i, %j] dims [-1, 1] {aligned = 16 : i64} : tensor<1x256xf32, #row>, memref<?x1024xf32>
  %u = smx_gpu.read %s : !smx_gpu.shared<1x256xf32, swizzle = 0> -> tensor<1x256xf32, #row>
  %q = arith.mulf %u, %w : tensor<1x256xf32, #row>
  smx_gpu.store %q, %y[%i, %k] dims [-1, 1] {aligned = 16 : i64} : tensor<1x256xf32, #row>, memref<?x1024xf32>
  smx_gpu.return
}
func.func @host(%x: memref<?x1024xf32>, %y: memref<?x1024xf32>, %n: index) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %all = arith.muli %n, %c2 : index
  smx_gpu.launch @beside grid(%all, %c1, %c1) (%x, %y : memref<?x1024xf32>, memref<?x1024xf32>)
  return
}

// -----

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 4>
#half = #smx_gpu.striped<rows = 1, columns = 64, vector = 2>

// Other threads may still be reading where a thread would copy to.
// CHECK-LABEL: smx_gpu.kernel @others
// CHECK-NOT: scf.for
// CHECK: smx_gpu.launch @others
smx_gpu.kernel @others(%x: memref<?x1024xf32>, %y: memref<?x1024xf32>) warps(2) cluster(2) attributes {smx.lone_rows} {
  %c2 = arith.constant 2 : index
  %c256 = arith.constant 256 : index
  %c512 = arith.constant 512 : index
  %b = gpu.block_id x
  %i = arith.divui %b, %c2 : index
  %r = smx_gpu.cluster_rank
  %j = arith.muli %r, %c512 : index
  %t = smx_gpu.load %x[%i, %j] dims [-1, 1] {aligned = 16 : i64} : memref<?x1024xf32> -> tensor<1x256xf32, #row>
  %s = smx_gpu.alloc : !smx_gpu.shared<1x256xf32, swizzle = 0>
  %k = arith.addi %j, %c256 : index
  smx_gpu.copy %x[%i, %k] to %s dims [-1, 1] {aligned = 16 : i64} : memref<?x1024xf32>, !smx_gpu.shared<1x256xf32, swizzle = 0>
  %l = smx_gpu.reduce <add> %t dim 1 : tensor<1x256xf32, #row> -> tensor<1xf32, #smx_gpu.slice<1, #row>>
  %c = smx_gpu.cluster_reduce <add> %l : tensor<1xf32, #smx_gpu.slice<1, #row>>
  %w = smx_gpu.broadcast %c : tensor<1xf32, #smx_gpu.slice<1, #row>> -> tensor<1x256xf32, #row>
  %p = arith.mulf %t, %w : tensor<1x256xf32, #row>
  smx_gpu.store %p, %y[%i, %j] dims [-1, 1] {aligned = 16 : i64} : tensor<1x256xf32, #row>, memref<?x1024xf32>
  %u = smx_gpu.read %s : !smx_gpu.shared<1x256xf32, swizzle = 0> -> tensor<1x256xf32, #half>
  %q = arith.addf %u, %u : tensor<1x256xf32, #half>
  smx_gpu.store %q, %y[%i, %k] dims [-1, 1] {aligned = 16 : i64} : tensor<1x256xf32, #half>, memref<?x1024xf32>
  smx_gpu.return
}
func.func @host(%x: memref<?x1024xf32>, %y: memref<?x1024xf32>, %n: index) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %all = arith.muli %n, %c2 : index
  smx_gpu.launch @others grid(%all, %c1, %c1) (%x, %y : memref<?x1024xf32>, memref<?x1024xf32>)
  return
}

// -----

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 4>

// What is computed from the row before all of it is there would have to be computed again.
// CHECK-LABEL: smx_gpu.kernel @computed
// CHECK-NOT: scf.for
// CHECK: smx_gpu.launch @computed
smx_gpu.kernel @computed(%x: memref<?x1024xf32>, %y: memref<?x1024xf32>) warps(2) cluster(2) attributes {smx.lone_rows} {
  %c2 = arith.constant 2 : index
  %c256 = arith.constant 256 : index
  %c512 = arith.constant 512 : index
  %b = gpu.block_id x
  %i = arith.divui %b, %c2 : index
  %r = smx_gpu.cluster_rank
  %j = arith.muli %r, %c512 : index
  %t = smx_gpu.load %x[%i, %j] dims [-1, 1] {aligned = 16 : i64} : memref<?x1024xf32> -> tensor<1x256xf32, #row>
  %early = arith.addf %t, %t : tensor<1x256xf32, #row>
  %s = smx_gpu.alloc : !smx_gpu.shared<1x256xf32, swizzle = 0>
  %k = arith.addi %j, %c256 : index
  smx_gpu.copy %x[%i, %k] to %s dims [-1, 1] {aligned = 16 : i64} : memref<?x1024xf32>, !smx_gpu.shared<1x256xf32, swizzle = 0>
  %l = smx_gpu.reduce <add> %early dim 1 : tensor<1x256xf32, #row> -> tensor<1xf32, #smx_gpu.slice<1, #row>>
  %c = smx_gpu.cluster_reduce <add> %l : tensor<1xf32, #smx_gpu.slice<1, #row>>
  %w = smx_gpu.broadcast %c : tensor<1xf32, #smx_gpu.slice<1, #row>> -> tensor<1x256xf32, #row>
  %p = arith.mulf %t, %w : tensor<1x256xf32, #row>
  smx_gpu.store %p, %y[%i, %j] dims [-1, 1] {aligned = 16 : i64} : tensor<1x256xf32, #row>, memref<?x1024xf32>
  %u = smx_gpu.read %s : !smx_gpu.shared<1x256xf32, swizzle = 0> -> tensor<1x256xf32, #row>
  %q = arith.mulf %u, %w : tensor<1x256xf32, #row>
  smx_gpu.store %q, %y[%i, %k] dims [-1, 1] {aligned = 16 : i64} : tensor<1x256xf32, #row>, memref<?x1024xf32>
  smx_gpu.return
}
func.func @host(%x: memref<?x1024xf32>, %y: memref<?x1024xf32>, %n: index) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %all = arith.muli %n, %c2 : index
  smx_gpu.launch @computed grid(%all, %c1, %c1) (%x, %y : memref<?x1024xf32>, memref<?x1024xf32>)
  return
}

// -----

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 4>

// A part of the row is hidden.
// CHECK-LABEL: smx_gpu.kernel @hidden
// CHECK-NOT: scf.for
// CHECK: smx_gpu.launch @hidden
smx_gpu.kernel @hidden(%x: memref<?x1024xf32>, %y: memref<?x1024xf32>) warps(2) cluster(2) attributes {smx.lone_rows} {
  %c2 = arith.constant 2 : index
  %c256 = arith.constant 256 : index
  %c512 = arith.constant 512 : index
  %b = gpu.block_id x
  %i = arith.divui %b, %c2 : index
  %r = smx_gpu.cluster_rank
  %j = arith.muli %r, %c512 : index
  %t = smx_gpu.load %x[%i, %j] dims [-1, 1] {aligned = 16 : i64} : memref<?x1024xf32> -> tensor<1x256xf32, #row>
  %s = smx_gpu.alloc : !smx_gpu.shared<1x256xf32, swizzle = 0>
  %k = arith.addi %j, %c256 : index
  smx_gpu.copy %x[%i, %k] valid(%c2, %c256) to %s dims [-1, 1] {aligned = 16 : i64} : memref<?x1024xf32>, !smx_gpu.shared<1x256xf32, swizzle = 0>
  %l = smx_gpu.reduce <add> %t dim 1 : tensor<1x256xf32, #row> -> tensor<1xf32, #smx_gpu.slice<1, #row>>
  %c = smx_gpu.cluster_reduce <add> %l : tensor<1xf32, #smx_gpu.slice<1, #row>>
  %w = smx_gpu.broadcast %c : tensor<1xf32, #smx_gpu.slice<1, #row>> -> tensor<1x256xf32, #row>
  %p = arith.mulf %t, %w : tensor<1x256xf32, #row>
  smx_gpu.store %p, %y[%i, %j] dims [-1, 1] {aligned = 16 : i64} : tensor<1x256xf32, #row>, memref<?x1024xf32>
  %u = smx_gpu.read %s : !smx_gpu.shared<1x256xf32, swizzle = 0> -> tensor<1x256xf32, #row>
  %q = arith.mulf %u, %w : tensor<1x256xf32, #row>
  smx_gpu.store %q, %y[%i, %k] dims [-1, 1] {aligned = 16 : i64} : tensor<1x256xf32, #row>, memref<?x1024xf32>
  smx_gpu.return
}
func.func @host(%x: memref<?x1024xf32>, %y: memref<?x1024xf32>, %n: index) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %all = arith.muli %n, %c2 : index
  smx_gpu.launch @hidden grid(%all, %c1, %c1) (%x, %y : memref<?x1024xf32>, memref<?x1024xf32>)
  return
}
