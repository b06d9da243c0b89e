// Values of the blocks of a cluster are read from their shared memory, in the order of ranks.
// RUN: softmax-opt %s --smx-gpu-to-nvvm=chip=sm_90a | FileCheck %s

#row = #smx_gpu.striped<rows = 1, columns = 32, vector = 1>

// CHECK-LABEL: llvm.func @cluster
// CHECK-SAME: nvvm.cluster_dim = array<i32: 2, 1, 1>
// CHECK-SAME: smx.shared_bytes = 16 : i64
smx_gpu.kernel @cluster(%x: memref<?xf32>) warps(1) cluster(2) {
  %c0 = arith.constant 0 : index
  %v = smx_gpu.load %x[%c0] dims [0] : memref<?xf32> -> tensor<1xf32, #smx_gpu.slice<1, #row>>
  // CHECK: nvvm.barrier0
  // CHECK: scf.if
  // CHECK: llvm.store %{{.+}}, %{{.+}} : f32, !llvm.ptr<3>
  // CHECK: nvvm.cluster.arrive
  // CHECK: nvvm.cluster.wait
  // CHECK: %[[FIRST:.+]] = nvvm.mapa %{{.+}} : !llvm.ptr<3> -> !llvm.ptr<7>
  // CHECK: %[[A:.+]] = llvm.load %[[FIRST]]
  // CHECK: %[[SECOND:.+]] = nvvm.mapa
  // CHECK: %[[B:.+]] = llvm.load %[[SECOND]]
  // CHECK: llvm.intr.maxnum(%[[A]], %[[B]])
  // CHECK: nvvm.cluster.arrive
  // CHECK: nvvm.cluster.wait
  %m = smx_gpu.cluster_reduce <maxnum> %v : tensor<1xf32, #smx_gpu.slice<1, #row>>
  smx_gpu.store %m, %x[%c0] dims [0] : tensor<1xf32, #smx_gpu.slice<1, #row>>, memref<?xf32>
  smx_gpu.return
}
