// Columns that a thread holds are combined without an exchange; a warp asks its lanes for a true element.
// RUN: softmax-opt %s --smx-gpu-to-nvvm | FileCheck %s

#L = #smx_gpu.fragment<warps = 4>
#S = #smx_gpu.slice<1, #L>

// CHECK-LABEL: llvm.func @partial
smx_gpu.kernel @partial(%x: memref<?x24xf32>, %y: memref<?x8xf32>, %z: memref<?x8xf32>) warps(4) {
  %c0 = arith.constant 0 : index
  %t = smx_gpu.load %x[%c0, %c0] dims [0, 1] : memref<?x24xf32> -> tensor<64x24xf32, #L>
  // Three columns each for two columns of two rows.
  // CHECK-NOT: nvvm.shfl
  // CHECK-COUNT-8: llvm.fadd
  // CHECK-NOT: llvm.fadd
  // CHECK-NOT: nvvm.shfl
  %s = smx_gpu.partial_reduce <add> %t : tensor<64x24xf32, #L> -> tensor<64x8xf32, #L>
  %bound = arith.constant dense<256.0> : tensor<64x8xf32, #L>
  // CHECK: arith.cmpf ugt
  %large = arith.cmpf ugt, %s, %bound : tensor<64x8xf32, #L>
  // CHECK-COUNT-3: llvm.or
  // CHECK: %[[ANY:.+]] = nvvm.vote.sync any
  %any = smx_gpu.any %large : tensor<64x8xi1, #L>
  // CHECK: scf.if %[[ANY]]
  scf.if %any {
    smx_gpu.store %s, %y[%c0, %c0] dims [0, 1] : tensor<64x8xf32, #L>, memref<?x8xf32>
  } else {
    smx_gpu.store %s, %z[%c0, %c0] dims [0, 1] : tensor<64x8xf32, #L>, memref<?x8xf32>
  }
  smx_gpu.return
}
