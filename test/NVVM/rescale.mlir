// A warp that has a row to rescale does so with all of its rows; the others branch around it.
// RUN: softmax-opt %s --smx-gpu-to-nvvm | FileCheck %s

#fragment = #smx_gpu.fragment<warps = 4>
#slice = #smx_gpu.slice<1, #fragment>

// CHECK-LABEL: llvm.func @rescale
smx_gpu.kernel @rescale(%x: memref<?x?xf32>, %f: memref<?xf32>) warps(4) {
  %c0 = arith.constant 0 : index
  %t = smx_gpu.load %x[%c0, %c0] dims [0, 1] : memref<?x?xf32> -> tensor<64x8xf32, #fragment>
  %v = smx_gpu.load %f[%c0] dims [0] : memref<?xf32> -> tensor<64xf32, #slice>
  // CHECK: %[[ONE:.+]] = llvm.mlir.constant(1.000000e+00 : f32)
  // CHECK: %[[UPPER:.+]] = llvm.fcmp "une" %[[F0:.+]], %[[ONE]]
  // CHECK: %[[LOWER:.+]] = llvm.fcmp "une" %[[F1:.+]], %[[ONE]]
  // CHECK: %[[EITHER:.+]] = llvm.or %[[UPPER]], %[[LOWER]]
  // CHECK: %[[ANY:.+]] = nvvm.vote.sync any %{{.+}}, %[[EITHER]]
  // CHECK: scf.if %[[ANY]] -> (vector<4xf32>)
  // CHECK: %[[A:.+]] = llvm.extractelement
  // CHECK: %[[B:.+]] = llvm.extractelement
  // CHECK-COUNT-2: llvm.fmul %{{.+}}, %[[A]]
  // CHECK-COUNT-2: llvm.fmul %{{.+}}, %[[B]]
  // CHECK: else
  // CHECK-NEXT: scf.yield
  %y = smx_gpu.rescale %t by %v : tensor<64x8xf32, #fragment>, tensor<64xf32, #slice>
  smx_gpu.store %y, %x[%c0, %c0] dims [0, 1] : tensor<64x8xf32, #fragment>, memref<?x?xf32>
  smx_gpu.return
}
