// RUN: softmax-opt %s --split-input-file --pass-pipeline='builtin.module(smx_gpu.kernel(smx-gpu-slid-rows))' | FileCheck %s
// CHECK-NOT: slid(

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 8>

// No room behind the row.
smx_gpu.kernel @full(%x: memref<?x1018xbf16>, %y: memref<?x1018xbf16>) warps(2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1018 : index
  %i = gpu.block_id x
  %a = smx_gpu.load %x[%i, %c0] valid(%c1, %n) dims [-1, 1] {aligned = 2 : i64} : memref<?x1018xbf16> -> tensor<1x1024xbf16, #row>
  smx_gpu.store %a, %y[%i, %c0] valid(%c1, %n) dims [-1, 1] {aligned = 2 : i64} : tensor<1x1024xbf16, #row>, memref<?x1018xbf16>
  smx_gpu.return
}

// -----

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 8>

// It is not known whether there is.
smx_gpu.kernel @open(%x: memref<?x?xbf16>, %y: memref<?x?xbf16>, %n: index) warps(2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = gpu.block_id x
  %a = smx_gpu.load %x[%i, %c0] valid(%c1, %n) dims [-1, 1] {aligned = 2 : i64} : memref<?x?xbf16> -> tensor<1x1024xbf16, #row>
  smx_gpu.store %a, %y[%i, %c0] valid(%c1, %n) dims [-1, 1] {aligned = 2 : i64} : tensor<1x1024xbf16, #row>, memref<?x?xbf16>
  smx_gpu.return
}

// -----

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 8>

// Accesses are where rows start.
smx_gpu.kernel @aligned(%x: memref<?x1001xbf16>, %y: memref<?x1001xbf16>) warps(2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1001 : index
  %i = gpu.block_id x
  %a = smx_gpu.load %x[%i, %c0] valid(%c1, %n) dims [-1, 1] {aligned = 16 : i64} : memref<?x1001xbf16> -> tensor<1x1024xbf16, #row>
  smx_gpu.store %a, %y[%i, %c0] valid(%c1, %n) dims [-1, 1] {aligned = 2 : i64} : tensor<1x1024xbf16, #row>, memref<?x1001xbf16>
  smx_gpu.return
}

// -----

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 8>

// Columns become numbers.
smx_gpu.kernel @numbers(%x: memref<?x1001xbf16>, %y: memref<?x1001xi64>) warps(2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1001 : index
  %i = gpu.block_id x
  %a = smx_gpu.load %x[%i, %c0] valid(%c1, %n) dims [-1, 1] {aligned = 2 : i64} : memref<?x1001xbf16> -> tensor<1x1024xbf16, #row>
  smx_gpu.hold %a : tensor<1x1024xbf16, #row>
  %j = smx_gpu.position 1 : tensor<1x1024xindex, #row>
  %k = arith.index_cast %j : tensor<1x1024xindex, #row> to tensor<1x1024xi64, #row>
  smx_gpu.store %k, %y[%i, %c0] valid(%c1, %n) dims [-1, 1] {aligned = 8 : i64} : tensor<1x1024xi64, #row>, memref<?x1001xi64>
  smx_gpu.return
}

// -----

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 8>

