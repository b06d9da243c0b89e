// Short rows of 16 bits: how threads stand along them.
// RUN: softmax-opt %s --smx-to-gpu='alignment=16 chip=sm_90a' --split-input-file | FileCheck %s
// RUN: softmax-opt %s --smx-to-gpu='alignment=2 chip=sm_90a' --split-input-file | FileCheck %s --check-prefix=ODD

// Of rows that are only read a thread has 32 elements of one of them.
// CHECK-LABEL: smx_gpu.kernel @only_read_kernel
// CHECK-SAME: warps(2)
// CHECK: smx_gpu.load {{.*}} -> tensor<16x128xbf16, #smx_gpu.striped<rows = 16, columns = 4, vector = 8>>
// ODD-LABEL: smx_gpu.kernel @only_read_kernel
// ODD: smx_gpu.load {{.*}} -> tensor<16x128xbf16, #smx_gpu.striped<rows = 16, columns = 4, vector = 8>>
func.func @only_read(%x: tensor<4096x128xbf16>) -> tensor<4096xf32> {
  %o = smx.logsumexp %x axis(1) : tensor<4096x128xbf16> -> tensor<4096xf32>
  return %o : tensor<4096xf32>
}

// -----

// Lanes of two warps would be idle along these: one warp holds such a row, too.
// CHECK-LABEL: smx_gpu.kernel @three_quarters_kernel
// CHECK: smx_gpu.load {{.*}} -> tensor<2x768xbf16, #smx_gpu.striped<rows = 2, columns = 32, vector = 8>>
func.func @three_quarters(%x: tensor<4096x768xbf16>) -> tensor<4096x768xbf16> {
  %o = smx.rms_norm %x axis(1) epsilon(1.0e-5) : tensor<4096x768xbf16> -> tensor<4096x768xbf16>
  return %o : tensor<4096x768xbf16>
}

// -----

// Exponentials that are written take the registers.
// CHECK-LABEL: smx_gpu.kernel @exponentials_kernel
// CHECK: smx_gpu.load {{.*}} -> tensor<2x1024xbf16, #smx_gpu.striped<rows = 1, columns = 128, vector = 8>>
func.func @exponentials(%x: tensor<4096x768xbf16>) -> tensor<4096x768xbf16> {
  %o = smx.softmax %x axis(1) : tensor<4096x768xbf16> -> tensor<4096x768xbf16>
  return %o : tensor<4096x768xbf16>
}

// -----

// What may start at any number of 16 bits is written by neighbours in a warp.
// CHECK-LABEL: smx_gpu.kernel @written_kernel
// CHECK: smx_gpu.load {{.*}} -> tensor<4x512xbf16, #smx_gpu.striped<rows = 4, columns = 32, vector = 8>>
// ODD-LABEL: smx_gpu.kernel @written_kernel
// ODD: smx_gpu.load {{.*}} -> tensor<4x288xbf16, #smx_gpu.striped<rows = 4, columns = 32, vector = 1>>
func.func @written(%x: tensor<4096x257xbf16>) -> tensor<4096x257xbf16> {
  %o = smx.softmax %x axis(1) : tensor<4096x257xbf16> -> tensor<4096x257xbf16>
  return %o : tensor<4096x257xbf16>
}
