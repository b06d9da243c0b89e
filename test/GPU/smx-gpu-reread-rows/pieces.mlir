// RUN: softmax-opt %s --split-input-file --pass-pipeline='builtin.module(smx_gpu.kernel(smx-gpu-reread-rows))' | FileCheck %s
// RUN: softmax-opt %s --split-input-file --pass-pipeline='builtin.module(smx_gpu.kernel(smx-gpu-reread-rows))' --remarks-filter=smx-gpu-reread-rows -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Of three accesses a thread the first stays in registers. The others are loaded for each sum, and for the results before any is stored.
// Who only the results need is not marked, and loaded where they are computed.

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 8>
#value = #smx_gpu.slice<1, #row>

// REMARK: pieces of a row, all but the first read again from the cache: {{.*}}3
// CHECK-LABEL: smx_gpu.kernel @two_sums
// CHECK-SAME: min_blocks(32)
// CHECK: %[[I:.+]] = gpu.block_id
// CHECK: %[[X0:.+]] = smx_gpu.load %[[A:.+]][%[[I]], %c0] dims [-1, 1] reading(last) {{.*}} -> tensor<1x512xbf16
// CHECK: %[[C1:.+]] = arith.addi %c0, %c512
// CHECK: %[[X1:.+]] = smx_gpu.load %[[A]][%[[I]], %[[C1]]] dims [-1, 1] reading(first) {{.*}} -> tensor<1x512xbf16
// CHECK: %[[C2:.+]] = arith.addi %c0, %c1024
// CHECK: %[[X2:.+]] = smx_gpu.load %[[A]][%[[I]], %[[C2]]] dims [-1, 1] reading(first) {{.*}} -> tensor<1x512xbf16
// CHECK-NOT: smx_gpu.load
// CHECK: arith.extf %[[X0]]
// CHECK: arith.extf %[[X1]]
// CHECK: arith.extf %[[X2]]
// CHECK: smx_gpu.reduce <maxnum> %{{.+}} : tensor<1x512xf32
// The first one is all that is kept from one reduction to the next.
// CHECK: %[[H0:.+]] = smx_gpu.hold %[[X0]]
// CHECK: arith.extf %[[H0]]
// CHECK: smx_gpu.load %[[A]]{{.*}} reading(first)
// CHECK: smx_gpu.load %[[A]]{{.*}} reading(first)
// CHECK: smx_gpu.reduce <add>
// CHECK-NOT: smx_gpu.store
// CHECK: %[[Y1:.+]] = smx_gpu.load %[[A]]{{.*}} reading(last)
// CHECK-NOT: smx_gpu.store
// CHECK: %[[Y2:.+]] = smx_gpu.load %[[A]]{{.*}} reading(last)
// CHECK: smx_gpu.hold %[[H0]]
// CHECK: smx_gpu.load %[[W:.+]][%c0] dims [-1, 0] {aligned
// CHECK: smx_gpu.store %{{.+}}, %[[B:.+]][%[[I]], %c0]
// CHECK: arith.extf %[[Y1]]
// CHECK: smx_gpu.load %[[W]][%{{.+}}] dims [-1, 0] {aligned
// CHECK: smx_gpu.store
// CHECK: arith.extf %[[Y2]]
// CHECK: smx_gpu.load %[[W]][%{{.+}}] dims [-1, 0] {aligned
// CHECK: smx_gpu.store
// CHECK-NOT: smx_gpu.load
// CHECK: smx_gpu.return
smx_gpu.kernel @two_sums(%a: memref<?x1536xbf16>, %w: memref<1536xbf16>, %b: memref<?x1536xf32>) warps(2) min_blocks(32) {
  %c0 = arith.constant 0 : index
  %i = gpu.block_id x
  %x = smx_gpu.load %a[%i, %c0] dims [-1, 1] {aligned = 16 : i64} : memref<?x1536xbf16> -> tensor<1x1536xbf16, #row>
  %v = smx_gpu.load %w[%c0] dims [-1, 0] {aligned = 16 : i64} : memref<1536xbf16> -> tensor<1x1536xbf16, #row>
  %f = arith.extf %x : tensor<1x1536xbf16, #row> to tensor<1x1536xf32, #row>
  %m = smx_gpu.reduce <maxnum> %f dim 1 : tensor<1x1536xf32, #row> -> tensor<1xf32, #value>
  %mb = smx_gpu.broadcast %m : tensor<1xf32, #value> -> tensor<1x1536xf32, #row>
  %d = arith.subf %f, %mb : tensor<1x1536xf32, #row>
  %s = smx_gpu.reduce <add> %d dim 1 : tensor<1x1536xf32, #row> -> tensor<1xf32, #value>
  %sb = smx_gpu.broadcast %s : tensor<1xf32, #value> -> tensor<1x1536xf32, #row>
  %q = arith.mulf %d, %sb : tensor<1x1536xf32, #row>
  %g = arith.extf %v : tensor<1x1536xbf16, #row> to tensor<1x1536xf32, #row>
  %y = arith.mulf %q, %g : tensor<1x1536xf32, #row>
  smx_gpu.store %y, %b[%i, %c0] dims [-1, 1] {aligned = 16 : i64} : tensor<1x1536xf32, #row>, memref<?x1536xf32>
  smx_gpu.return
}

