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
// CHECK: smx_gpu.load {{.*}} -> tensor<2x1024xbf16, #smx_gpu.striped<rows = 2, columns = 64, vector = 8>>
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

// -----

// Single elements: as many lanes as a sector has of them, and fewer of less.
// ODD-LABEL: smx_gpu.kernel @sector_kernel
// ODD: smx_gpu.load {{.*}} -> tensor<16x80xbf16, #smx_gpu.striped<rows = 8, columns = 16, vector = 1>>
func.func @sector(%x: tensor<4096x65xbf16>) -> tensor<4096x65xbf16> {
  %o = smx.rms_norm %x axis(1) epsilon(1.0e-5) : tensor<4096x65xbf16> -> tensor<4096x65xbf16>
  return %o : tensor<4096x65xbf16>
}

// -----

// ODD-LABEL: smx_gpu.kernel @part_of_sector_kernel
// ODD: smx_gpu.load {{.*}} -> tensor<32x40xbf16, #smx_gpu.striped<rows = 16, columns = 8, vector = 1>>
func.func @part_of_sector(%x: tensor<4096x33xbf16>) -> tensor<4096x33xbf16> {
  %o = smx.softmax %x axis(1) : tensor<4096x33xbf16> -> tensor<4096x33xbf16>
  return %o : tensor<4096x33xbf16>
}

// -----

// A warp holds what is longer, but where nothing is reduced.
// ODD-LABEL: smx_gpu.kernel @warp_kernel
// ODD: smx_gpu.load {{.*}}#smx_gpu.striped<rows = {{[0-9]+}}, columns = 32, vector = 1>>
func.func @warp(%x: tensor<4096x145xbf16>) -> tensor<4096x145xbf16> {
  %o = smx.softmax %x axis(1) : tensor<4096x145xbf16> -> tensor<4096x145xbf16>
  return %o : tensor<4096x145xbf16>
}

// -----

// ODD-LABEL: smx_gpu.kernel @mapped_kernel
// ODD: smx_gpu.load {{.*}}#smx_gpu.striped<rows = {{[0-9]+}}, columns = 16, vector = 1>>
func.func @mapped(%x: tensor<4096x145xbf16>, %t: tensor<4096xi64>, %l: tensor<4096xf32>, %g: tensor<4096xf32>) -> tensor<4096x145xbf16> {
  %o = smx.cross_entropy_backward %x, %t, %l, %g axis(1) : tensor<4096x145xbf16>, tensor<4096xi64>, tensor<4096xf32>, tensor<4096xf32> -> tensor<4096x145xbf16>
  return %o : tensor<4096x145xbf16>
}

// -----

// Of f32, where a row starts at any element.
// CHECK-LABEL: smx_gpu.kernel @words_kernel
// CHECK: smx_gpu.load {{.*}}#smx_gpu.striped<rows = {{[0-9]+}}, columns = 32, vector = 4>>
// ODD-LABEL: smx_gpu.kernel @words_kernel
// ODD: smx_gpu.load {{.*}}#smx_gpu.striped<rows = {{[0-9]+}}, columns = 16, vector = 1>>
func.func @words(%x: tensor<4096x129xf32>) -> tensor<4096x129xf32> {
  %o = smx.softmax %x axis(1) : tensor<4096x129xf32> -> tensor<4096x129xf32>
  return %o : tensor<4096x129xf32>
}

// -----

// Two accesses to a lane, where lanes of one would be idle.
// CHECK-LABEL: smx_gpu.kernel @idle_lanes_kernel
// CHECK: smx_gpu.load {{.*}} -> tensor<8x256xbf16, #smx_gpu.striped<rows = 8, columns = 16, vector = 8>>
func.func @idle_lanes(%x: tensor<4096x192xbf16>) -> tensor<4096x192xbf16> {
  %o = smx.rms_norm %x axis(1) epsilon(1.0e-5) : tensor<4096x192xbf16> -> tensor<4096x192xbf16>
  return %o : tensor<4096x192xbf16>
}
