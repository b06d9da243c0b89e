// The largest elements of rows: falling, of equal ones the first, 0 and -0 equal, NaN before all, -inf like any other.
// RUN: %python %S/Inputs/largest.py %t.d
// RUN: smx-gpu-host-run %s --entry=f --arg=npy:%t.d/rows.npy --arg=expect:%t.d/values.npy --arg=expect:%t.d/columns.npy | FileCheck %s
// RUN: smx-gpu-host-run %s --entry=ranks --arg=npy:%t.d/rows.npy --arg=expect:%t.d/values.npy --arg=expect:%t.d/columns.npy | FileCheck %s
// RUN: smx-gpu-host-run %s --entry=memory --arg=npy:%t.d/rows.npy --arg=expect:%t.d/values.npy --arg=expect:%t.d/columns.npy | FileCheck %s
// RUN: smx-gpu-host-run %s --entry=valid --arg=npy:%t.d/rows.npy --arg=expect:%t.d/of-two.npy | FileCheck %s --check-prefix=VALID
// CHECK-COUNT-2: expected: pass
// CHECK: ran
// VALID: expected: pass
// VALID: ran

#row = #smx_gpu.striped<rows = 2, columns = 32, vector = 4>
#value = #smx_gpu.slice<1, #row>

smx_gpu.kernel @k(%x: memref<4x128xf32>, %y: memref<4x3xf32>, %i: memref<4x3xi64>) warps(2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %t = smx_gpu.load %x[%c0, %c0] dims [0, 1] : memref<4x128xf32> -> tensor<4x128xf32, #row>
  %v:3, %c:3 = smx_gpu.largest %t : tensor<4x128xf32, #row> -> tensor<4xf32, #value>, tensor<4xf32, #value>, tensor<4xf32, #value>
      at tensor<4xindex, #value>, tensor<4xindex, #value>, tensor<4xindex, #value>
  %a = arith.index_cast %c#0 : tensor<4xindex, #value> to tensor<4xi64, #value>
  %b = arith.index_cast %c#1 : tensor<4xindex, #value> to tensor<4xi64, #value>
  %d = arith.index_cast %c#2 : tensor<4xindex, #value> to tensor<4xi64, #value>
  smx_gpu.store %v#0, %y[%c0, %c0] dims [0] : tensor<4xf32, #value>, memref<4x3xf32>
  smx_gpu.store %v#1, %y[%c0, %c1] dims [0] : tensor<4xf32, #value>, memref<4x3xf32>
  smx_gpu.store %v#2, %y[%c0, %c2] dims [0] : tensor<4xf32, #value>, memref<4x3xf32>
  smx_gpu.store %a, %i[%c0, %c0] dims [0] : tensor<4xi64, #value>, memref<4x3xi64>
  smx_gpu.store %b, %i[%c0, %c1] dims [0] : tensor<4xi64, #value>, memref<4x3xi64>
  smx_gpu.store %d, %i[%c0, %c2] dims [0] : tensor<4xi64, #value>, memref<4x3xi64>
  smx_gpu.return
}
func.func @f(%x: memref<4x128xf32>, %y: memref<4x3xf32>, %i: memref<4x3xi64>) {
  %c1 = arith.constant 1 : index
  smx_gpu.launch @k grid(%c1, %c1, %c1) (%x, %y, %i : memref<4x128xf32>, memref<4x3xf32>, memref<4x3xi64>)
  return
}

// A column for each rank; the columns behind hold the last one again, and are not stored.
#rank = #smx_gpu.striped<rows = 2, columns = 32, vector = 1>
smx_gpu.kernel @kr(%x: memref<4x128xf32>, %y: memref<4x3xf32>, %i: memref<4x3xi64>) warps(2) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %t = smx_gpu.load %x[%c0, %c0] dims [0, 1] : memref<4x128xf32> -> tensor<4x128xf32, #row>
  %v, %c = smx_gpu.largest %t ranks(3) : tensor<4x128xf32, #row> -> tensor<4x32xf32, #rank> at tensor<4x32xindex, #rank>
  %j = arith.index_cast %c : tensor<4x32xindex, #rank> to tensor<4x32xi64, #rank>
  smx_gpu.store %v, %y[%c0, %c0] valid(%c4, %c3) dims [0, 1] : tensor<4x32xf32, #rank>, memref<4x3xf32>
  smx_gpu.store %j, %i[%c0, %c0] valid(%c4, %c3) dims [0, 1] : tensor<4x32xi64, #rank>, memref<4x3xi64>
  smx_gpu.return
}
func.func @ranks(%x: memref<4x128xf32>, %y: memref<4x3xf32>, %i: memref<4x3xi64>) {
  %c1 = arith.constant 1 : index
  smx_gpu.launch @kr grid(%c1, %c1, %c1) (%x, %y, %i : memref<4x128xf32>, memref<4x3xf32>, memref<4x3xi64>)
  return
}

