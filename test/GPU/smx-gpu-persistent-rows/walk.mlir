// RUN: softmax-opt %s --smx-gpu-persistent-rows=clusters=7 --split-input-file | FileCheck %s
// RUN: softmax-opt %s --smx-gpu-persistent-rows --split-input-file | FileCheck %s --check-prefix=OFF
// RUN: softmax-opt %s --smx-gpu-persistent-rows='clusters=7 stagger=2000' --split-input-file | FileCheck %s --check-prefix=STAGGER

// OFF-LABEL: smx_gpu.kernel @walks
// OFF-NOT: scf.for
// OFF: smx_gpu.return
// OFF: smx_gpu.launch @walks grid(%{{.+}}, %c1, %c1) (%{{[^,]+}}, %{{[^,]+}} :

// Clusters begin one after the other, if there are more rows than clusters, before they fetch anything.
// STAGGER-LABEL: smx_gpu.kernel @walks
// STAGGER-SAME: %[[BLOCKS:[^ ]+]]: index)
// STAGGER: %[[BLOCK:.+]] = gpu.block_id x
// STAGGER: %[[GRID:.+]] = gpu.grid_dim x
// STAGGER: %[[CLUSTER:.+]] = arith.divui %[[BLOCK]], %{{.+}} : index
// STAGGER: %[[STAGGER:.+]] = arith.constant 2000 : index
// STAGGER: %[[LATER:.+]] = arith.muli %[[CLUSTER]], %[[STAGGER]]
// STAGGER: %[[WALKS:.+]] = arith.cmpi ult, %[[GRID]], %[[BLOCKS]]
// STAGGER: %[[BEGIN:.+]] = arith.select %[[WALKS]], %[[LATER]], %{{.+}} : index
// STAGGER: smx_gpu.pause %[[BEGIN]]
// STAGGER: smx_gpu.load

// The first row is fetched before the loop; in a round, each piece of the next one follows the store of that piece. Behind the last row nothing is valid.

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 4>

// CHECK-LABEL: smx_gpu.kernel @walks
// CHECK-SAME: %[[BLOCKS:[^ ]+]]: index)
// CHECK: %[[BLOCK:.+]] = gpu.block_id x
// CHECK-NOT: smx_gpu.pause
// CHECK: %[[GRID:.+]] = gpu.grid_dim x
// CHECK: %[[FIRST:.+]] = smx_gpu.load
// CHECK: smx_gpu.copy %{{.+}} to %[[SHARED:.+]] dims
// CHECK: %[[LEFT:.+]] = arith.subi %[[BLOCKS]], %[[BLOCK]]
// CHECK: %[[ROUNDS:.+]] = arith.ceildivui %[[LEFT]], %[[GRID]]
// CHECK: scf.for %[[I:.+]] = %{{.+}} to %[[ROUNDS]] step %{{.+}} iter_args(%[[NOW:.+]] = %[[FIRST]])
// CHECK: %[[MOVED:.+]] = arith.muli %[[I]], %[[GRID]]
// CHECK: %[[NUMBER:.+]] = arith.addi %[[BLOCK]], %[[MOVED]]
// CHECK: %[[ROW:.+]] = arith.divui %[[NUMBER]]
// CHECK: %[[NEXT:.+]] = arith.addi %[[NUMBER]], %[[GRID]]
// CHECK: %[[IS:.+]] = arith.cmpi ult, %[[NEXT]], %[[BLOCKS]]
// CHECK: %[[OTHER:.+]] = arith.select %[[IS]], %[[NEXT]], %[[NUMBER]]
// CHECK: %[[ONE:.+]] = arith.constant 1 : index
// CHECK: %[[NONE:.+]] = arith.constant 0 : index
// CHECK: %[[VALID:.+]] = arith.select %[[IS]], %[[ONE]], %[[NONE]]
// CHECK: %[[NEXTROW:.+]] = arith.divui %[[OTHER]]
// CHECK: smx_gpu.reduce <add> %[[NOW]]
// CHECK: smx_gpu.store %{{.+}}[%[[ROW]],
// CHECK-NEXT: %[[COLUMNS:.+]] = arith.constant 256 : index
// CHECK-NEXT: %[[AGAIN:.+]] = smx_gpu.load %{{.+}}[%[[NEXTROW]], {{.+}}] valid(%[[VALID]], %[[COLUMNS]])
// CHECK: smx_gpu.read
// CHECK: smx_gpu.store %{{.+}}[%[[ROW]],
// CHECK-NEXT: arith.constant 256 : index
// CHECK-NEXT: smx_gpu.copy %{{.+}}[%[[NEXTROW]], {{.+}}] valid(%[[VALID]], {{.+}}) to %[[SHARED]]
// CHECK-NEXT: scf.yield %[[AGAIN]]
// CHECK: func.func @host
// CHECK: %[[ALL:.+]] = arith.muli
// CHECK: %[[MOST:.+]] = arith.constant 14 : index
// CHECK: %[[STARTED:.+]] = arith.minui %[[ALL]], %[[MOST]]
// CHECK: smx_gpu.launch @walks grid(%[[STARTED]], {{.+}}%[[ALL]] :
smx_gpu.kernel @walks(%x: memref<?x1024xf32>, %y: memref<?x1024xf32>) warps(2) cluster(2) attributes {smx.lone_rows} {
  %c2 = arith.constant 2 : index
  %c256 = arith.constant 256 : index
  %c512 = arith.constant 512 : index
  %b = gpu.block_id x
  %i = arith.divui %b, %c2 : index
  %r = smx_gpu.cluster_rank
  %j = arith.muli %r, %c512 : index
  %t = smx_gpu.load %x[%i, %j] dims [-1, 1] {aligned = 16 : i64} : memref<?x1024xf32> -> tensor<1x256xf32, #row>
  %s = smx_gpu.alloc : !smx_gpu.shared<1x256xf32, swizzle = 0>
  %k = arith.addi %j, %c256 : index
  smx_gpu.copy %x[%i, %k] to %s dims [-1, 1] {aligned = 16 : i64} : memref<?x1024xf32>, !smx_gpu.shared<1x256xf32, swizzle = 0>
  %l = smx_gpu.reduce <add> %t dim 1 : tensor<1x256xf32, #row> -> tensor<1xf32, #smx_gpu.slice<1, #row>>
  %c = smx_gpu.cluster_reduce <add> %l : tensor<1xf32, #smx_gpu.slice<1, #row>>
  %w = smx_gpu.broadcast %c : tensor<1xf32, #smx_gpu.slice<1, #row>> -> tensor<1x256xf32, #row>
  %p = arith.mulf %t, %w : tensor<1x256xf32, #row>
  smx_gpu.store %p, %y[%i, %j] dims [-1, 1] {aligned = 16 : i64} : tensor<1x256xf32, #row>, memref<?x1024xf32>
  %u = smx_gpu.read %s : !smx_gpu.shared<1x256xf32, swizzle = 0> -> tensor<1x256xf32, #row>
  %q = arith.mulf %u, %w : tensor<1x256xf32, #row>
  smx_gpu.store %q, %y[%i, %k] dims [-1, 1] {aligned = 16 : i64} : tensor<1x256xf32, #row>, memref<?x1024xf32>
  smx_gpu.return
}
func.func @host(%x: memref<?x1024xf32>, %y: memref<?x1024xf32>, %n: index) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %all = arith.muli %n, %c2 : index
  smx_gpu.launch @walks grid(%all, %c1, %c1) (%x, %y : memref<?x1024xf32>, memref<?x1024xf32>)
  return
}
