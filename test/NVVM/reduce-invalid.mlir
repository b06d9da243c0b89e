// RUN: softmax-opt %s --smx-gpu-to-nvvm --verify-diagnostics --split-input-file

#layout = #smx_gpu.striped<rows = 32, columns = 3, vector = 1>
smx_gpu.kernel @three_columns(%x: memref<?x?xf32>) warps(3) {
  %c0 = arith.constant 0 : index
  %t = smx_gpu.load %x[%c0, %c0] dims [0, 1] : memref<?x?xf32> -> tensor<32x3xf32, #layout>
  // expected-error @below {{can not combine 3 threads that are 1 apart: expected powers of two or whole warps}}
  // expected-error @below {{failed to legalize operation 'smx_gpu.reduce'}}
  %r = smx_gpu.reduce <add> %t dim 1 : tensor<32x3xf32, #layout> -> tensor<32xf32, #smx_gpu.slice<1, #layout>>
  smx_gpu.return
}