// Columns are compared with columns, or without a sign.
smx_gpu.kernel @twice(%x: memref<?x1001xbf16>, %y: memref<?x1001xi1>) warps(2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1001 : index
  %i = gpu.block_id x
  %a = smx_gpu.load %x[%i, %c0] valid(%c1, %n) dims [-1, 1] {aligned = 2 : i64} : memref<?x1001xbf16> -> tensor<1x1024xbf16, #row>
  smx_gpu.hold %a : tensor<1x1024xbf16, #row>
  %j = smx_gpu.position 1 : tensor<1x1024xindex, #row>
  %two = arith.constant dense<2> : tensor<1x1024xindex, #row>
  %k = arith.addi %j, %two : tensor<1x1024xindex, #row>
  %m = arith.cmpi slt, %j, %k : tensor<1x1024xindex, #row>
  smx_gpu.store %m, %y[%i, %c0] valid(%c1, %n) dims [-1, 1] : tensor<1x1024xi1, #row>, memref<?x1001xi1>
  smx_gpu.return
}
smx_gpu.kernel @unsigned(%x: memref<?x1001xbf16>, %y: memref<?x1001xi1>) warps(2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1001 : index
  %i = gpu.block_id x
  %a = smx_gpu.load %x[%i, %c0] valid(%c1, %n) dims [-1, 1] {aligned = 2 : i64} : memref<?x1001xbf16> -> tensor<1x1024xbf16, #row>
  smx_gpu.hold %a : tensor<1x1024xbf16, #row>
  %j = smx_gpu.position 1 : tensor<1x1024xindex, #row>
  %two = arith.constant dense<2> : tensor<1x1024xindex, #row>
  %m = arith.cmpi ult, %j, %two : tensor<1x1024xindex, #row>
  smx_gpu.store %m, %y[%i, %c0] valid(%c1, %n) dims [-1, 1] : tensor<1x1024xi1, #row>, memref<?x1001xi1>
  smx_gpu.return
}

// -----

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 8>

// Another tile of the row starts elsewhere.
smx_gpu.kernel @parts(%x: memref<?x2001xbf16>, %y: memref<?x2001xbf16>) warps(2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1000 = arith.constant 1000 : index
  %i = gpu.block_id x
  %a = smx_gpu.load %x[%i, %c0] valid(%c1, %c1000) dims [-1, 1] {aligned = 2 : i64} : memref<?x2001xbf16> -> tensor<1x1024xbf16, #row>
  %b = smx_gpu.load %x[%i, %c1000] valid(%c1, %c1000) dims [-1, 1] {aligned = 2 : i64} : memref<?x2001xbf16> -> tensor<1x1024xbf16, #row>
  %s = arith.addf %a, %b : tensor<1x1024xbf16, #row>
  smx_gpu.store %s, %y[%i, %c0] valid(%c1, %c1000) dims [-1, 1] {aligned = 2 : i64} : tensor<1x1024xbf16, #row>, memref<?x2001xbf16>
  smx_gpu.return
}

// -----

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 8>
#full = affine_map<()[s0] -> (-s0 + 1535, 512)>
#rest = affine_map<()[s0] -> (-s0 + 1301, 512)>

// The end of a row that is slid would be in a fourth tile; or is in one that no block has.
smx_gpu.kernel @no_room(%x: memref<?x1535xbf16>, %y: memref<?x1535xbf16>) warps(2) {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c512 = arith.constant 512 : index
  %block = gpu.block_id x
  %i = arith.divui %block, %c3 : index
  %tile = arith.remui %block, %c3 : index
  %first = arith.muli %tile, %c512 : index
  %valid = affine.min #full()[%first]
  %a = smx_gpu.load %x[%i, %first] valid(%c1, %valid) dims [-1, 1] {aligned = 2 : i64} : memref<?x1535xbf16> -> tensor<1x512xbf16, #row>
  smx_gpu.store %a, %y[%i, %first] valid(%c1, %valid) dims [-1, 1] {aligned = 2 : i64} : tensor<1x512xbf16, #row>, memref<?x1535xbf16>
  smx_gpu.return
}
smx_gpu.kernel @too_few(%x: memref<?x1301xbf16>, %y: memref<?x1301xbf16>) warps(2) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c512 = arith.constant 512 : index
  %block = gpu.block_id x
  %i = arith.divui %block, %c2 : index
  %tile = arith.remui %block, %c2 : index
  %first = arith.muli %tile, %c512 : index
  %valid = affine.min #rest()[%first]
  %a = smx_gpu.load %x[%i, %first] valid(%c1, %valid) dims [-1, 1] {aligned = 2 : i64} : memref<?x1301xbf16> -> tensor<1x512xbf16, #row>
  smx_gpu.store %a, %y[%i, %first] valid(%c1, %valid) dims [-1, 1] {aligned = 2 : i64} : tensor<1x512xbf16, #row>, memref<?x1301xbf16>
  smx_gpu.return
}
