// A row of up to 1024 columns in one tile, by itself and by a cluster of two blocks that share a row.
// RUN: smx-gpu-host-run %s --entry=softmax --grid=5 --arg=normal:5x1000xf32 --arg=poison:5x1000xf32 --check=softmax | FileCheck %s
// RUN: smx-gpu-host-run %s --entry=clusters --grid=2x5 --arg=normal:5x2000xf32 --arg=poison:5x2000xf32 --check=softmax --runs=2 | FileCheck %s
// CHECK: softmax: pass
// CHECK: ran
#L = #smx_gpu.striped<rows = 1, columns = 128, vector = 4>
#R = #smx_gpu.slice<1, #L>
!global = memref<?x?xf32, strided<[?, 1], offset: ?>>
!tile = tensor<1x1024xf32, #L>
!row = tensor<1xf32, #R>
smx_gpu.kernel @softmax(%x: !global, %y: !global) warps(4) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c1 : !global
  %i = gpu.block_id x
  %t = smx_gpu.load %x[%i, %c0] valid(%c1, %n) dims [0, 1] : !global -> !tile
  %p = smx_gpu.position 1 : tensor<1x1024xindex, #L>
  %ns = tensor.splat %n : tensor<1x1024xindex, #L>
  %in = arith.cmpi slt, %p, %ns : tensor<1x1024xindex, #L>
  %inf = arith.constant dense<0xFF800000> : !tile
  %s = arith.select %in, %t, %inf : tensor<1x1024xi1, #L>, !tile
  %m = smx_gpu.reduce <maxnum> %s dim 1 : !tile -> !row
  %mb = smx_gpu.broadcast %m : !row -> !tile
  %d = arith.subf %s, %mb : !tile
  %e = math.exp %d : !tile
  %l = smx_gpu.reduce <add> %e dim 1 : !tile -> !row
  %lb = smx_gpu.broadcast %l : !row -> !tile
  %r = arith.divf %e, %lb : !tile
  smx_gpu.store %r, %y[%i, %c0] valid(%c1, %n) dims [0, 1] : !tile, !global
  smx_gpu.return
}
smx_gpu.kernel @clusters(%x: !global, %y: !global) warps(4) cluster(2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1024 = arith.constant 1024 : index
  %n = memref.dim %x, %c1 : !global
  %i = gpu.block_id y
  %rank = smx_gpu.cluster_rank
  %j = arith.muli %rank, %c1024 : index
  %left = arith.subi %n, %j : index
  %t = smx_gpu.load %x[%i, %j] valid(%c1, %left) dims [0, 1] : !global -> !tile
  %p = smx_gpu.position 1 : tensor<1x1024xindex, #L>
  %ns = tensor.splat %left : tensor<1x1024xindex, #L>
  %in = arith.cmpi slt, %p, %ns : tensor<1x1024xindex, #L>
  %inf = arith.constant dense<0xFF800000> : !tile
  %s = arith.select %in, %t, %inf : tensor<1x1024xi1, #L>, !tile
  %m = smx_gpu.reduce <maxnum> %s dim 1 : !tile -> !row
  %mc = smx_gpu.cluster_reduce <maxnum> %m : !row
  %mb = smx_gpu.broadcast %mc : !row -> !tile
  %d = arith.subf %s, %mb : !tile
  %e = math.exp %d : !tile
  %l = smx_gpu.reduce <add> %e dim 1 : !tile -> !row
  %lc = smx_gpu.cluster_reduce <add> %l : !row
  %lb = smx_gpu.broadcast %lc : !row -> !tile
  %r = arith.divf %e, %lb : !tile
  smx_gpu.store %r, %y[%i, %j] valid(%c1, %left) dims [0, 1] : !tile, !global
  smx_gpu.cluster_barrier
  smx_gpu.return
}
