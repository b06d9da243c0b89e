// Names of kernels are ones that PTX allows, and their own.
// RUN: softmax-compile %s --emit=gpu | FileCheck %s
// RUN: softmax-compile %s --emit=ptx --chip=sm_80 | FileCheck %s --check-prefix=PTX

// CHECK: smx_gpu.kernel @f_kernel_0(
// CHECK: func.func @f(
// CHECK: smx_gpu.launch @f_kernel_0
func.func @f(%x: tensor<8x1024xf32>) -> tensor<8x1024xf32> {
  %y = smx.softmax %x axis(1) : tensor<8x1024xf32> -> tensor<8x1024xf32>
  return %y : tensor<8x1024xf32>
}
// CHECK: smx_gpu.kernel @f_kernel_kernel(
// CHECK: func.func @f_kernel(
func.func @f_kernel(%x: tensor<8x1024xf32>) -> tensor<8x1024xf32> {
  %y = smx.softmax %x axis(1) : tensor<8x1024xf32> -> tensor<8x1024xf32>
  return %y : tensor<8x1024xf32>
}
// CHECK: smx_gpu.kernel @_2_d____kernel(
// CHECK: smx_gpu.launch @_2_d____kernel
// PTX: .entry _2_d____kernel
func.func @"2-d \C3\A9"(%x: tensor<8x1024xf32>) -> tensor<8x1024xf32> {
  %y = smx.softmax %x axis(1) : tensor<8x1024xf32> -> tensor<8x1024xf32>
  return %y : tensor<8x1024xf32>
}
