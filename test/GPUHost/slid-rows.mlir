// Rows that are slid to a multiple of 16 bytes hold what they would hold otherwise, wherever they start.
// RUN: split-file %s %t
// RUN: smx-gpu-host-run %t/copy.mlir --entry=k --arg=normal:9x61xbf16 --arg=poison:9x61xbf16 --grid=3 --check=copy | FileCheck %s
// RUN: smx-gpu-host-run %t/cluster.mlir --entry=k --arg=normal:9x601xbf16 --arg=poison:9x601xbf16 --grid=18 --check=copy | FileCheck %s
// RUN: not smx-gpu-host-run %t/aligned.mlir --entry=k --arg=normal:2x61xbf16 --grid=2 2>&1 | FileCheck %s --check-prefix=ALIGNED
// RUN: not smx-gpu-host-run %t/far.mlir --entry=k --arg=normal:2x61xbf16 2>&1 | FileCheck %s --check-prefix=FAR
// RUN: not smx-gpu-host-run %t/bounds.mlir --entry=k --arg=normal:2x61xbf16 2>&1 | FileCheck %s --check-prefix=BOUNDS
// CHECK: copy: pass
// ALIGNED: 'smx_gpu.load' promises rows at multiples of 16 bytes, but row 0 of the tile starts at byte 120
// FAR: 'smx_gpu.load' reads row 0 slid by 8 columns, not by 0 to 7
// BOUNDS: 'smx_gpu.load' reads index 61 of dimension 1, whose extent is 61

//--- copy.mlir
#row = #smx_gpu.striped<rows = 4, columns = 8, vector = 8>
#value = #smx_gpu.slice<1, #row>
smx_gpu.kernel @k(%x: memref<?x61xbf16>, %y: memref<?x61xbf16>) warps(1) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c61 = arith.constant 61 : index
  %n = memref.dim %x, %c0 : memref<?x61xbf16>
  %b = gpu.block_id x
  %i = arith.muli %b, %c4 : index
  %left = arith.subi %n, %i : index
  %s = smx_gpu.slide %x[%i, %c0] dims [0, 1] : memref<?x61xbf16> -> tensor<4xindex, #value>
  %t = smx_gpu.load %x[%i, %c0] valid(%left, %c61) slid(%s : tensor<4xindex, #value>) dims [0, 1] {aligned = 16 : i64} : memref<?x61xbf16> -> tensor<4x128xbf16, #row>
  smx_gpu.store %t, %y[%i, %c0] valid(%left, %c61) slid(%s : tensor<4xindex, #value>) dims [0, 1] : tensor<4x128xbf16, #row>, memref<?x61xbf16>
  smx_gpu.return
}

//--- cluster.mlir
#row = #smx_gpu.striped<rows = 1, columns = 32, vector = 8>
#value = #smx_gpu.slice<1, #row>
smx_gpu.kernel @k(%x: memref<?x601xbf16>, %y: memref<?x601xbf16>) warps(1) cluster(2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c512 = arith.constant 512 : index
  %c601 = arith.constant 601 : index
  %b = gpu.block_id x
  %i = arith.divui %b, %c2 : index
  %rank = smx_gpu.cluster_rank
  %first = arith.muli %rank, %c512 : index
  %left = arith.subi %c601, %first : index
  %s = smx_gpu.slide %x[%i, %c0] dims [-1, 1] : memref<?x601xbf16> -> tensor<1xindex, #value>
  %t = smx_gpu.load %x[%i, %first] valid(%c1, %left) slid(%s : tensor<1xindex, #value>) dims [-1, 1] {aligned = 16 : i64} : memref<?x601xbf16> -> tensor<1x512xbf16, #row>
  smx_gpu.store %t, %y[%i, %first] valid(%c1, %left) slid(%s : tensor<1xindex, #value>) dims [-1, 1] : tensor<1x512xbf16, #row>, memref<?x601xbf16>
  smx_gpu.return
}

//--- aligned.mlir
#row = #smx_gpu.striped<rows = 1, columns = 32, vector = 8>
#value = #smx_gpu.slice<1, #row>
smx_gpu.kernel @k(%x: memref<2x61xbf16>) warps(1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c61 = arith.constant 61 : index
  %i = gpu.block_id x
  %s = smx_gpu.slide %x[%c0, %c0] dims [-1, 1] : memref<2x61xbf16> -> tensor<1xindex, #value>
  %j = arith.subi %c61, %c1 : index
  %t = smx_gpu.load %x[%c0, %j] valid(%c1, %c1) slid(%s : tensor<1xindex, #value>) dims [-1, 1] {aligned = 16 : i64} : memref<2x61xbf16> -> tensor<1x256xbf16, #row>
  smx_gpu.return
}

//--- far.mlir
#row = #smx_gpu.striped<rows = 1, columns = 32, vector = 8>
#value = #smx_gpu.slice<1, #row>
smx_gpu.kernel @k(%x: memref<2x61xbf16>) warps(1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c61 = arith.constant 61 : index
  %s = arith.constant dense<8> : tensor<1xindex, #value>
  %t = smx_gpu.load %x[%c0, %c0] valid(%c1, %c61) slid(%s : tensor<1xindex, #value>) dims [-1, 1] : memref<2x61xbf16> -> tensor<1x256xbf16, #row>
  smx_gpu.return
}

//--- bounds.mlir
#row = #smx_gpu.striped<rows = 1, columns = 32, vector = 8>
#value = #smx_gpu.slice<1, #row>
smx_gpu.kernel @k(%x: memref<2x61xbf16>) warps(1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c62 = arith.constant 62 : index
  %s = smx_gpu.slide %x[%c1, %c0] dims [-1, 1] : memref<2x61xbf16> -> tensor<1xindex, #value>
  %t = smx_gpu.load %x[%c1, %c0] valid(%c1, %c62) slid(%s : tensor<1xindex, #value>) dims [-1, 1] : memref<2x61xbf16> -> tensor<1x256xbf16, #row>
  smx_gpu.return
}
