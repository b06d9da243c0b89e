// RUN: softmax-opt %s --split-input-file --pass-pipeline='builtin.module(smx_gpu.kernel(smx-gpu-adjacent-rows))' | FileCheck %s
// CHECK-NOT: {{ adjacent[ :{]}}

#L = #smx_gpu.striped<rows = 32, columns = 4, vector = 17>

// Threads do not stand along rows for it.
smx_gpu.kernel @otherwise(%x: memref<?x65xbf16>, %y: memref<?x65xbf16>) warps(4) {
  %c0 = arith.constant 0 : index
  %c65 = arith.constant 65 : index
  %c64 = arith.constant 64 : index
  %i = gpu.block_id x
  %a = smx_gpu.load %x[%i, %c0] valid(%c64, %c65) dims [0, 1] : memref<?x65xbf16> -> tensor<64x68xbf16, #L>
  smx_gpu.store %a, %y[%i, %c0] valid(%c64, %c65) dims [0, 1] : tensor<64x68xbf16, #L>, memref<?x65xbf16>
  smx_gpu.return
}

// -----

#L = #smx_gpu.striped<rows = 32, columns = 4, vector = 17>

// A part of each row, from its start or from elsewhere.
smx_gpu.kernel @parts(%x: memref<?x165xbf16>, %y: memref<?x65xbf16>, %j: index) warps(4) attributes {smx.adjacent_rows} {
  %c0 = arith.constant 0 : index
  %c65 = arith.constant 65 : index
  %c64 = arith.constant 64 : index
  %i = gpu.block_id x
  %a = smx_gpu.load %x[%i, %c0] valid(%c64, %c65) dims [0, 1] : memref<?x165xbf16> -> tensor<64x68xbf16, #L>
  %b = smx_gpu.load %y[%i, %j] valid(%c64, %c65) dims [0, 1] : memref<?x65xbf16> -> tensor<64x68xbf16, #L>
  %s = arith.addf %a, %b : tensor<64x68xbf16, #L>
  smx_gpu.store %s, %x[%i, %c0] valid(%c64, %c65) dims [0, 1] : tensor<64x68xbf16, #L>, memref<?x165xbf16>
  smx_gpu.return
}

// -----

#L = #smx_gpu.striped<rows = 32, columns = 4, vector = 17>

// Reads of double words, rows of open length, and rows that are read again or lasting.
smx_gpu.kernel @others(%x: memref<?x65xf64>, %w: memref<?x?xf64>, %y: memref<?x?xbf16>, %z: memref<?x65xbf16>) warps(4) attributes {smx.adjacent_rows} {
  %c0 = arith.constant 0 : index
  %c65 = arith.constant 65 : index
  %c64 = arith.constant 64 : index
  %i = gpu.block_id x
  %a = smx_gpu.load %x[%i, %c0] valid(%c64, %c65) dims [0, 1] : memref<?x65xf64> -> tensor<64x68xf64, #L>
  smx_gpu.store %a, %w[%i, %c0] valid(%c64, %c65) dims [0, 1] : tensor<64x68xf64, #L>, memref<?x?xf64>
  %b = smx_gpu.load %z[%i, %c0] valid(%c64, %c65) dims [0, 1] again : memref<?x65xbf16> -> tensor<64x68xbf16, #L>
  %c = smx_gpu.load %z[%i, %c0] valid(%c64, %c65) dims [0, 1] lasting : memref<?x65xbf16> -> tensor<64x68xbf16, #L>
  %s = arith.addf %b, %c : tensor<64x68xbf16, #L>
  smx_gpu.store %s, %y[%i, %c0] valid(%c64, %c65) dims [0, 1] : tensor<64x68xbf16, #L>, memref<?x?xbf16>
  smx_gpu.return
}

// -----

#L = #smx_gpu.striped<rows = 32, columns = 4, vector = 17>

// Rows along another dimension than the one before the columns never follow one another.
smx_gpu.kernel @across(%x: memref<64x100x65xbf16>, %y: memref<64x100x65xbf16>) warps(4) attributes {smx.adjacent_rows} {
  %c0 = arith.constant 0 : index
  %c65 = arith.constant 65 : index
  %c64 = arith.constant 64 : index
  %i = gpu.block_id x
  %a = smx_gpu.load %x[%c0, %i, %c0] valid(%c64, %c65) dims [0, 2] : memref<64x100x65xbf16> -> tensor<64x68xbf16, #L>
  smx_gpu.store %a, %y[%c0, %i, %c0] valid(%c64, %c65) dims [0, 2] : tensor<64x68xbf16, #L>, memref<64x100x65xbf16>
  smx_gpu.return
}