// -----

// With registers for all of it, a row stays as it is: one access of each thread, or 64 registers.

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 8>

// CHECK-LABEL: smx_gpu.kernel @one_access
// CHECK-SAME: min_blocks(32)
// CHECK: smx_gpu.load {{.*}} dims [-1, 1] {aligned
// CHECK-NOT: smx_gpu.load
// CHECK-LABEL: smx_gpu.kernel @half_as_many_blocks
// CHECK-SAME: min_blocks(16)
// CHECK: smx_gpu.load {{.*}} dims [-1, 1] {aligned
// CHECK-NOT: smx_gpu.load
// CHECK: smx_gpu.return
smx_gpu.kernel @one_access(%a: memref<?x512xbf16>) warps(2) min_blocks(32) {
  %c0 = arith.constant 0 : index
  %i = gpu.block_id x
  %x = smx_gpu.load %a[%i, %c0] dims [-1, 1] {aligned = 16 : i64} : memref<?x512xbf16> -> tensor<1x512xbf16, #row>
  smx_gpu.store %x, %a[%i, %c0] dims [-1, 1] {aligned = 16 : i64} : tensor<1x512xbf16, #row>, memref<?x512xbf16>
  smx_gpu.return
}
smx_gpu.kernel @half_as_many_blocks(%a: memref<?x1536xbf16>) warps(2) min_blocks(16) {
  %c0 = arith.constant 0 : index
  %i = gpu.block_id x
  %x = smx_gpu.load %a[%i, %c0] dims [-1, 1] {aligned = 16 : i64} : memref<?x1536xbf16> -> tensor<1x1536xbf16, #row>
  smx_gpu.store %x, %a[%i, %c0] dims [-1, 1] {aligned = 16 : i64} : tensor<1x1536xbf16, #row>, memref<?x1536xbf16>
  smx_gpu.return
}

// -----

// A loop is not seen through: the row stays as it is, and has twice as many registers.

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 8>

// REMARK: an op has no form on pieces of a row: it is not read again
// CHECK-LABEL: smx_gpu.kernel @loop
// CHECK-SAME: min_blocks(16)
// CHECK: smx_gpu.load {{.*}} dims [-1, 1] {aligned = 16 : i64} {{.*}} -> tensor<1x1536xbf16
// CHECK-NOT: smx_gpu.load
// CHECK: smx_gpu.return
smx_gpu.kernel @loop(%a: memref<?x1536xbf16>, %n: index) warps(2) min_blocks(32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = gpu.block_id x
  %x = smx_gpu.load %a[%i, %c0] dims [-1, 1] {aligned = 16 : i64} : memref<?x1536xbf16> -> tensor<1x1536xbf16, #row>
  %y = scf.for %k = %c0 to %n step %c1 iter_args(%z = %x) -> (tensor<1x1536xbf16, #row>) {
    %s = arith.addf %z, %x : tensor<1x1536xbf16, #row>
    scf.yield %s : tensor<1x1536xbf16, #row>
  }
  smx_gpu.store %y, %a[%i, %c0] dims [-1, 1] {aligned = 16 : i64} : tensor<1x1536xbf16, #row>, memref<?x1536xbf16>
  smx_gpu.return
}

