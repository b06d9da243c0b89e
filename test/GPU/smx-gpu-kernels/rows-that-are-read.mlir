// RUN: softmax-opt %s --smx-to-gpu='chip=sm_90 alignment=16' | FileCheck %s
// RUN: softmax-opt %s --smx-to-gpu='chip=sm_90 alignment=2' | FileCheck %s --check-prefix=LOOP
// RUN: softmax-opt %s --smx-to-gpu='chip=sm_80 alignment=16' | FileCheck %s --check-prefix=ALONE

// Long rows of 16-bit elements that are only read: the smallest cluster of which a multiprocessor holds 115 KiB has all of a row in registers,
// up to 8 accesses of each thread in blocks of up to 384.

// CHECK-LABEL: smx_gpu.kernel @eight_blocks_kernel
// CHECK-SAME: warps(8) cluster(8) shared_limit(232448) min_blocks(4)
// CHECK-NOT: scf.for
// CHECK: smx_gpu.load {{.*}} -> tensor<1x16384xbf16, #smx_gpu.striped<rows = 1, columns = 256, vector = 8>>
// CHECK-NOT: smx_gpu.load
// CHECK: smx_gpu.return
// Rows that start anywhere have cut accesses, and stream.
// LOOP-LABEL: smx_gpu.kernel @eight_blocks_kernel
// LOOP-NOT: cluster(
// LOOP: smx_gpu.return
// Without clusters a block has four tiles.
// ALONE-LABEL: smx_gpu.kernel @eight_blocks_kernel
// ALONE-NOT: cluster(
// ALONE-COUNT-4: smx_gpu.load {{.*}} -> tensor<1x32768xbf16,
// ALONE: smx_gpu.return
func.func @eight_blocks(%x: tensor<2048x131072xbf16>) -> tensor<2048xbf16> {
  %y = smx.logsumexp %x axis(1) : tensor<2048x131072xbf16> -> tensor<2048xbf16>
  return %y : tensor<2048xbf16>
}

// CHECK-LABEL: smx_gpu.kernel @four_blocks_kernel
// CHECK-SAME: warps(8) cluster(4) shared_limit(232448) min_blocks(5)
// CHECK-NOT: scf.for
// CHECK: smx_gpu.return
func.func @four_blocks(%x: tensor<4096x65536xf16>) -> tensor<4096xf32> {
  %y = smx.logsumexp %x axis(1) : tensor<4096x65536xf16> -> tensor<4096xf32>
  return %y : tensor<4096xf32>
}

// Rows of 64 to 128 KiB are there whole, cross entropy's too; they may end anywhere.
// CHECK-LABEL: smx_gpu.kernel @five_warps_kernel
// CHECK-SAME: warps(10) cluster(2) shared_limit(232448) min_blocks(3)
// Their masks do not keep warps from having states of their own.
// CHECK: smx_gpu.collect
// CHECK-NOT: smx_gpu.cluster_reduce
// CHECK: smx_gpu.return
func.func @five_warps(%x: tensor<64x40000xbf16>, %t: tensor<64xi64>) -> tensor<64xf32> {
  %y = smx.cross_entropy %x, %t axis(1) : tensor<64x40000xbf16>, tensor<64xi64> -> tensor<64xf32>
  return %y : tensor<64xf32>
}

// CHECK-LABEL: smx_gpu.kernel @six_warps_kernel
// CHECK-SAME: warps(12) cluster(4) shared_limit(232448) min_blocks(3)
// CHECK-NOT: scf.for
// CHECK: smx_gpu.return
func.func @six_warps(%x: tensor<2730x98304xbf16>) -> tensor<2730xbf16> {
  %y = smx.logsumexp %x axis(1) : tensor<2730x98304xbf16> -> tensor<2730xbf16>
  return %y : tensor<2730xbf16>
}

// So are those that are widened for a result in f32, of which five blocks have registers if the row fills its threads.
// CHECK-LABEL: smx_gpu.kernel @widened_kernel
// CHECK-SAME: warps(8) cluster(8) shared_limit(232448) min_blocks(5)
// CHECK-NOT: scf.for
// CHECK: smx_gpu.load {{.*}} -> tensor<1x16384xbf16, #smx_gpu.striped<rows = 1, columns = 256, vector = 8>>
// CHECK: smx_gpu.return
func.func @widened(%x: tensor<2048x131072xbf16>) -> tensor<2048xf32> {
  %y = smx.logsumexp %x axis(1) : tensor<2048x131072xbf16> -> tensor<2048xf32>
  return %y : tensor<2048xf32>
}

// Where it ends within an access of some threads, masks take those of one block.
// CHECK-LABEL: smx_gpu.kernel @widened_part_kernel
// CHECK-SAME: warps(8) cluster(8) shared_limit(232448) min_blocks(4)
// CHECK: smx_gpu.load {{.*}} -> tensor<1x16384xbf16,
// CHECK: smx_gpu.return
func.func @widened_part(%x: tensor<2048x128256xbf16>) -> tensor<2048xf32> {
  %y = smx.logsumexp %x axis(1) : tensor<2048x128256xbf16> -> tensor<2048xf32>
  return %y : tensor<2048xf32>
}
