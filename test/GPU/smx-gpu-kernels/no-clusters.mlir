// RUN: softmax-opt %s --smx-to-gpu='chip=sm_80 alignment=16' | FileCheck %s

// A chip without clusters keeps what a block can hold, and looks at a longer row twice.

// CHECK-LABEL: smx_gpu.kernel @held_kernel
// CHECK-SAME: warps(16)
// CHECK-NOT: scf.for
// CHECK-LABEL: smx_gpu.kernel @longer_kernel
// CHECK: scf.for
func.func @held(%x: tensor<8x65536xbf16>) -> tensor<8x65536xbf16> {
  %y = smx.softmax %x axis(1) : tensor<8x65536xbf16> -> tensor<8x65536xbf16>
  return %y : tensor<8x65536xbf16>
}
func.func @longer(%x: tensor<8x65537xbf16>) -> tensor<8x65537xbf16> {
  %y = smx.softmax %x axis(1) : tensor<8x65537xbf16> -> tensor<8x65537xbf16>
  return %y : tensor<8x65537xbf16>
}
