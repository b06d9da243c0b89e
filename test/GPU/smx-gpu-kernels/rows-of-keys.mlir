// RUN: softmax-opt %s --smx-to-gpu='chip=sm_90 alignment=16' | FileCheck %s

// A row of top-k has at least 2k threads: of a row of 4 KiB, which 32 threads hold, 128 for k = 64.
// CHECK-LABEL: smx_gpu.kernel @few_kernel
// CHECK-SAME: warps(2) shared_limit(232448) min_blocks(16)
func.func @few(%x: tensor<8x4096xbf16>) -> (tensor<8x16xbf16>, tensor<8x16xi64>) {
  %p, %i = smx.topk_softmax %x axis(1) k(16) : tensor<8x4096xbf16> -> tensor<8x16xbf16>, tensor<8x16xi64>
  return %p, %i : tensor<8x16xbf16>, tensor<8x16xi64>
}

// CHECK-LABEL: smx_gpu.kernel @many_kernel
// CHECK-SAME: warps(2) shared_limit(232448) min_blocks(16)
// CHECK: smx_gpu.largest {{.*}} ranks(32)
func.func @many(%x: tensor<8x4096xbf16>) -> (tensor<8x32xbf16>, tensor<8x32xi64>) {
  %p, %i = smx.topk_softmax %x axis(1) k(32) : tensor<8x4096xbf16> -> tensor<8x32xbf16>, tensor<8x32xi64>
  return %p, %i : tensor<8x32xbf16>, tensor<8x32xi64>
}

// So a shorter row, not spread over a block.
// CHECK-LABEL: smx_gpu.kernel @short_kernel
// CHECK-SAME: warps(4)
func.func @short(%x: tensor<8x2048xbf16>) -> (tensor<8x64xbf16>, tensor<8x64xi64>) {
  %p, %i = smx.topk_softmax %x axis(1) k(64) : tensor<8x2048xbf16> -> tensor<8x64xbf16>, tensor<8x64xi64>
  return %p, %i : tensor<8x64xbf16>, tensor<8x64xi64>
}

// Lanes of a warp find the largest of a short row, a lane alone those of up to 32 elements of 16 bits; 128 threads a block.
// CHECK-LABEL: smx_gpu.kernel @alone_kernel
// CHECK: smx_gpu.load {{.*}} -> tensor<128x8xbf16, #smx_gpu.striped<rows = 128, columns = 1, vector = 8>>
func.func @alone(%x: tensor<4096x8xbf16>) -> (tensor<4096x2xbf16>, tensor<4096x2xi64>) {
  %p, %i = smx.topk_softmax %x axis(1) k(2) : tensor<4096x8xbf16> -> tensor<4096x2xbf16>, tensor<4096x2xi64>
  return %p, %i : tensor<4096x2xbf16>, tensor<4096x2xi64>
}

// CHECK-LABEL: smx_gpu.kernel @experts_kernel
// CHECK: smx_gpu.load {{.*}} -> tensor<16x256xbf16, #smx_gpu.striped<rows = 16, columns = 8, vector = 8>>
func.func @experts(%x: tensor<4096x256xbf16>) -> (tensor<4096x8xbf16>, tensor<4096x8xi64>) {
  %p, %i = smx.topk_softmax %x axis(1) k(8) : tensor<4096x256xbf16> -> tensor<4096x8xbf16>, tensor<4096x8xi64>
  return %p, %i : tensor<4096x8xbf16>, tensor<4096x8xi64>
}

// Of f32, a few of rows of up to 256 by cut keys, and others, whose keys are 64 bits, of up to 128; longer ones have a warp, through
// shared memory.
// CHECK-LABEL: smx_gpu.kernel @short_f32_kernel
// CHECK: smx_gpu.load {{.*}} -> tensor<8x256xf32, #smx_gpu.striped<rows = 8, columns = 8, vector = 4>>
func.func @short_f32(%x: tensor<4096x256xf32>) -> (tensor<4096x8xf32>, tensor<4096x8xi64>) {
  %p, %i = smx.topk_softmax %x axis(1) k(8) : tensor<4096x256xf32> -> tensor<4096x8xf32>, tensor<4096x8xi64>
  return %p, %i : tensor<4096x8xf32>, tensor<4096x8xi64>
}

// CHECK-LABEL: smx_gpu.kernel @nine_f32_kernel
// CHECK: smx_gpu.load {{.*}} -> tensor<16x128xf32, #smx_gpu.striped<rows = 16, columns = 8, vector = 4>>
func.func @nine_f32(%x: tensor<4096x128xf32>) -> (tensor<4096x9xf32>, tensor<4096x9xi64>) {
  %p, %i = smx.topk_softmax %x axis(1) k(9) : tensor<4096x128xf32> -> tensor<4096x9xf32>, tensor<4096x9xi64>
  return %p, %i : tensor<4096x9xf32>, tensor<4096x9xi64>
}

// CHECK-LABEL: smx_gpu.kernel @longer_f32_kernel
// CHECK: smx_gpu.load {{.*}} -> tensor<{{[0-9]+}}x256xf32, #smx_gpu.striped<rows = {{[0-9]+}}, columns = 32, vector = 4>>
func.func @longer_f32(%x: tensor<4096x256xf32>) -> (tensor<4096x2xf32>, tensor<4096x2xi64>) {
  %p, %i = smx.topk_softmax %x axis(1) k(2) : tensor<4096x256xf32> -> tensor<4096x2xf32>, tensor<4096x2xi64>
  return %p, %i : tensor<4096x2xf32>, tensor<4096x2xi64>
}

// Parts of rows that several blocks had are no short rows: lanes share their lists.
// CHECK-LABEL: smx_gpu.kernel @parts_kernel_1
// CHECK: smx_gpu.load {{.*}} -> tensor<8x16xf64, #smx_gpu.striped<rows = 8, columns = 4, vector = 4>>
func.func @parts(%x: tensor<8x128256xbf16>) -> (tensor<8x5xbf16>, tensor<8x5xi64>) {
  %p, %i = smx.topk_softmax %x axis(1) k(5) : tensor<8x128256xbf16> -> tensor<8x5xbf16>, tensor<8x5xi64>
  return %p, %i : tensor<8x5xbf16>, tensor<8x5xi64>
}
