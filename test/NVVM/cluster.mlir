// Every block of a cluster writes its values to all of them; each reads those of all ranks in their order.
// RUN: softmax-opt %s --smx-gpu-to-nvvm=chip=sm_90a | FileCheck %s

#row = #smx_gpu.striped<rows = 1, columns = 32, vector = 1>

// CHECK-LABEL: llvm.func @cluster
// CHECK-SAME: nvvm.cluster_dim = array<i32: 2, 1, 1>
// CHECK-SAME: smx.shared_bytes = 16 : i64
smx_gpu.kernel @cluster(%x: memref<?xf32>) warps(1) cluster(2) {
  // A block is written to once it has started.
  // CHECK: nvvm.cluster.arrive
  %c0 = arith.constant 0 : index
  %v = smx_gpu.load %x[%c0] dims [0] : memref<?xf32> -> tensor<1xf32, #smx_gpu.slice<1, #row>>
  // CHECK: nvvm.cluster.wait
  // CHECK: scf.if
  // CHECK: %[[RANK:.+]] = nvvm.read.ptx.sreg.cluster.ctarank
  // CHECK: %[[FIRST:.+]] = nvvm.mapa %{{.+}} : !llvm.ptr<3> -> !llvm.ptr<7>
  // CHECK: llvm.store %{{.+}}, %[[FIRST]]
  // CHECK: %[[SECOND:.+]] = nvvm.mapa
  // CHECK: llvm.store %{{.+}}, %[[SECOND]]
  // CHECK: nvvm.cluster.arrive
  // CHECK: nvvm.cluster.wait
  // CHECK: %[[ALL:.+]] = llvm.load %{{.+}} : !llvm.ptr<3> -> vector<2xf32>
  // CHECK: %[[A:.+]] = llvm.extractelement %[[ALL]]
  // CHECK: %[[B:.+]] = llvm.extractelement %[[ALL]]
  // CHECK: llvm.intr.maxnum(%[[A]], %[[B]])
  // CHECK-NOT: nvvm.cluster
  // CHECK: llvm.return
  %m = smx_gpu.cluster_reduce <maxnum> %v : tensor<1xf32, #smx_gpu.slice<1, #row>>
  smx_gpu.store %m, %x[%c0] dims [0] : tensor<1xf32, #smx_gpu.slice<1, #row>>, memref<?xf32>
  smx_gpu.return
}

// Reductions one after the other meet once each, and have scratch of their own.
// CHECK-LABEL: llvm.func @twice
// CHECK-SAME: smx.shared_bytes = 32 : i64
smx_gpu.kernel @twice(%x: memref<?xf32>) warps(1) cluster(2) {
  %c0 = arith.constant 0 : index
  %v = smx_gpu.load %x[%c0] dims [0] : memref<?xf32> -> tensor<1xf32, #smx_gpu.slice<1, #row>>
  // CHECK: nvvm.cluster.arrive
  // CHECK: nvvm.cluster.wait
  // CHECK: nvvm.cluster.arrive
  // CHECK-NEXT: nvvm.cluster.wait
  // CHECK-NOT: nvvm.cluster.wait
  // CHECK: nvvm.cluster.arrive
  // CHECK-NEXT: nvvm.cluster.wait
  // CHECK-NOT: nvvm.cluster
  // CHECK: llvm.return
  %m = smx_gpu.cluster_reduce <maxnum> %v : tensor<1xf32, #smx_gpu.slice<1, #row>>
  %s = smx_gpu.cluster_reduce <add> %m : tensor<1xf32, #smx_gpu.slice<1, #row>>
  smx_gpu.store %s, %x[%c0] dims [0] : tensor<1xf32, #smx_gpu.slice<1, #row>>, memref<?xf32>
  smx_gpu.return
}

// In a loop, the scratch of a round is read before the next one writes it.
// CHECK-LABEL: llvm.func @rounds
smx_gpu.kernel @rounds(%x: memref<?xf32>, %n: index) warps(1) cluster(2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = smx_gpu.load %x[%c0] dims [0] : memref<?xf32> -> tensor<1xf32, #smx_gpu.slice<1, #row>>
  // CHECK: scf.for
  // CHECK: nvvm.cluster.arrive
  // CHECK-NEXT: nvvm.cluster.wait
  // CHECK: llvm.store
  // CHECK: nvvm.cluster.arrive
  // CHECK-NEXT: nvvm.cluster.wait
  // CHECK: llvm.fadd
  // CHECK: scf.yield
  // CHECK-NOT: nvvm.cluster
  // CHECK: llvm.return
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%a = %v) -> (tensor<1xf32, #smx_gpu.slice<1, #row>>) {
    %b = smx_gpu.cluster_reduce <add> %a : tensor<1xf32, #smx_gpu.slice<1, #row>>
    scf.yield %b : tensor<1xf32, #smx_gpu.slice<1, #row>>
  }
  smx_gpu.store %s, %x[%c0] dims [0] : tensor<1xf32, #smx_gpu.slice<1, #row>>, memref<?xf32>
  smx_gpu.return
}
