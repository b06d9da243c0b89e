// RUN: softmax-opt %s --split-input-file --pass-pipeline='builtin.module(smx_gpu.kernel(smx-gpu-ranks-in-lanes))' | FileCheck %s

// One expression gives the values of all ranks: it is computed of a tile that has a rank a column, and is no wider than that.
// What is the same for all ranks is repeated; a constant that is the number of its rank is that of the column. It is stored
// element by element, which asks nothing of the rows.

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 8>
#value = #smx_gpu.slice<1, #row>

// CHECK-LABEL: smx_gpu.kernel @alike
// CHECK: %[[V:.+]], %[[C:.+]] = smx_gpu.largest %{{.+}} ranks(3) : {{.+}} -> tensor<1x64xf32, #smx_gpu.striped<rows = 1, columns = 64, vector = 1>> at tensor<1x64xindex, #smx_gpu.striped<rows = 1, columns = 64, vector = 1>>
// CHECK-NOT: smx_gpu.largest
// CHECK: %[[M:.+]] = smx_gpu.broadcast %{{.+}} -> tensor<1x64xf32, #smx_gpu.striped<rows = 1, columns = 64, vector = 1>>
// CHECK: %[[D:.+]] = arith.subf %[[V]], %[[M]]
// CHECK: smx_gpu.store %[[D]], {{.+}} dims [-1, 1] : tensor<1x64xf32, #smx_gpu.striped<rows = 1, columns = 64, vector = 1>>
// CHECK: %[[J:.+]] = arith.index_cast %[[C]]
// CHECK: %[[P:.+]] = smx_gpu.position 1 : tensor<1x64xindex, #smx_gpu.striped<rows = 1, columns = 64, vector = 1>>
// CHECK: %[[N:.+]] = arith.index_cast %[[P]]
// CHECK: %[[S:.+]] = arith.addi %[[J]], %[[N]]
// CHECK: smx_gpu.store %[[S]], {{.+}} dims [-1, 1] : tensor<1x64xi64,
smx_gpu.kernel @alike(%x: memref<?x1024xf32>, %m: memref<?xf32>, %y: memref<?x3xf32>, %i: memref<?x3xi64>) warps(2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %b = gpu.block_id x
  %n0 = arith.constant dense<0> : tensor<1xi64, #value>
  %n1 = arith.constant dense<1> : tensor<1xi64, #value>
  %n2 = arith.constant dense<2> : tensor<1xi64, #value>
  %w1 = arith.constant dense<1> : tensor<1x512xindex, #row>
  %w2 = arith.constant dense<2> : tensor<1x512xindex, #row>
  %t = smx_gpu.load %x[%b, %c0] dims [-1, 1] : memref<?x1024xf32> -> tensor<1x1024xf32, #row>
  %u = smx_gpu.load %m[%b] dims [-1] : memref<?xf32> -> tensor<1xf32, #value>
  %v:3, %c:3 = smx_gpu.largest %t : tensor<1x1024xf32, #row> -> tensor<1xf32, #value>, tensor<1xf32, #value>, tensor<1xf32, #value>
      at tensor<1xindex, #value>, tensor<1xindex, #value>, tensor<1xindex, #value>
  %d0 = arith.subf %v#0, %u : tensor<1xf32, #value>
  %d1 = arith.subf %v#1, %u : tensor<1xf32, #value>
  %d2 = arith.subf %v#2, %u : tensor<1xf32, #value>
  %j0 = arith.index_cast %c#0 : tensor<1xindex, #value> to tensor<1xi64, #value>
  %j1 = arith.index_cast %c#1 : tensor<1xindex, #value> to tensor<1xi64, #value>
  %j2 = arith.index_cast %c#2 : tensor<1xindex, #value> to tensor<1xi64, #value>
  %s0 = arith.addi %j0, %n0 : tensor<1xi64, #value>
  %s1 = arith.addi %j1, %n1 : tensor<1xi64, #value>
  %s2 = arith.addi %j2, %n2 : tensor<1xi64, #value>
  %p = smx_gpu.position 1 : tensor<1x512xindex, #row>
  %is1 = arith.cmpi eq, %p, %w1 : tensor<1x512xindex, #row>
  %is2 = arith.cmpi eq, %p, %w2 : tensor<1x512xindex, #row>
  %e0 = smx_gpu.broadcast %d0 : tensor<1xf32, #value> -> tensor<1x512xf32, #row>
  %e1 = smx_gpu.broadcast %d1 : tensor<1xf32, #value> -> tensor<1x512xf32, #row>
  %e2 = smx_gpu.broadcast %d2 : tensor<1xf32, #value> -> tensor<1x512xf32, #row>
  %e01 = arith.select %is1, %e1, %e0 : tensor<1x512xi1, #row>, tensor<1x512xf32, #row>
  %e = arith.select %is2, %e2, %e01 : tensor<1x512xi1, #row>, tensor<1x512xf32, #row>
  %f0 = smx_gpu.broadcast %s0 : tensor<1xi64, #value> -> tensor<1x512xi64, #row>
  %f1 = smx_gpu.broadcast %s1 : tensor<1xi64, #value> -> tensor<1x512xi64, #row>
  %f2 = smx_gpu.broadcast %s2 : tensor<1xi64, #value> -> tensor<1x512xi64, #row>
  %f01 = arith.select %is1, %f1, %f0 : tensor<1x512xi1, #row>, tensor<1x512xi64, #row>
  %f = arith.select %is2, %f2, %f01 : tensor<1x512xi1, #row>, tensor<1x512xi64, #row>
  smx_gpu.store %e, %y[%b, %c0] valid(%c1, %c3) dims [-1, 1] {aligned = 16} : tensor<1x512xf32, #row>, memref<?x3xf32>
  smx_gpu.store %f, %i[%b, %c0] valid(%c1, %c3) dims [-1, 1] {aligned = 16} : tensor<1x512xi64, #row>, memref<?x3xi64>
  smx_gpu.return
}