// Of a row in memory, of which there are maxima; a block has a row.
#line = #smx_gpu.striped<rows = 1, columns = 32, vector = 2>
#place = #smx_gpu.striped<rows = 1, columns = 32, vector = 1>
smx_gpu.kernel @km(%x: memref<4x128xf32>, %y: memref<4x3xf32>, %i: memref<4x3xi64>) warps(1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %b = gpu.block_id x
  %t = smx_gpu.load %x[%b, %c0] dims [-1, 1] : memref<4x128xf32> -> tensor<1x128xf32, #line>
  %m = smx_gpu.partial_reduce <maximum> %t : tensor<1x128xf32, #line> -> tensor<1x64xf32, #line>
  %v, %c = smx_gpu.largest %m of %x[%b, %c0] extent(128) ranks(3) {aligned = 8 : i64} : tensor<1x64xf32, #line>, memref<4x128xf32>
      -> tensor<1x32xf32, #place> at tensor<1x32xindex, #place>
  %j = arith.index_cast %c : tensor<1x32xindex, #place> to tensor<1x32xi64, #place>
  smx_gpu.store %v, %y[%b, %c0] valid(%c1, %c3) dims [-1, 1] : tensor<1x32xf32, #place>, memref<4x3xf32>
  smx_gpu.store %j, %i[%b, %c0] valid(%c1, %c3) dims [-1, 1] : tensor<1x32xi64, #place>, memref<4x3xi64>
  smx_gpu.return
}
func.func @memory(%x: memref<4x128xf32>, %y: memref<4x3xf32>, %i: memref<4x3xi64>) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  smx_gpu.launch @km grid(%c4, %c1, %c1) (%x, %y, %i : memref<4x128xf32>, memref<4x3xf32>, memref<4x3xi64>)
  return
}

// Of two elements from the fourth on: there is no third one, which has a column behind the extent.
#first = #smx_gpu.slice<1, #line>
smx_gpu.kernel @kv(%x: memref<4x128xf32>, %i: memref<4x3xi64>) warps(1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %b = gpu.block_id x
  %t = smx_gpu.load %x[%b, %c4] valid(%c1, %c2) dims [-1, 1] : memref<4x128xf32> -> tensor<1x64xf32, #line>
  %v:3, %c:3 = smx_gpu.largest %t of %x[%b, %c4] extent(124) valid(%c2) {aligned = 8 : i64} : tensor<1x64xf32, #line>, memref<4x128xf32>
      -> tensor<1xf32, #first>, tensor<1xf32, #first>, tensor<1xf32, #first>
      at tensor<1xindex, #first>, tensor<1xindex, #first>, tensor<1xindex, #first>
  %p = arith.index_cast %c#0 : tensor<1xindex, #first> to tensor<1xi64, #first>
  %q = arith.index_cast %c#1 : tensor<1xindex, #first> to tensor<1xi64, #first>
  %r = arith.index_cast %c#2 : tensor<1xindex, #first> to tensor<1xi64, #first>
  smx_gpu.store %p, %i[%b, %c0] dims [-1] : tensor<1xi64, #first>, memref<4x3xi64>
  smx_gpu.store %q, %i[%b, %c1] dims [-1] : tensor<1xi64, #first>, memref<4x3xi64>
  smx_gpu.store %r, %i[%b, %c2] dims [-1] : tensor<1xi64, #first>, memref<4x3xi64>
  smx_gpu.return
}
func.func @valid(%x: memref<4x128xf32>, %i: memref<4x3xi64>) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  smx_gpu.launch @kv grid(%c4, %c1, %c1) (%x, %i : memref<4x128xf32>, memref<4x3xi64>)
  return
}