// -----

// So does a row that may end within an access.

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 8>

// REMARK: an op has no form on pieces of a row: it is not read again
// CHECK-LABEL: smx_gpu.kernel @cut
// CHECK-SAME: min_blocks(16)
// CHECK: smx_gpu.load {{.*}} valid(%{{.+}}) dims [-1, 1] {aligned = 16 : i64} {{.*}} -> tensor<1x1536xbf16
// CHECK-NOT: smx_gpu.load
// CHECK: smx_gpu.return
smx_gpu.kernel @cut(%a: memref<?x?xbf16, strided<[?, 1]>>, %n: index) warps(2) min_blocks(32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = gpu.block_id x
  %x = smx_gpu.load %a[%i, %c0] valid(%c1, %n) dims [-1, 1] {aligned = 16 : i64} : memref<?x?xbf16, strided<[?, 1]>> -> tensor<1x1536xbf16, #row>
  smx_gpu.store %x, %a[%i, %c0] valid(%c1, %n) dims [-1, 1] {aligned = 16 : i64} : tensor<1x1536xbf16, #row>, memref<?x?xbf16, strided<[?, 1]>>
  smx_gpu.return
}

// -----

// Registers are counted in elements: two accesses of f32 stay,

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 4>
#value = #smx_gpu.slice<1, #row>

// CHECK-LABEL: smx_gpu.kernel @two_wide_accesses
// CHECK-COUNT-1: smx_gpu.load
// CHECK-NOT: smx_gpu.load
// CHECK: smx_gpu.return
smx_gpu.kernel @two_wide_accesses(%x: memref<?x512xf32>, %y: memref<?x512xf32>) warps(2) min_blocks(32) {
  %c0 = arith.constant 0 : index
  %i = gpu.block_id x
  %t = smx_gpu.load %x[%i, %c0] dims [-1, 1] {aligned = 16 : i64} : memref<?x512xf32> -> tensor<1x512xf32, #row>
  %s = smx_gpu.reduce <add> %t dim 1 : tensor<1x512xf32, #row> -> tensor<1xf32, #value>
  %sb = smx_gpu.broadcast %s : tensor<1xf32, #value> -> tensor<1x512xf32, #row>
  %p = arith.mulf %t, %sb : tensor<1x512xf32, #row>
  smx_gpu.store %p, %y[%i, %c0] dims [-1, 1] {aligned = 16 : i64} : tensor<1x512xf32, #row>, memref<?x512xf32>
  smx_gpu.return
}

// -----

// and of four two are read again.

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 4>
#value = #smx_gpu.slice<1, #row>

// REMARK: pieces of a row, all but the first read again from the cache: {{.*}}3
// CHECK-LABEL: smx_gpu.kernel @four_wide_accesses
// CHECK: reading(last) {{.*}} -> tensor<1x512xf32
// CHECK: reading(first) {{.*}} -> tensor<1x256xf32
// CHECK: reading(first) {{.*}} -> tensor<1x256xf32
// CHECK: reading(last) {{.*}} -> tensor<1x256xf32
smx_gpu.kernel @four_wide_accesses(%x: memref<?x1024xf32>, %y: memref<?x1024xf32>) warps(2) min_blocks(32) {
  %c0 = arith.constant 0 : index
  %i = gpu.block_id x
  %t = smx_gpu.load %x[%i, %c0] dims [-1, 1] {aligned = 16 : i64} : memref<?x1024xf32> -> tensor<1x1024xf32, #row>
  %s = smx_gpu.reduce <add> %t dim 1 : tensor<1x1024xf32, #row> -> tensor<1xf32, #value>
  %sb = smx_gpu.broadcast %s : tensor<1xf32, #value> -> tensor<1x1024xf32, #row>
  %p = arith.mulf %t, %sb : tensor<1x1024xf32, #row>
  smx_gpu.store %p, %y[%i, %c0] dims [-1, 1] {aligned = 16 : i64} : tensor<1x1024xf32, #row>, memref<?x1024xf32>
  smx_gpu.return
}
