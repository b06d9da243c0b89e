// RUN: softmax-opt %s --smx-to-gpu='chip=sm_90 alignment=16' | FileCheck %s

// A row of 16 KiB: as many blocks as make 1024 threads of a multiprocessor, 4 accesses of 16 bytes a thread.
// CHECK-LABEL: smx_gpu.kernel @one_block_kernel
// CHECK-SAME: warps(8) shared_limit(232448) min_blocks(4)
// CHECK: smx_gpu.load %{{.+}} dims [-1, 1] lasting {aligned = 16 : i64}
// CHECK-SAME: -> tensor<1x8192xbf16, #smx_gpu.striped<rows = 1, columns = 256, vector = 8>>
// CHECK-NOT: smx_gpu.load
// CHECK: smx_gpu.hold
// CHECK: smx_gpu.hold
// CHECK-NOT: smx_gpu.load
// CHECK: smx_gpu.store
// CHECK: smx_gpu.launch @one_block_kernel grid(%c8, %c1, %c1)
func.func @one_block(%x: tensor<8x8192xbf16>) -> tensor<8x8192xbf16> {
  %y = smx.softmax %x axis(1) : tensor<8x8192xbf16> -> tensor<8x8192xbf16>
  return %y : tensor<8x8192xbf16>
}

// 896 KiB: eight blocks have a part of the row each, more than half of that in shared memory; they exchange their states once.
// CHECK-LABEL: smx_gpu.kernel @cluster_kernel
// CHECK-SAME: warps(8) cluster(8) shared_limit(232448) min_blocks(4)
// CHECK: %[[BLOCK:.+]] = gpu.block_id x
// CHECK: %[[ROW:.+]] = arith.divui %[[BLOCK]], %c8
// CHECK: %[[RANK:.+]] = smx_gpu.cluster_rank
// CHECK: %[[PART:.+]] = arith.muli %[[RANK]], %c28672
// CHECK: %[[T:.+]] = smx_gpu.load %{{.+}}[%[[ROW]], %[[PART]]] dims
// CHECK-SAME: -> tensor<1x6144xf32
// CHECK-COUNT-22: smx_gpu.copy
// CHECK: smx_gpu.reduce <maxnum>
// CHECK: smx_gpu.partial_reduce <add> %{{.+}} : tensor<8x768xf32{{.*}} -> tensor<8x128xf32
// CHECK: smx_gpu.collect
// CHECK-NOT: smx_gpu.collect
// CHECK: smx_gpu.store %{{.+}}[%[[ROW]], %[[PART]]]
// CHECK: smx_gpu.launch @cluster_kernel grid(%c64, %c1, %c1)
func.func @cluster(%x: tensor<8x229376xf32>) -> tensor<8x229376xf32> {
  %y = smx.softmax %x axis(1) : tensor<8x229376xf32> -> tensor<8x229376xf32>
  return %y : tensor<8x229376xf32>
}

// Parts of a row that blocks do not divide: the last one is shorter.
// CHECK-LABEL: smx_gpu.kernel @ragged_kernel
// CHECK-SAME: cluster(4)
// CHECK: %[[RANK:.+]] = smx_gpu.cluster_rank
// CHECK: %[[PART:.+]] = arith.muli %[[RANK]], %c18432
// CHECK: %[[LEFT:.+]] = arith.subi %c72000, %[[PART]]
// CHECK: %[[MOST:.+]] = arith.maxsi %[[LEFT]], %c0
// CHECK: smx_gpu.load %{{.+}} valid(%c1, %[[MOST]])
// CHECK: %[[POSITION:.+]] = smx_gpu.position 1
// CHECK: %[[START:.+]] = tensor.splat %[[PART]]
// CHECK: %[[PLACE:.+]] = arith.addi %[[POSITION]], %[[START]]
// CHECK: arith.cmpi slt, %[[PLACE]]
// CHECK: smx_gpu.store %{{.+}} valid(%c1, %[[MOST]])
func.func @ragged(%x: tensor<8x72000xbf16>) -> tensor<8x72000xbf16> {
  %y = smx.softmax %x axis(1) : tensor<8x72000xbf16> -> tensor<8x72000xbf16>
  return %y : tensor<8x72000xbf16>
}