#lane = #smx_gpu.striped<rows = 1, columns = 32, vector = 1>
#of_lane = #smx_gpu.slice<1, #lane>

// A tile that is as wide as all lanes is chosen from in the same way.
// CHECK-LABEL: smx_gpu.kernel @one_register
// CHECK: %[[V:.+]], %{{.+}} = smx_gpu.largest %{{.+}} ranks(3)
// CHECK-NOT: arith.select
// CHECK: smx_gpu.return
smx_gpu.kernel @one_register(%x: memref<?x1024xf32>, %m: memref<?xf32>, %y: memref<?x3xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %b = gpu.block_id x
  %w1 = arith.constant dense<1> : tensor<1x32xindex, #lane>
  %w2 = arith.constant dense<2> : tensor<1x32xindex, #lane>
  %t = smx_gpu.load %x[%b, %c0] dims [-1, 1] : memref<?x1024xf32> -> tensor<1x1024xf32, #lane>
  %u = smx_gpu.load %m[%b] dims [-1] : memref<?xf32> -> tensor<1xf32, #of_lane>
  %v:3, %c:3 = smx_gpu.largest %t : tensor<1x1024xf32, #lane> -> tensor<1xf32, #of_lane>, tensor<1xf32, #of_lane>, tensor<1xf32, #of_lane>
      at tensor<1xindex, #of_lane>, tensor<1xindex, #of_lane>, tensor<1xindex, #of_lane>
  %d0 = arith.subf %v#0, %u : tensor<1xf32, #of_lane>
  %d1 = arith.subf %v#1, %u : tensor<1xf32, #of_lane>
  %d2 = arith.subf %v#2, %u : tensor<1xf32, #of_lane>
  %p = smx_gpu.position 1 : tensor<1x32xindex, #lane>
  %is1 = arith.cmpi eq, %p, %w1 : tensor<1x32xindex, #lane>
  %is2 = arith.cmpi eq, %p, %w2 : tensor<1x32xindex, #lane>
  %e0 = smx_gpu.broadcast %d0 : tensor<1xf32, #of_lane> -> tensor<1x32xf32, #lane>
  %e1 = smx_gpu.broadcast %d1 : tensor<1xf32, #of_lane> -> tensor<1x32xf32, #lane>
  %e2 = smx_gpu.broadcast %d2 : tensor<1xf32, #of_lane> -> tensor<1x32xf32, #lane>
  %e01 = arith.select %is1, %e1, %e0 : tensor<1x32xi1, #lane>, tensor<1x32xf32, #lane>
  %e = arith.select %is2, %e2, %e01 : tensor<1x32xi1, #lane>, tensor<1x32xf32, #lane>
  smx_gpu.store %e, %y[%b, %c0] valid(%c1, %c3) dims [-1, 1] {aligned = 16} : tensor<1x32xf32, #lane>, memref<?x3xf32>
  smx_gpu.return
}

