// RUN: softmax-opt %s --split-input-file --pass-pipeline='builtin.module(smx_gpu.kernel(smx-gpu-lasting-rows))' | FileCheck %s
// RUN: softmax-opt %s --split-input-file --pass-pipeline='builtin.module(smx_gpu.kernel(smx-gpu-lasting-rows))' --remarks-filter=smx-gpu-lasting-rows -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 8>

// Rows in registers and in shared memory. What is shorter than all results is not marked.
// REMARK: what is read stays in the cache longer than results: {{.*}}3
// REMARK-NOT: kernel @sums
// CHECK-LABEL: smx_gpu.kernel @results
smx_gpu.kernel @results(%x: memref<?x1536xbf16>, %z: memref<?x64xf32>, %y: memref<?x1536xbf16>) warps(2) {
  %c0 = arith.constant 0 : index
  %c512 = arith.constant 512 : index
  %c1024 = arith.constant 1024 : index
  %i = gpu.block_id x
  // CHECK: smx_gpu.load %{{.+}}[%{{.+}}, %c0] dims [-1, 1] lasting : memref<?x1536xbf16>
  %a = smx_gpu.load %x[%i, %c0] dims [-1, 1] : memref<?x1536xbf16> -> tensor<1x512xbf16, #row>
  // CHECK: smx_gpu.load %{{.+}}[%{{.+}}, %c512] dims [-1, 1] lasting : memref<?x1536xbf16>
  %b = smx_gpu.load %x[%i, %c512] dims [-1, 1] : memref<?x1536xbf16> -> tensor<1x512xbf16, #row>
  %s = smx_gpu.alloc : <1x512xbf16, swizzle = 0>
  // CHECK: smx_gpu.copy %{{.+}}[%{{.+}}, %c1024] to %{{.+}} dims [-1, 1] lasting : memref<?x1536xbf16>
  smx_gpu.copy %x[%i, %c1024] to %s dims [-1, 1] : memref<?x1536xbf16>, <1x512xbf16, swizzle = 0>
  %c = smx_gpu.read %s : <1x512xbf16, swizzle = 0> -> tensor<1x512xbf16, #row>
  // CHECK: smx_gpu.load %{{.+}}[%{{.+}}, %c0] dims [-1, 1] : memref<?x64xf32>
  %d = smx_gpu.load %z[%i, %c0] dims [-1, 1] : memref<?x64xf32> -> tensor<1x64xf32, #smx_gpu.striped<rows = 1, columns = 64, vector = 1>>
  smx_gpu.hold %d : tensor<1x64xf32, #smx_gpu.striped<rows = 1, columns = 64, vector = 1>>
  smx_gpu.store %a, %y[%i, %c0] dims [-1, 1] : tensor<1x512xbf16, #row>, memref<?x1536xbf16>
  smx_gpu.store %b, %y[%i, %c512] dims [-1, 1] : tensor<1x512xbf16, #row>, memref<?x1536xbf16>
  smx_gpu.store %c, %y[%i, %c1024] dims [-1, 1] : tensor<1x512xbf16, #row>, memref<?x1536xbf16>
  smx_gpu.return
}

// -----

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 8>
#value = #smx_gpu.slice<1, #row>

// Nothing fills the cache with results.
// CHECK-LABEL: smx_gpu.kernel @sums
// CHECK-NOT: lasting
smx_gpu.kernel @sums(%x: memref<?x512xf32>, %y: memref<?xf32>) warps(2) {
  %c0 = arith.constant 0 : index
  %i = gpu.block_id x
  %a = smx_gpu.load %x[%i, %c0] dims [-1, 1] : memref<?x512xf32> -> tensor<1x512xf32, #row>
  %s = smx_gpu.reduce <add> %a dim 1 : tensor<1x512xf32, #row> -> tensor<1xf32, #value>
  smx_gpu.store %s, %y[%i] dims [-1] : tensor<1xf32, #value>, memref<?xf32>
  smx_gpu.return
}

// -----

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 8>

// A cluster that stays copies its next row in between.
// CHECK-LABEL: smx_gpu.kernel @lone
smx_gpu.kernel @lone(%x: memref<?x1024xbf16>, %y: memref<?x1024xbf16>) warps(2) attributes {smx.lone_rows} {
  %c0 = arith.constant 0 : index
  %c512 = arith.constant 512 : index
  %i = gpu.block_id x
  // CHECK: smx_gpu.load {{.*}} lasting
  %a = smx_gpu.load %x[%i, %c0] dims [-1, 1] : memref<?x1024xbf16> -> tensor<1x512xbf16, #row>
  %s = smx_gpu.alloc : <1x512xbf16, swizzle = 0>
  // CHECK: smx_gpu.copy %{{.+}} to %{{.+}} dims [-1, 1] : memref
  smx_gpu.copy %x[%i, %c512] to %s dims [-1, 1] : memref<?x1024xbf16>, <1x512xbf16, swizzle = 0>
  %c = smx_gpu.read %s : <1x512xbf16, swizzle = 0> -> tensor<1x512xbf16, #row>
  smx_gpu.store %a, %y[%i, %c0] dims [-1, 1] : tensor<1x512xbf16, #row>, memref<?x1024xbf16>
  smx_gpu.store %c, %y[%i, %c512] dims [-1, 1] : tensor<1x512xbf16, #row>, memref<?x1024xbf16>
  smx_gpu.return
}

// Rows that are one piece would be asked for twice.
// CHECK-LABEL: @adjacent
// CHECK-NOT: lasting
// CHECK: smx_gpu.return
smx_gpu.kernel @adjacent(%x: memref<?x65xbf16>, %y: memref<?x65xbf16>) warps(4) attributes {smx.adjacent_rows} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c65 = arith.constant 65 : index
  %i = gpu.block_id x
  %a = smx_gpu.load %x[%i, %c0] valid(%c64, %c65) dims [0, 1] : memref<?x65xbf16> -> tensor<64x68xbf16, #smx_gpu.striped<rows = 32, columns = 4, vector = 17>>
  smx_gpu.store %a, %y[%i, %c0] valid(%c64, %c65) dims [0, 1] : tensor<64x68xbf16, #smx_gpu.striped<rows = 32, columns = 4, vector = 17>>, memref<?x65xbf16>
  smx_gpu.return
}