// Statistics alone are made tile by tile: other blocks would not save anything.
// CHECK-LABEL: smx_gpu.kernel @statistics_kernel
// CHECK-NOT: cluster(
// CHECK: scf.for
// CHECK: smx_gpu.return
func.func @statistics(%x: tensor<8x262144xbf16>) -> tensor<8xbf16> {
  %y = smx.logsumexp %x axis(1) : tensor<8x262144xbf16> -> tensor<8xbf16>
  return %y : tensor<8xbf16>
}

// Rows that end within an access: a thread has half as much of them. Two blocks of 512 threads fit on a multiprocessor, whether
// they hold the row or tiles of 32 KiB of it.
// CHECK-LABEL: smx_gpu.kernel @cut_kernel
// CHECK-SAME: warps(16) cluster(4) shared_limit(232448) min_blocks(2)
func.func @cut(%x: tensor<8x50257xbf16>) -> tensor<8x50257xbf16> {
  %y = smx.softmax %x axis(1) : tensor<8x50257xbf16> -> tensor<8x50257xbf16>
  return %y : tensor<8x50257xbf16>
}

// CHECK-LABEL: smx_gpu.kernel @cut_statistics_kernel
// CHECK-SAME: warps(16) shared_limit(232448) min_blocks(2)
// CHECK: scf.for %{{.+}} = %c0 to %c49152 step %c16384
func.func @cut_statistics(%x: tensor<1024x50257xbf16>) -> tensor<1024xbf16> {
  %y = smx.logsumexp %x axis(1) : tensor<1024x50257xbf16> -> tensor<1024xbf16>
  return %y : tensor<1024xbf16>
}

// 4 MiB: more than 64 KiB in shared memory, of one block on each of 16 multiprocessors.
// CHECK-LABEL: smx_gpu.kernel @longest_kernel
// CHECK-SAME: warps(32) cluster(16) shared_limit(232448)
// CHECK-NOT: min_blocks
// CHECK: smx_gpu.return
func.func @longest(%x: tensor<8x1048576xf32>) -> tensor<8x1048576xf32> {
  %y = smx.softmax %x axis(1) : tensor<8x1048576xf32> -> tensor<8x1048576xf32>
  return %y : tensor<8x1048576xf32>
}

// More than 16 blocks hold: tile by tile.
// CHECK-LABEL: smx_gpu.kernel @twice_kernel
// CHECK-NOT: cluster(
// CHECK: scf.for
// CHECK: scf.for
// CHECK: smx_gpu.return
func.func @twice(%x: tensor<8x2097152xf32>) -> tensor<8x2097152xf32> {
  %y = smx.softmax %x axis(1) : tensor<8x2097152xf32> -> tensor<8x2097152xf32>
  return %y : tensor<8x2097152xf32>
}

// The same of another algebra.
// CHECK-LABEL: smx_gpu.kernel @norm_kernel
// CHECK-SAME: cluster(2)
// CHECK-NOT: scf.for
// CHECK-COUNT-2: smx_gpu.cluster_reduce <add>
// CHECK-NOT: smx_gpu.load
// CHECK: smx_gpu.return
func.func @norm(%x: tensor<8x40000xf32>) -> tensor<8x40000xf32> {
  %y = smx.layer_norm %x axis(1) epsilon(1.0e-05) : tensor<8x40000xf32> -> tensor<8x40000xf32>
  return %y : tensor<8x40000xf32>
}

// A row that is only read streams by tiles, 32 elements of a thread; other blocks compute while one waits.
// CHECK-LABEL: smx_gpu.kernel @read_once_kernel
// CHECK-SAME: warps(8) shared_limit(232448) min_blocks(4)
// CHECK: scf.for
// CHECK: smx_gpu.load {{.*}} -> tensor<1x8192xbf16, #smx_gpu.striped<rows = 1, columns = 256, vector = 8>>
// CHECK: smx_gpu.return
func.func @read_once(%x: tensor<8x262144xbf16>) -> tensor<8xbf16> {
  %y = smx.logsumexp %x axis(1) : tensor<8x262144xbf16> -> tensor<8xbf16>
  return %y : tensor<8xbf16>
}