// -----

// Two ranks in the other order are no tile of the ranks: they are chosen, in a tile that is as wide as they need.

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 8>
#value = #smx_gpu.slice<1, #row>

// CHECK-LABEL: smx_gpu.kernel @swapped
// CHECK: %[[V:.+]]:2, %{{.+}}:2 = smx_gpu.largest
// CHECK: %[[A:.+]] = smx_gpu.broadcast %[[V]]#1 {{.+}} -> tensor<1x64xf32, #smx_gpu.striped<rows = 1, columns = 64, vector = 1>>
// CHECK: %[[B:.+]] = smx_gpu.broadcast %[[V]]#0 {{.+}} -> tensor<1x64xf32, #smx_gpu.striped<rows = 1, columns = 64, vector = 1>>
// CHECK: %[[E:.+]] = arith.select %{{.+}}, %[[B]], %[[A]]
// CHECK: smx_gpu.store %[[E]], {{.+}} : tensor<1x64xf32, #smx_gpu.striped<rows = 1, columns = 64, vector = 1>>
smx_gpu.kernel @swapped(%x: memref<?x1024xf32>, %y: memref<?x2xf32>) warps(2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %b = gpu.block_id x
  %w1 = arith.constant dense<1> : tensor<1x512xindex, #row>
  %t = smx_gpu.load %x[%b, %c0] dims [-1, 1] : memref<?x1024xf32> -> tensor<1x1024xf32, #row>
  %v:2, %c:2 = smx_gpu.largest %t : tensor<1x1024xf32, #row> -> tensor<1xf32, #value>, tensor<1xf32, #value>
      at tensor<1xindex, #value>, tensor<1xindex, #value>
  %p = smx_gpu.position 1 : tensor<1x512xindex, #row>
  %is1 = arith.cmpi eq, %p, %w1 : tensor<1x512xindex, #row>
  %e0 = smx_gpu.broadcast %v#1 : tensor<1xf32, #value> -> tensor<1x512xf32, #row>
  %e1 = smx_gpu.broadcast %v#0 : tensor<1xf32, #value> -> tensor<1x512xf32, #row>
  %e = arith.select %is1, %e1, %e0 : tensor<1x512xi1, #row>, tensor<1x512xf32, #row>
  smx_gpu.store %e, %y[%b, %c0] valid(%c1, %c2) dims [-1, 1] : tensor<1x512xf32, #row>, memref<?x2xf32>
  smx_gpu.return
}

// -----

// What is chosen by other columns than the numbers of ranks stays as it is.

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 8>
#value = #smx_gpu.slice<1, #row>

