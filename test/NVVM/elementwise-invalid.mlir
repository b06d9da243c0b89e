// RUN: softmax-opt %s --smx-gpu-to-nvvm --verify-diagnostics

#R = #smx_gpu.slice<1, #smx_gpu.fragment<warps = 1>>
smx_gpu.kernel @constants(%y: memref<?xi32>) warps(1) {
  %c0 = arith.constant 0 : index
  // expected-error @below {{expected a register tile with one value in all places}}
  // expected-error @below {{failed to legalize operation 'arith.constant'}}
  %c = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]> : tensor<16xi32, #R>
  smx_gpu.store %c, %y[%c0] dims [0] : tensor<16xi32, #R>, memref<?xi32>
  smx_gpu.return
}
