// RUN: softmax-opt %s --smx-to-gpu='chip=sm_90 alignment=16' | FileCheck %s

// A row of top-k has at least 4k threads: of a row of 8 KiB, which 64 threads hold, 128 for k = 32.
// CHECK-LABEL: smx_gpu.kernel @few_kernel
// CHECK-SAME: warps(2) shared_limit(232448) min_blocks(16)
func.func @few(%x: tensor<8x4096xbf16>) -> (tensor<8x16xbf16>, tensor<8x16xi64>) {
  %p, %i = smx.topk_softmax %x axis(1) k(16) : tensor<8x4096xbf16> -> tensor<8x16xbf16>, tensor<8x16xi64>
  return %p, %i : tensor<8x16xbf16>, tensor<8x16xi64>
}

// CHECK-LABEL: smx_gpu.kernel @many_kernel
// CHECK-SAME: warps(4) shared_limit(232448) min_blocks(8)
// CHECK: smx_gpu.largest {{.*}} ranks(32)
func.func @many(%x: tensor<8x4096xbf16>) -> (tensor<8x32xbf16>, tensor<8x32xi64>) {
  %p, %i = smx.topk_softmax %x axis(1) k(32) : tensor<8x4096xbf16> -> tensor<8x32xbf16>, tensor<8x32xi64>
  return %p, %i : tensor<8x32xbf16>, tensor<8x32xi64>
}

// A shorter row, not spread over a block, as well.
// CHECK-LABEL: smx_gpu.kernel @short_kernel
// CHECK-SAME: warps(8)
func.func @short(%x: tensor<8x2048xbf16>) -> (tensor<8x64xbf16>, tensor<8x64xi64>) {
  %p, %i = smx.topk_softmax %x axis(1) k(64) : tensor<8x2048xbf16> -> tensor<8x64xbf16>, tensor<8x64xi64>
  return %p, %i : tensor<8x64xbf16>, tensor<8x64xi64>
}
