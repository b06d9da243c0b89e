// What is said of the rounds of a row is checked: that nothing in another round of a thread is above its second.
// RUN: %python %S/Inputs/largest.py %t.d
// RUN: smx-gpu-host-run %s --entry=whole --arg=npy:%t.d/rows.npy --arg=expect:%t.d/columns.npy | FileCheck %s
// RUN: not smx-gpu-host-run %s --entry=half --arg=npy:%t.d/rows.npy --arg=expect:%t.d/columns.npy 2>&1 | FileCheck %s --check-prefix=FALSE
// CHECK: expected: pass
// FALSE: 'smx_gpu.largest' says that thread 13 has nothing larger beside its round, but column 90 is

#line = #smx_gpu.striped<rows = 1, columns = 32, vector = 2>
#place = #smx_gpu.striped<rows = 1, columns = 32, vector = 1>
#thread = #smx_gpu.slice<1, #smx_gpu.striped<rows = 32, columns = 1, vector = 2>>

// A round is the whole row.
smx_gpu.kernel @one(%x: memref<4x128xf32>, %i: memref<4x3xi64>) warps(1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %b = gpu.block_id x
  %t = smx_gpu.load %x[%b, %c0] dims [-1, 1] : memref<4x128xf32> -> tensor<1x128xf32, #line>
  %m = smx_gpu.partial_reduce <maximum> %t : tensor<1x128xf32, #line> -> tensor<1x64xf32, #line>
  %start = arith.constant dense<0> : tensor<32xi32, #thread>
  %second = arith.constant dense<0xFF800000> : tensor<32xf32, #thread>
  %v, %c = smx_gpu.largest %m of %x[%b, %c0] extent(128) rounds(%start, %second span 128) ranks(3) {aligned = 8 : i64}
      : tensor<1x64xf32, #line>, memref<4x128xf32> rounds tensor<32xi32, #thread>, tensor<32xf32, #thread>
      -> tensor<1x32xf32, #place> at tensor<1x32xindex, #place>
  %j = arith.index_cast %c : tensor<1x32xindex, #place> to tensor<1x32xi64, #place>
  smx_gpu.store %j, %i[%b, %c0] valid(%c1, %c3) dims [-1, 1] : tensor<1x32xi64, #place>, memref<4x3xi64>
  smx_gpu.return
}
func.func @whole(%x: memref<4x128xf32>, %i: memref<4x3xi64>) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  smx_gpu.launch @one grid(%c4, %c1, %c1) (%x, %i : memref<4x128xf32>, memref<4x3xi64>)
  return
}

// The maxima of all threads are said to be in the first of two.
smx_gpu.kernel @two(%x: memref<4x128xf32>, %i: memref<4x3xi64>) warps(1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %b = gpu.block_id x
  %t = smx_gpu.load %x[%b, %c0] dims [-1, 1] : memref<4x128xf32> -> tensor<1x128xf32, #line>
  %m = smx_gpu.partial_reduce <maximum> %t : tensor<1x128xf32, #line> -> tensor<1x64xf32, #line>
  %start = arith.constant dense<0> : tensor<32xi32, #thread>
  %second = arith.constant dense<0xFF800000> : tensor<32xf32, #thread>
  %v, %c = smx_gpu.largest %m of %x[%b, %c0] extent(128) rounds(%start, %second span 64) ranks(3) {aligned = 8 : i64}
      : tensor<1x64xf32, #line>, memref<4x128xf32> rounds tensor<32xi32, #thread>, tensor<32xf32, #thread>
      -> tensor<1x32xf32, #place> at tensor<1x32xindex, #place>
  %j = arith.index_cast %c : tensor<1x32xindex, #place> to tensor<1x32xi64, #place>
  smx_gpu.store %j, %i[%b, %c0] valid(%c1, %c3) dims [-1, 1] : tensor<1x32xi64, #place>, memref<4x3xi64>
  smx_gpu.return
}
func.func @half(%x: memref<4x128xf32>, %i: memref<4x3xi64>) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  smx_gpu.launch @two grid(%c4, %c1, %c1) (%x, %i : memref<4x128xf32>, memref<4x3xi64>)
  return
}
