// RUN: softmax-opt %s --split-input-file --pass-pipeline='builtin.module(smx_gpu.kernel(smx-gpu-adjacent-rows))' | FileCheck %s
// RUN: softmax-opt %s --split-input-file --pass-pipeline='builtin.module(smx_gpu.kernel(smx-gpu-adjacent-rows))' --remarks-filter=smx-gpu-adjacent-rows -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

#L = #smx_gpu.striped<rows = 32, columns = 4, vector = 17>

// Both rows of a gradient are asked for together.
// CHECK-LABEL: @gradient
// CHECK: %[[Y:.+]] = smx_gpu.load %{{.+}} valid(%{{.+}}, %c65) dims [0, 1] adjacent
// CHECK-NEXT: smx_gpu.load %{{.+}} valid(%{{.+}}, %c65) dims [0, 1] adjacent
// CHECK-NEXT: arith.negf %[[Y]]
// CHECK: smx_gpu.store %{{.+}} dims [0, 1] adjacent
// REMARK: rows that follow one another are moved as one piece: {{.*}}3
smx_gpu.kernel @gradient(%y: memref<?x65xbf16, strided<[?, 1], offset: ?>>, %g: memref<?x65xbf16>, %d: memref<?x65xbf16>, %m: index) warps(4) attributes {smx.adjacent_rows} {
  %c0 = arith.constant 0 : index
  %c65 = arith.constant 65 : index
  %i = gpu.block_id x
  %a = smx_gpu.load %y[%i, %c0] valid(%m, %c65) dims [0, 1] {aligned = 2 : i64} : memref<?x65xbf16, strided<[?, 1], offset: ?>> -> tensor<64x68xbf16, #L>
  %n = arith.negf %a : tensor<64x68xbf16, #L>
  %b = smx_gpu.load %g[%i, %c0] valid(%m, %c65) dims [0, 1] {aligned = 2 : i64} : memref<?x65xbf16> -> tensor<64x68xbf16, #L>
  %s = arith.addf %n, %b : tensor<64x68xbf16, #L>
  smx_gpu.store %s, %d[%i, %c0] valid(%m, %c65) dims [0, 1] {aligned = 2 : i64} : tensor<64x68xbf16, #L>, memref<?x65xbf16>
  smx_gpu.return
}

// -----

#L = #smx_gpu.striped<rows = 128, columns = 1, vector = 33>

// Rows that are only read, each by one thread; all of the tile is there.
// CHECK-LABEL: @read
// CHECK: smx_gpu.load %{{.+}} dims [0, 1] adjacent
// REMARK: rows that follow one another are moved as one piece: {{.*}}1
smx_gpu.kernel @read(%x: memref<?x33xf16>, %l: memref<?xf16>) warps(4) attributes {smx.adjacent_rows} {
  %c0 = arith.constant 0 : index
  %i = gpu.block_id x
  %a = smx_gpu.load %x[%i, %c0] dims [0, 1] {aligned = 2 : i64} : memref<?x33xf16> -> tensor<128x33xf16, #L>
  %m = smx_gpu.reduce <maxnum> %a dim 1 : tensor<128x33xf16, #L> -> tensor<128xf16, #smx_gpu.slice<1, #L>>
  smx_gpu.store %m, %l[%i] dims [0] : tensor<128xf16, #smx_gpu.slice<1, #L>>, memref<?xf16>
  smx_gpu.return
}

// -----

#L = #smx_gpu.striped<rows = 32, columns = 4, vector = 17>

// What is read behind a store may be what it has written.
// CHECK-LABEL: @twice
// CHECK: smx_gpu.load %{{.+}} adjacent
// CHECK-NEXT: smx_gpu.store %{{.+}} adjacent
// CHECK-NEXT: smx_gpu.load %{{.+}} adjacent
smx_gpu.kernel @twice(%x: memref<?x65xbf16>, %y: memref<?x65xbf16>) warps(4) attributes {smx.adjacent_rows} {
  %c0 = arith.constant 0 : index
  %c65 = arith.constant 65 : index
  %c64 = arith.constant 64 : index
  %i = gpu.block_id x
  %a = smx_gpu.load %x[%i, %c0] valid(%c64, %c65) dims [0, 1] : memref<?x65xbf16> -> tensor<64x68xbf16, #L>
  smx_gpu.store %a, %y[%i, %c0] valid(%c64, %c65) dims [0, 1] : tensor<64x68xbf16, #L>, memref<?x65xbf16>
  %b = smx_gpu.load %y[%i, %c0] valid(%c64, %c65) dims [0, 1] : memref<?x65xbf16> -> tensor<64x68xbf16, #L>
  smx_gpu.store %b, %x[%i, %c0] valid(%c64, %c65) dims [0, 1] : tensor<64x68xbf16, #L>, memref<?x65xbf16>
  smx_gpu.return
}