// CHECK-LABEL: smx_gpu.kernel @other_columns
// CHECK: smx_gpu.store {{.+}} {aligned = 16 : i64} : tensor<1x512xf32, #smx_gpu.striped<rows = 1, columns = 64, vector = 8>>
smx_gpu.kernel @other_columns(%x: memref<?xf32>, %z: memref<?xf32>, %y: memref<?x3xf32>) warps(2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %b = gpu.block_id x
  %w2 = arith.constant dense<2> : tensor<1x512xindex, #row>
  %u = smx_gpu.load %x[%b] dims [-1] : memref<?xf32> -> tensor<1xf32, #value>
  %v = smx_gpu.load %z[%b] dims [-1] : memref<?xf32> -> tensor<1xf32, #value>
  %p = smx_gpu.position 1 : tensor<1x512xindex, #row>
  %is2 = arith.cmpi eq, %p, %w2 : tensor<1x512xindex, #row>
  %e0 = smx_gpu.broadcast %u : tensor<1xf32, #value> -> tensor<1x512xf32, #row>
  %e1 = smx_gpu.broadcast %v : tensor<1xf32, #value> -> tensor<1x512xf32, #row>
  %e = arith.select %is2, %e1, %e0 : tensor<1x512xi1, #row>, tensor<1x512xf32, #row>
  smx_gpu.store %e, %y[%b, %c0] valid(%c1, %c3) dims [-1, 1] {aligned = 16} : tensor<1x512xf32, #row>, memref<?x3xf32>
  smx_gpu.return
}

// -----

// What is merged for one rank comes from another rank of a list: the merged ones are chosen, before they are used.

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 8>
#value = #smx_gpu.slice<1, #row>

// CHECK-LABEL: smx_gpu.kernel @merged
// CHECK: %[[V:.+]]:2, %{{.+}}:2 = smx_gpu.largest
// CHECK-NOT: ranks
// CHECK: %[[L:.+]] = arith.maxnumf %[[V]]#1, %[[U:.+]] :
// CHECK: %[[S:.+]] = arith.select %{{.+}}, %[[U]], %[[V]]#0
// CHECK-DAG: %[[A:.+]] = smx_gpu.broadcast %[[L]] {{.+}} -> tensor<1x64xf32,
// CHECK-DAG: %[[B:.+]] = smx_gpu.broadcast %[[S]] {{.+}} -> tensor<1x64xf32,
// CHECK: %[[C:.+]] = arith.select %{{.+}}, %[[B]], %[[A]]
// CHECK: %[[E:.+]] = math.exp %[[C]] : tensor<1x64xf32,
// CHECK: smx_gpu.store %[[E]]
smx_gpu.kernel @merged(%x: memref<?x1024xf32>, %z: memref<?xf32>, %y: memref<?x2xf32>) warps(2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %b = gpu.block_id x
  %w1 = arith.constant dense<1> : tensor<1x512xindex, #row>
  %u = smx_gpu.load %z[%b] dims [-1] : memref<?xf32> -> tensor<1xf32, #value>
  %t = smx_gpu.load %x[%b, %c0] dims [-1, 1] : memref<?x1024xf32> -> tensor<1x1024xf32, #row>
  %v:2, %c:2 = smx_gpu.largest %t : tensor<1x1024xf32, #row> -> tensor<1xf32, #value>, tensor<1xf32, #value>
      at tensor<1xindex, #value>, tensor<1xindex, #value>
  %l = arith.maxnumf %v#1, %u : tensor<1xf32, #value>
  %is = arith.cmpf ogt, %v#0, %u : tensor<1xf32, #value>
  %s = arith.select %is, %u, %v#0 : tensor<1xi1, #value>, tensor<1xf32, #value>
  %el = math.exp %l : tensor<1xf32, #value>
  %es = math.exp %s : tensor<1xf32, #value>
  %p = smx_gpu.position 1 : tensor<1x512xindex, #row>
  %is1 = arith.cmpi eq, %p, %w1 : tensor<1x512xindex, #row>
  %e0 = smx_gpu.broadcast %el : tensor<1xf32, #value> -> tensor<1x512xf32, #row>
  %e1 = smx_gpu.broadcast %es : tensor<1xf32, #value> -> tensor<1x512xf32, #row>
  %e = arith.select %is1, %e1, %e0 : tensor<1x512xi1, #row>, tensor<1x512xf32, #row>
  smx_gpu.store %e, %y[%b, %c0] valid(%c1, %c2) dims [-1, 1] : tensor<1x512xf32, #row>, memref<?x2xf32>
  smx_gpu.return
}
