// RUN: softmax-compile %s --emit=gpu --chip=sm_90a --alignment=16 | softmax-opt --smx-verify-stage=stage=gpu | FileCheck %s --check-prefix=GPU
// RUN: softmax-compile %s --emit=nvvm --chip=sm_90a --alignment=16 | softmax-opt --smx-verify-stage=stage=nvvm | FileCheck %s --check-prefix=NVVM

// GPU: smx_gpu.kernel @rows_kernel
// GPU: smx_gpu.launch @rows_kernel
// NVVM: gpu.module
// NVVM: llvm.func @rows_kernel
func.func @rows(%x: tensor<64x1024xbf16>) -> tensor<64x1024xbf16> {
  %y = smx.softmax %x axis(1) : tensor<64x1024xbf16> -> tensor<64x1024xbf16>
  return %y : tensor<64x1024xbf16>
}
