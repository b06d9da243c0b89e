// RUN: softmax-opt %s --split-input-file --pass-pipeline='builtin.module(smx_gpu.kernel(smx-gpu-adjacent-rows))' | FileCheck %s
// CHECK-NOT: adjacent {

#L = #smx_gpu.striped<rows = 32, columns = 4, vector = 8>

// Vectors that memory may move.
smx_gpu.kernel @vectors(%x: memref<?x64xbf16>, %y: memref<?x64xbf16>) warps(4) {
  %c0 = arith.constant 0 : index
  %i = gpu.block_id x
  %a = smx_gpu.load %x[%i, %c0] dims [0, 1] {aligned = 16 : i64} : memref<?x64xbf16> -> tensor<64x64xbf16, #L>
  smx_gpu.store %a, %y[%i, %c0] dims [0, 1] {aligned = 16 : i64} : tensor<64x64xbf16, #L>, memref<?x64xbf16>
  smx_gpu.return
}

// -----

#L = #smx_gpu.striped<rows = 32, columns = 4, vector = 17>

// A part of each row.
smx_gpu.kernel @parts(%x: memref<?x165xbf16>, %y: memref<?x165xbf16>, %j: index) warps(4) {
  %c0 = arith.constant 0 : index
  %c65 = arith.constant 65 : index
  %c64 = arith.constant 64 : index
  %i = gpu.block_id x
  %a = smx_gpu.load %x[%i, %c0] valid(%c64, %c65) dims [0, 1] : memref<?x165xbf16> -> tensor<64x68xbf16, #L>
  smx_gpu.store %a, %y[%i, %j] valid(%c64, %c65) dims [0, 1] : tensor<64x68xbf16, #L>, memref<?x165xbf16>
  smx_gpu.return
}

// -----

#L = #smx_gpu.striped<rows = 32, columns = 4, vector = 17>

// Double words.
smx_gpu.kernel @doubles(%x: memref<?x65xf64>, %y: memref<?x65xf64>) warps(4) {
  %c0 = arith.constant 0 : index
  %c65 = arith.constant 65 : index
  %c64 = arith.constant 64 : index
  %i = gpu.block_id x
  %a = smx_gpu.load %x[%i, %c0] valid(%c64, %c65) dims [0, 1] : memref<?x65xf64> -> tensor<64x68xf64, #L>
  smx_gpu.store %a, %y[%i, %c0] valid(%c64, %c65) dims [0, 1] : tensor<64x68xf64, #L>, memref<?x65xf64>
  smx_gpu.return
}

// -----

#L = #smx_gpu.striped<rows = 32, columns = 4, vector = 17>

// What several lanes read and nobody writes.
smx_gpu.kernel @readers(%x: memref<?x65xbf16>, %y: memref<?xbf16>) warps(4) {
  %c0 = arith.constant 0 : index
  %c65 = arith.constant 65 : index
  %c64 = arith.constant 64 : index
  %i = gpu.block_id x
  %a = smx_gpu.load %x[%i, %c0] valid(%c64, %c65) dims [0, 1] : memref<?x65xbf16> -> tensor<64x68xbf16, #L>
  %m = smx_gpu.reduce <maxnum> %a dim 1 : tensor<64x68xbf16, #L> -> tensor<64xbf16, #smx_gpu.slice<1, #L>>
  smx_gpu.store %m, %y[%i] dims [0] : tensor<64xbf16, #smx_gpu.slice<1, #L>>, memref<?xbf16>
  smx_gpu.return
}

// -----

#L = #smx_gpu.striped<rows = 4, columns = 32, vector = 1>

// Less than an access for each thread: the five largest of a row.
smx_gpu.kernel @few(%x: memref<?x5xbf16>, %y: memref<?x5xbf16>) warps(4) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %i = gpu.block_id x
  %a = smx_gpu.load %x[%i, %c0] valid(%c4, %c5) dims [0, 1] : memref<?x5xbf16> -> tensor<4x32xbf16, #L>
  smx_gpu.store %a, %y[%i, %c0] valid(%c4, %c5) dims [0, 1] : tensor<4x32xbf16, #L>, memref<?x5xbf16>
  smx_gpu.return
}
