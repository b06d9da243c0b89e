// RUN: softmax-opt %s --smx-to-gpu='chip=sm_90 alignment=16' | FileCheck %s

// A row of 32 KiB: as many blocks as make 1024 threads of a multiprocessor, 8 accesses of 16 bytes a thread.
// CHECK-LABEL: smx_gpu.kernel @one_block_kernel
// CHECK-SAME: warps(8) shared_limit(232448) min_blocks(4)
// CHECK: smx_gpu.load %{{.+}} dims [-1, 1] {aligned = 16 : i64}
// CHECK-SAME: -> tensor<1x16384xbf16, #smx_gpu.striped<rows = 1, columns = 256, vector = 8>>
// CHECK-NOT: smx_gpu.load
// CHECK: smx_gpu.hold
// CHECK: smx_gpu.hold
// CHECK-NOT: smx_gpu.load
// CHECK: smx_gpu.store
// CHECK: smx_gpu.launch @one_block_kernel grid(%c8, %c1, %c1)
func.func @one_block(%x: tensor<8x16384xbf16>) -> tensor<8x16384xbf16> {
  %y = smx.softmax %x axis(1) : tensor<8x16384xbf16> -> tensor<8x16384xbf16>
  return %y : tensor<8x16384xbf16>
}

// 256 KiB: four blocks have a quarter of the row each; what they reduce goes through the cluster.
// CHECK-LABEL: smx_gpu.kernel @cluster_kernel
// CHECK-SAME: warps(16) cluster(4) shared_limit(232448) min_blocks(2)
// CHECK: %[[BLOCK:.+]] = gpu.block_id x
// CHECK: %[[ROW:.+]] = arith.divui %[[BLOCK]], %c4
// CHECK: %[[RANK:.+]] = smx_gpu.cluster_rank
// CHECK: %[[PART:.+]] = arith.muli %[[RANK]], %c16384
// CHECK: %[[T:.+]] = smx_gpu.load %{{.+}}[%[[ROW]], %[[PART]]] dims
// CHECK-SAME: -> tensor<1x16384xf32
// CHECK: %[[M:.+]] = smx_gpu.reduce <maxnum> %[[T]]
// CHECK-NEXT: smx_gpu.cluster_reduce <maxnum> %[[M]]
// CHECK: %[[S:.+]] = smx_gpu.reduce <add> %{{.+}} : tensor<1x16384xf64
// CHECK-NEXT: smx_gpu.cluster_reduce <add> %[[S]]
// CHECK: smx_gpu.store %{{.+}}[%[[ROW]], %[[PART]]]
// CHECK: smx_gpu.launch @cluster_kernel grid(%c32, %c1, %c1)
func.func @cluster(%x: tensor<8x65536xf32>) -> tensor<8x65536xf32> {
  %y = smx.softmax %x axis(1) : tensor<8x65536xf32> -> tensor<8x65536xf32>
  return %y : tensor<8x65536xf32>
}

// Parts of a row that blocks do not divide: the last one is shorter.
// CHECK-LABEL: smx_gpu.kernel @ragged_kernel
// CHECK-SAME: cluster(4)
// CHECK: %[[RANK:.+]] = smx_gpu.cluster_rank
// CHECK: %[[PART:.+]] = arith.muli %[[RANK]], %c18432
// CHECK: %[[LEFT:.+]] = arith.subi %c70008, %[[PART]]
// CHECK: %[[MOST:.+]] = arith.maxsi %[[LEFT]], %c0
// CHECK: smx_gpu.load %{{.+}} valid(%c1, %[[MOST]])
// CHECK: %[[POSITION:.+]] = smx_gpu.position 1
// CHECK: %[[START:.+]] = tensor.splat %[[PART]]
// CHECK: %[[PLACE:.+]] = arith.addi %[[POSITION]], %[[START]]
// CHECK: arith.cmpi slt, %[[PLACE]]
// CHECK: smx_gpu.store %{{.+}} valid(%c1, %[[MOST]])
func.func @ragged(%x: tensor<8x70008xbf16>) -> tensor<8x70008xbf16> {
  %y = smx.softmax %x axis(1) : tensor<8x70008xbf16> -> tensor<8x70008xbf16>
  return %y : tensor<8x70008xbf16>
}

// Statistics alone are made tile by tile: other blocks would not save anything.
// CHECK-LABEL: smx_gpu.kernel @statistics_kernel
// CHECK-NOT: cluster(
// CHECK: scf.for
// CHECK: smx_gpu.return
func.func @statistics(%x: tensor<8x131072xbf16>) -> tensor<8xbf16> {
  %y = smx.logsumexp %x axis(1) : tensor<8x131072xbf16> -> tensor<8xbf16>
  return %y : tensor<8xbf16>
}

// More than the registers of 16 blocks: tile by tile.
// CHECK-LABEL: smx_gpu.kernel @twice_kernel
// CHECK-NOT: cluster(
// CHECK: scf.for
// CHECK: scf.for
// CHECK: smx_gpu.return
func.func @twice(%x: tensor<8x1048576xf32>) -> tensor<8x1048576xf32> {
  %y = smx.softmax %x axis(1) : tensor<8x1048576xf32> -> tensor<8x1048576xf32>
  return %y : tensor<8x1048576xf32>
}

// The same of another algebra.
// CHECK-LABEL: smx_gpu.kernel @norm_kernel
// CHECK-SAME: cluster(4)
// CHECK-NOT: scf.for
// CHECK-COUNT-2: smx_gpu.cluster_reduce <add>
// CHECK-NOT: smx_gpu.load
// CHECK: smx_gpu.return
func.func @norm(%x: tensor<8x40000xf32>) -> tensor<8x40000xf32> {
  %y = smx.layer_norm %x axis(1) epsilon(1.0e-05) : tensor<8x40000xf32> -> tensor<8x40000xf32>
  return %y : tensor<8x40000xf32>
}