// Narrow elements that are written: 256 threads, where each has whole accesses.
// CHECK-LABEL: smx_gpu.kernel @written_kernel
// CHECK-SAME: warps(8)
func.func @written(%x: tensor<64x4096xbf16>) -> tensor<64x4096xbf16> {
  %y = smx.softmax %x axis(1) : tensor<64x4096xbf16> -> tensor<64x4096xbf16>
  return %y : tensor<64x4096xbf16>
}

// CHECK-LABEL: smx_gpu.kernel @half_accesses_kernel
// CHECK-SAME: warps(2)
func.func @half_accesses(%x: tensor<64x3072xbf16>) -> tensor<64x3072xbf16> {
  %y = smx.softmax %x axis(1) : tensor<64x3072xbf16> -> tensor<64x3072xbf16>
  return %y : tensor<64x3072xbf16>
}

// What is only read has 8 whole accesses in each thread.
// CHECK-LABEL: smx_gpu.kernel @only_read_kernel
// CHECK-SAME: warps(2) shared_limit(232448) min_blocks(18)
func.func @only_read(%x: tensor<64x4096xbf16>) -> tensor<64xbf16> {
  %y = smx.logsumexp %x axis(1) : tensor<64x4096xbf16> -> tensor<64xbf16>
  return %y : tensor<64xbf16>
}

// The only row is scheduled as one of many is, though its tile is all of the tensor.
// CHECK-LABEL: smx_gpu.kernel @only_kernel
// CHECK-SAME: warps(16) cluster(8)
func.func @only(%x: tensor<1x128256xf32>) -> tensor<1x128256xf32> {
  %y = smx.softmax %x axis(1) : tensor<1x128256xf32> -> tensor<1x128256xf32>
  return %y : tensor<1x128256xf32>
}

// CHECK-LABEL: smx_gpu.kernel @one_of_eight_kernel
// CHECK-SAME: warps(16) cluster(8)
func.func @one_of_eight(%x: tensor<8x128256xf32>) -> tensor<8x128256xf32> {
  %y = smx.softmax %x axis(1) : tensor<8x128256xf32> -> tensor<8x128256xf32>
  return %y : tensor<8x128256xf32>
}

// The longest rows that a cluster holds are longer than a block could have in registers.
// CHECK-LABEL: smx_gpu.kernel @longest_of_cluster_kernel
// CHECK-SAME: cluster(16)
func.func @longest_of_cluster(%x: tensor<64x2000000xbf16>) -> tensor<64x2000000xbf16> {
  %y = smx.softmax %x axis(1) : tensor<64x2000000xbf16> -> tensor<64x2000000xbf16>
  return %y : tensor<64x2000000xbf16>
}

// Streamed rows whose results are wider have whole stores: vectors of 16 bytes
// of these, not of what is read. Only the launch that writes them does.
// CHECK-LABEL: smx_gpu.kernel @streamed_and_widened_kernel(
// CHECK: smx_gpu.load {{.*}}xbf16, #smx_gpu.striped<rows = 1, columns = 256, vector = 8>>
// CHECK-LABEL: smx_gpu.kernel @streamed_and_widened_kernel_{{[0-9]+}}(
// CHECK: scf.for
// CHECK: smx_gpu.load {{.*}}xbf16, #smx_gpu.striped<rows = 1, columns = 256, vector = 4>>
// CHECK: smx_gpu.store {{.*}}xf32, #smx_gpu.striped<rows = 1, columns = 256, vector = 4>>
func.func @streamed_and_widened(%x: tensor<64x4194304xbf16>) -> tensor<64x4194304xf32> {
  %p = smx.softmax %x axis(1) : tensor<64x4194304xbf16> -> tensor<64x4194304xf32>
  return %p : tensor<64x4194304xf32>
}
