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
// CHECK: smx_gpu.load %{{.+}} dims [0, 1] adjacent unordered
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

// -----

#L = #smx_gpu.striped<rows = 64, columns = 2, vector = 22>
#R = #smx_gpu.slice<1, #L>

// Which column is which does not matter for a sum, beside those that are none. What is looked up for a label is not waited for before the rows
// are asked for, and what else is read is on its way by then.
// CHECK-LABEL: @looked_up
// CHECK: %[[T:.+]] = smx_gpu.load %arg1
// CHECK-NEXT: %[[W:.+]] = smx_gpu.load %arg2
// CHECK-NEXT: smx_gpu.load %arg0{{.*}} adjacent unordered
// CHECK-NEXT: %[[J:.+]] = arith.index_cast %[[T]]
// CHECK-NEXT: smx_gpu.gather %arg0[%[[J]], %[[J]]]
// CHECK: arith.mulf %{{.+}}, %[[W]]
smx_gpu.kernel @looked_up(%x: memref<?x129xbf16>, %t: memref<?xi64>, %w: memref<?xbf16>, %y: memref<?xbf16>, %m: index) warps(4) attributes {smx.adjacent_rows} {
  %c0 = arith.constant 0 : index
  %c129 = arith.constant 129 : index
  %i = gpu.block_id x
  %t0 = smx_gpu.load %t[%i] valid(%m) dims [0] : memref<?xi64> -> tensor<64xi64, #R>
  %j = arith.index_cast %t0 : tensor<64xi64, #R> to tensor<64xindex, #R>
  %s = smx_gpu.gather %x[%j, %j] : memref<?x129xbf16> -> tensor<64xbf16, #R>
  %a = smx_gpu.load %x[%i, %c0] valid(%m, %c129) dims [0, 1] {aligned = 2 : i64} : memref<?x129xbf16> -> tensor<64x132xbf16, #L>
  %p = smx_gpu.position 1 : tensor<64x132xindex, #L>
  %n = arith.constant dense<129> : tensor<64x132xindex, #L>
  %is = arith.cmpi slt, %p, %n : tensor<64x132xindex, #L>
  %none = arith.constant dense<0xFF80> : tensor<64x132xbf16, #L>
  %b = arith.select %is, %a, %none : tensor<64x132xi1, #L>, tensor<64x132xbf16, #L>
  %k = smx_gpu.reduce <maxnum> %b dim 1 : tensor<64x132xbf16, #L> -> tensor<64xbf16, #R>
  %w0 = smx_gpu.load %w[%i] valid(%m) dims [0] : memref<?xbf16> -> tensor<64xbf16, #R>
  %d = arith.subf %k, %s : tensor<64xbf16, #R>
  %o = arith.mulf %d, %w0 : tensor<64xbf16, #R>
  smx_gpu.store %o, %y[%i] valid(%m) dims [0] : tensor<64xbf16, #R>, memref<?xbf16>
  smx_gpu.return
}

// -----

#L = #smx_gpu.striped<rows = 64, columns = 2, vector = 22>
#R = #smx_gpu.slice<1, #L>

// A comparison with another column tells it from the others.
// CHECK-LABEL: @told_apart
// CHECK: smx_gpu.load %arg0{{.*}} adjacent {aligned
smx_gpu.kernel @told_apart(%x: memref<?x129xbf16>, %y: memref<?xbf16>, %m: index) warps(4) attributes {smx.adjacent_rows} {
  %c0 = arith.constant 0 : index
  %c129 = arith.constant 129 : index
  %i = gpu.block_id x
  %a = smx_gpu.load %x[%i, %c0] valid(%m, %c129) dims [0, 1] {aligned = 2 : i64} : memref<?x129xbf16> -> tensor<64x132xbf16, #L>
  %p = smx_gpu.position 1 : tensor<64x132xindex, #L>
  %n = arith.constant dense<100> : tensor<64x132xindex, #L>
  %is = arith.cmpi slt, %p, %n : tensor<64x132xindex, #L>
  %none = arith.constant dense<0xFF80> : tensor<64x132xbf16, #L>
  %b = arith.select %is, %a, %none : tensor<64x132xi1, #L>, tensor<64x132xbf16, #L>
  %k = smx_gpu.reduce <maxnum> %b dim 1 : tensor<64x132xbf16, #L> -> tensor<64xbf16, #R>
  smx_gpu.store %k, %y[%i] valid(%m) dims [0] : tensor<64xbf16, #R>, memref<?xbf16>
  smx_gpu.return
}
