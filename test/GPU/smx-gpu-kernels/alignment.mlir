// RUN: softmax-opt %s --smx-to-gpu=alignment=16 | FileCheck %s

// The caller's rows are at multiples of 16 bytes, and so are those of a dense row of 8 floats.
// CHECK-LABEL: smx_gpu.kernel @heads_kernel
// CHECK: smx_gpu.load {{.+}} {aligned = 16 : i64}
// CHECK: smx_gpu.put {{.+}} copy(async) {aligned = 16 : i64}
func.func @heads(%q: tensor<25x32xf32>, %k: tensor<25x32xf32>, %v: tensor<25x32xf32>) -> tensor<4x25x8xf32> {
  %e = tensor.empty() : tensor<4x25x8xf32>
  %q4 = tensor.expand_shape %q [[0], [1, 2]] output_shape [25, 4, 8] : tensor<25x32xf32> into tensor<25x4x8xf32>
  %k4 = tensor.expand_shape %k [[0], [1, 2]] output_shape [25, 4, 8] : tensor<25x32xf32> into tensor<25x4x8xf32>
  %v4 = tensor.expand_shape %v [[0], [1, 2]] output_shape [25, 4, 8] : tensor<25x32xf32> into tensor<25x4x8xf32>
  %qh = linalg.transpose ins(%q4 : tensor<25x4x8xf32>) outs(%e : tensor<4x25x8xf32>) permutation = [1, 0, 2]
  %kh = linalg.transpose ins(%k4 : tensor<25x4x8xf32>) outs(%e : tensor<4x25x8xf32>) permutation = [1, 0, 2]
  %vh = linalg.transpose ins(%v4 : tensor<25x4x8xf32>) outs(%e : tensor<4x25x8xf32>) permutation = [1, 0, 2]
  %o = smx.attention %qh, %kh, %vh scale(0.25) : tensor<4x25x8xf32>, tensor<4x25x8xf32>, tensor<4x25x8xf32> -> tensor<4x25x8xf32>
  return %o : tensor<4x25x8xf32>
}

// Heads of 6 floats within a row are not.
// CHECK-LABEL: smx_gpu.kernel @odd_heads_kernel
// CHECK-NOT: aligned = 16
// CHECK: smx_gpu.put {{.+}} copy(plain)
// CHECK-LABEL: func.func @odd_heads
func.func @odd_heads(%q: tensor<25x24xf32>, %k: tensor<25x24xf32>, %v: tensor<25x24xf32>) -> tensor<4x25x6xf32> {
  %e = tensor.empty() : tensor<4x25x6xf32>
  %q4 = tensor.expand_shape %q [[0], [1, 2]] output_shape [25, 4, 6] : tensor<25x24xf32> into tensor<25x4x6xf32>
  %k4 = tensor.expand_shape %k [[0], [1, 2]] output_shape [25, 4, 6] : tensor<25x24xf32> into tensor<25x4x6xf32>
  %v4 = tensor.expand_shape %v [[0], [1, 2]] output_shape [25, 4, 6] : tensor<25x24xf32> into tensor<25x4x6xf32>
  %qh = linalg.transpose ins(%q4 : tensor<25x4x6xf32>) outs(%e : tensor<4x25x6xf32>) permutation = [1, 0, 2]
  %kh = linalg.transpose ins(%k4 : tensor<25x4x6xf32>) outs(%e : tensor<4x25x6xf32>) permutation = [1, 0, 2]
  %vh = linalg.transpose ins(%v4 : tensor<25x4x6xf32>) outs(%e : tensor<4x25x6xf32>) permutation = [1, 0, 2]
  %o = smx.attention %qh, %kh, %vh scale(0.25) : tensor<4x25x6xf32>, tensor<4x25x6xf32>, tensor<4x25x6xf32> -> tensor<4x25x6xf32>
  return %o : tensor<4x25x6xf32>
}

// Rows of scratch memory are as it is allocated, however the caller's rows lie: 30 floats, multiples of 8 bytes.
// CHECK-LABEL: smx_gpu.kernel @scratch_kernel
// CHECK: smx_gpu.load {{.+}} {aligned = 16 : i64}
// CHECK: smx_gpu.store {{.+}} {aligned = 8 : i64}
// CHECK-LABEL: smx_gpu.kernel @scratch_kernel_1
// CHECK: smx_gpu.load {{.+}} {aligned = 8 : i64}
func.func @scratch(%x: tensor<32x30xf32>) -> tensor<32xf32> {
  %s = smx.softmax %x axis(1) : tensor<32x30xf32> -> tensor<32x30xf32>
  %y = smx.logsumexp %s axis(1) : tensor<32x30xf32> -> tensor<32xf32>
  return %y : tensor<32xf32>
}

// Columns of a tensor are copied into rows without gaps: 30 floats, multiples of 8 bytes.
// CHECK-LABEL: smx_gpu.kernel @columns_kernel
// CHECK: smx_gpu.load {{.+}} {aligned = 8 : i64} : memref<64x30xf32
func.func @columns(%x: tensor<64x30x4xf32>) -> tensor<64xf32> {
  %s = tensor.extract_slice %x[0, 0, 0] [64, 30, 1] [1, 1, 1] : tensor<64x30x4xf32> to tensor<64x30xf32>
  %y = smx.logsumexp %s axis(1) : tensor<64x30xf32> -> tensor<64xf32>
  return %y : tensor<64xf32>
}

// So is what is collapsed, however far apart the rows of the argument are.
// CHECK-LABEL: smx_gpu.kernel @collapsed_kernel
// CHECK: smx_gpu.load {{.+}} {aligned = 8 : i64} : memref<64x30xf32
func.func @collapsed(%x: tensor<8x9x32xf32>) -> tensor<64xf32> {
  %s = tensor.extract_slice %x[0, 0, 0] [8, 8, 30] [1, 1, 1] : tensor<8x9x32xf32> to tensor<8x8x30xf32>
  %c = tensor.collapse_shape %s [[0, 1], [2]] : tensor<8x8x30xf32> into tensor<64x30xf32>
  %y = smx.logsumexp %c axis(1) : tensor<64x30xf32> -> tensor<64xf32>
  return %y : tensor<64xf32>
}

// Of rows that are elements with a step nothing is known, and so of nothing that they are cut into.
// CHECK-LABEL: smx_gpu.kernel @every_second_kernel
// CHECK: smx_gpu.load
// CHECK-NOT: aligned
// CHECK-SAME: memref<8x2x6xf32
func.func @every_second(%x: tensor<8x24xf32>) -> tensor<8x2xf32> {
  %s = tensor.extract_slice %x[0, 0] [8, 12] [1, 2] : tensor<8x24xf32> to tensor<8x12xf32>
  %c = tensor.expand_shape %s [[0], [1, 2]] output_shape [8, 2, 6] : tensor<8x12xf32> into tensor<8x2x6xf32>
  %y = smx.logsumexp %c axis(2) : tensor<8x2x6xf32> -> tensor<8x2xf32>
  return %y : tensor<8x2xf32>
}
