// RUN: softmax-opt %s --smx-to-gpu | FileCheck %s

// A row to a block of threads: statistics in one pass over the row, the result in a second one.

// CHECK-LABEL: smx_gpu.kernel @rows_kernel
// CHECK-SAME: memref<?x?xf32, strided<[?, 1], offset: ?>>
// CHECK: %[[I:.+]] = gpu.block_id x
// CHECK: scf.for
// CHECK: %[[T:.+]] = smx_gpu.load %{{.+}}[%[[I]], %{{.+}}] dims [-1, 1]
// Each warp has a state of its own, until the end of the loop.
// CHECK: %[[P:.+]] = smx_gpu.parts %[[T]]
// CHECK: smx_gpu.reduce <maxnum> %[[P]] dim 1
// CHECK: math.exp
// CHECK: smx_gpu.reduce <add>
// CHECK: smx_gpu.collect
// The tail: what is beyond the row does not count.
// CHECK: scf.for
// CHECK: smx_gpu.load {{.+}} valid(%{{.+}}, %[[LEFT:.+]]) dims [-1, 1]
// CHECK: tensor.splat %[[LEFT]]
// CHECK: arith.select
// CHECK: scf.for
// CHECK: smx_gpu.store
// CHECK: scf.for
// CHECK: smx_gpu.store {{.+}} valid(
// CHECK-LABEL: func.func @rows
// CHECK-SAME: (%[[X:.+]]: memref<?x?xf32, {{.+}}>, %[[Y:.+]]: memref<?x?xf32, {{.+}}>)
// CHECK: %[[M:.+]] = memref.dim %[[X]], %c0
// CHECK: smx_gpu.launch @rows_kernel grid(%[[M]], %c1, %c1)
func.func @rows(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = smx.softmax %x axis(1) : tensor<?x?xf32> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// Where rows are the fastest dimension of memory, lanes run along them, and rows are reduced along dimension 0.
// CHECK-LABEL: smx_gpu.kernel @columns_kernel
// CHECK: smx_gpu.load {{.+}} dims [0, 1]
// CHECK: smx_gpu.reduce <maxnum> {{.+}} dim 0
func.func @columns(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %y = smx.softmax %x axis(0) : tensor<64x128xf32> -> tensor<64x128xf32>
  return %y : tensor<64x128xf32>
}

// One tile is one block all the same.
// CHECK-LABEL: smx_gpu.kernel @one_tile_kernel
// CHECK-LABEL: func.func @one_tile
// CHECK: smx_gpu.launch @one_tile_kernel grid(%c1, %c1, %c1)
func.func @one_tile(%x: tensor<32xf32>) -> tensor<32xf32> {
  %y = smx.softmax %x axis(0) : tensor<32xf32> -> tensor<32xf32>
  return %y : tensor<32xf32>
}

// Layer norm gets the same kernels by its own algebra.
// CHECK-LABEL: smx_gpu.kernel @norm_kernel
// CHECK: smx_gpu.reduce <add>
// CHECK: smx_gpu.store
func.func @norm(%x: tensor<8x256xf32>) -> tensor<8x256xf32> {
  %y = smx.layer_norm %x axis(1) epsilon(1.0e-5) : tensor<8x256xf32> -> tensor<8x256xf32>
  return %y : tensor<8x256xf32>
}
