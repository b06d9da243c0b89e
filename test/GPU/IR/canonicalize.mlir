// RUN: softmax-opt %s --canonicalize | FileCheck %s

#L = #smx_gpu.fragment<warps = 4>
#M = #smx_gpu.striped<rows = 8, columns = 16, vector = 4>
#R = #smx_gpu.slice<1, #L>

// CHECK-LABEL: smx_gpu.kernel @splats
// CHECK-DAG: %[[A:.+]] = arith.constant dense<2.000000e+00> : tensor<64x64xf32, #smx_gpu.fragment<warps = 4>>
// CHECK-DAG: %[[B:.+]] = arith.constant dense<2.000000e+00> : tensor<64x64xf32, #smx_gpu.striped<rows = 8, columns = 16, vector = 4>>
// CHECK-NOT: smx_gpu.broadcast
// CHECK-NOT: smx_gpu.convert
// CHECK-DAG: smx_gpu.store %[[A]]
// CHECK-DAG: smx_gpu.store %[[B]]
smx_gpu.kernel @splats(%x: memref<?x?xf32>, %i: index) warps(4) {
  %m = arith.constant dense<2.0> : tensor<64xf32, #R>
  %a = smx_gpu.broadcast %m : tensor<64xf32, #R> -> tensor<64x64xf32, #L>
  %b = smx_gpu.convert %a : tensor<64x64xf32, #L> -> tensor<64x64xf32, #M>
  smx_gpu.store %a, %x[%i, %i] dims [0, 1] : tensor<64x64xf32, #L>, memref<?x?xf32>
  smx_gpu.store %b, %x[%i, %i] dims [0, 1] : tensor<64x64xf32, #M>, memref<?x?xf32>
  smx_gpu.return
}

// A conversion to the same layout moves nothing.
// CHECK-LABEL: smx_gpu.kernel @same_layout
// CHECK: %[[T:.+]] = smx_gpu.load
// CHECK-NEXT: smx_gpu.store %[[T]]
smx_gpu.kernel @same_layout(%x: memref<?x?xf32>, %i: index) warps(4) {
  %t = smx_gpu.load %x[%i, %i] dims [0, 1] : memref<?x?xf32> -> tensor<64x64xf32, #L>
  %a = smx_gpu.convert %t : tensor<64x64xf32, #L> -> tensor<64x64xf32, #L>
  smx_gpu.store %a, %x[%i, %i] dims [0, 1] : tensor<64x64xf32, #L>, memref<?x?xf32>
  smx_gpu.return
}

// CHECK-LABEL: smx_gpu.kernel @other_layout
// CHECK: smx_gpu.convert
smx_gpu.kernel @other_layout(%x: memref<?x?xf32>, %i: index) warps(4) {
  %t = smx_gpu.load %x[%i, %i] dims [0, 1] : memref<?x?xf32> -> tensor<64x64xf32, #L>
  %a = smx_gpu.convert %t : tensor<64x64xf32, #L> -> tensor<64x64xf32, #M>
  smx_gpu.store %a, %x[%i, %i] dims [0, 1] : tensor<64x64xf32, #M>, memref<?x?xf32>
  smx_gpu.return
}

// A cluster of one block reduces nothing; its barrier is that of the block.
// CHECK-LABEL: smx_gpu.kernel @alone
// CHECK-DAG: %[[RANK:.+]] = arith.constant 0 : index
// CHECK-DAG: %[[M:.+]] = smx_gpu.reduce
// CHECK-NOT: cluster_barrier
// CHECK: smx_gpu.barrier
// CHECK: smx_gpu.store %[[M]], %{{.+}}[%[[RANK]]]
smx_gpu.kernel @alone(%x: memref<?x?xf32>, %y: memref<?xf32>, %i: index) warps(4) {
  %t = smx_gpu.load %x[%i, %i] dims [0, 1] : memref<?x?xf32> -> tensor<64x64xf32, #L>
  %m = smx_gpu.reduce <add> %t dim 1 : tensor<64x64xf32, #L> -> tensor<64xf32, #R>
  %r = smx_gpu.cluster_rank
  %c = smx_gpu.cluster_reduce <add> %m : tensor<64xf32, #R>
  smx_gpu.cluster_barrier
  smx_gpu.store %c, %y[%r] dims [0] : tensor<64xf32, #R>, memref<?xf32>
  smx_gpu.return
}

// CHECK-LABEL: smx_gpu.kernel @pair
// CHECK: smx_gpu.cluster_rank
// CHECK: smx_gpu.cluster_reduce
// CHECK: smx_gpu.cluster_barrier
smx_gpu.kernel @pair(%x: memref<?x?xf32>, %y: memref<?xf32>, %i: index) warps(4) cluster(2) {
  %t = smx_gpu.load %x[%i, %i] dims [0, 1] : memref<?x?xf32> -> tensor<64x64xf32, #L>
  %m = smx_gpu.reduce <add> %t dim 1 : tensor<64x64xf32, #L> -> tensor<64xf32, #R>
  %r = smx_gpu.cluster_rank
  %c = smx_gpu.cluster_reduce <add> %m : tensor<64xf32, #R>
  smx_gpu.cluster_barrier
  smx_gpu.store %c, %y[%r] dims [0] : tensor<64xf32, #R>, memref<?xf32>
  smx_gpu.return
}

// What nobody uses takes no shared memory.
// CHECK-LABEL: smx_gpu.kernel @unused
// CHECK-NEXT: smx_gpu.return
smx_gpu.kernel @unused() warps(4) {
  %s = smx_gpu.alloc : !smx_gpu.shared<64x64xf32, swizzle = 0>
  %c = smx_gpu.make_channel : !smx_gpu.channel<64x64xf32, swizzle = 0, depth = 2>
  %t = smx_gpu.turns : !smx_gpu.turns<2>
  smx_gpu.return
}
