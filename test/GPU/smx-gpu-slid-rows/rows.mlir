// RUN: softmax-opt %s --split-input-file --pass-pipeline='builtin.module(smx_gpu.kernel(smx-gpu-slid-rows))' | FileCheck %s
// RUN: softmax-opt %s --split-input-file --pass-pipeline='builtin.module(smx_gpu.kernel(smx-gpu-slid-rows))' --remarks-filter=smx-gpu-slid-rows -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 8>
#value = #smx_gpu.slice<1, #row>

// Two rows that are read and one that is written; all of the places before them are as those behind.
// REMARK: rows are held from the place before them on at which accesses may start: {{.*}}3
// CHECK-LABEL: smx_gpu.kernel @products
// CHECK: %[[I:.+]] = gpu.block_id x
// CHECK: %[[ZERO:.+]] = arith.constant 0 : index
// CHECK: %[[SLIDE:.+]] = smx_gpu.slide %[[X:.+]][%[[I]], %[[ZERO]]] dims [-1, 1]
// CHECK: smx_gpu.load %[[X]][%[[I]], %c0] valid(%c1, %c1001) slid(%[[SLIDE]] : tensor<1xindex, {{.*}}>) dims [-1, 1] {aligned = 16 : i64}
// CHECK: smx_gpu.load %{{.+}}[%[[I]], %c0] valid(%c1, %c1001) slid(%[[SLIDE]] : {{.*}}) dims [-1, 1] : memref
// CHECK: %[[POSITION:.+]] = smx_gpu.position 1
// CHECK: %[[BACK:.+]] = smx_gpu.broadcast %[[SLIDE]]
// CHECK: %[[PLACE:.+]] = arith.subi %[[POSITION]], %[[BACK]]
// CHECK: %[[FROM:.+]] = arith.cmpi sge, %{{.+}}, %{{.+}}
// CHECK: %[[BELOW:.+]] = arith.cmpi slt, %[[PLACE]], %{{.+}}
// CHECK: %[[INSIDE:.+]] = arith.andi %[[BELOW]], %[[FROM]]
// CHECK: arith.select %[[INSIDE]]
// CHECK: smx_gpu.store %{{.+}}, %{{.+}}[%[[I]], %c0] valid(%c1, %c1001) slid(%[[SLIDE]] : {{.*}}) dims [-1, 1] :
smx_gpu.kernel @products(%x: memref<?x1001xbf16>, %g: memref<?x1001xbf16>, %y: memref<?x1001xbf16>) warps(2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1001 = arith.constant 1001 : index
  %i = gpu.block_id x
  %a = smx_gpu.load %x[%i, %c0] valid(%c1, %c1001) dims [-1, 1] {aligned = 2 : i64} : memref<?x1001xbf16> -> tensor<1x1024xbf16, #row>
  %b = smx_gpu.load %g[%i, %c0] valid(%c1, %c1001) dims [-1, 1] {aligned = 16 : i64} : memref<?x1001xbf16> -> tensor<1x1024xbf16, #row>
  %p = arith.mulf %a, %b : tensor<1x1024xbf16, #row>
  %j = smx_gpu.position 1 : tensor<1x1024xindex, #row>
  %n = arith.constant dense<1001> : tensor<1x1024xindex, #row>
  %m = arith.cmpi slt, %j, %n : tensor<1x1024xindex, #row>
  %none = arith.constant dense<0xFF80> : tensor<1x1024xbf16, #row>
  %q = arith.select %m, %p, %none : tensor<1x1024xi1, #row>, tensor<1x1024xbf16, #row>
  %l = smx_gpu.reduce <maxnum> %q dim 1 : tensor<1x1024xbf16, #row> -> tensor<1xbf16, #value>
  %lb = smx_gpu.broadcast %l : tensor<1xbf16, #value> -> tensor<1x1024xbf16, #row>
  %r = arith.subf %q, %lb : tensor<1x1024xbf16, #row>
  smx_gpu.store %r, %y[%i, %c0] valid(%c1, %c1001) dims [-1, 1] {aligned = 2 : i64} : tensor<1x1024xbf16, #row>, memref<?x1001xbf16>
  smx_gpu.return
}

// -----

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 8>
#value = #smx_gpu.slice<1, #row>

// A row of two blocks: how many columns are left is negative behind its end, and columns are compared from the row's start on.
// CHECK-LABEL: smx_gpu.kernel @cluster
// CHECK: %[[FIRST:.+]] = arith.muli
// CHECK: %[[LEFT:.+]] = arith.subi %c601, %[[FIRST]]
// CHECK: smx_gpu.slide %{{.+}}[%{{.+}}, %c0{{.*}}] dims [-1, 1]
// CHECK: smx_gpu.load %{{.+}}[%{{.+}}, %[[FIRST]]] valid(%c1, %[[LEFT]]) slid(
// CHECK: %[[SPLAT:.+]] = tensor.splat %[[FIRST]]
// CHECK: arith.cmpi sge
smx_gpu.kernel @cluster(%x: memref<?x601xbf16>, %y: memref<?xbf16>) warps(2) cluster(2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c512 = arith.constant 512 : index
  %c601 = arith.constant 601 : index
  %block = gpu.block_id x
  %i = arith.divui %block, %c2 : index
  %rank = smx_gpu.cluster_rank
  %first = arith.muli %rank, %c512 : index
  %left = arith.subi %c601, %first : index
  %valid = arith.maxsi %left, %c0 : index
  %a = smx_gpu.load %x[%i, %first] valid(%c1, %valid) dims [-1, 1] {aligned = 2 : i64} : memref<?x601xbf16> -> tensor<1x512xbf16, #row>
  %j = smx_gpu.position 1 : tensor<1x512xindex, #row>
  %s = tensor.splat %first : tensor<1x512xindex, #row>
  %k = arith.addi %j, %s : tensor<1x512xindex, #row>
  %n = arith.constant dense<601> : tensor<1x512xindex, #row>
  %m = arith.cmpi sgt, %n, %k : tensor<1x512xindex, #row>
  %none = arith.constant dense<0xFF80> : tensor<1x512xbf16, #row>
  %q = arith.select %m, %a, %none : tensor<1x512xi1, #row>, tensor<1x512xbf16, #row>
  %l = smx_gpu.reduce <maxnum> %q dim 1 : tensor<1x512xbf16, #row> -> tensor<1xbf16, #value>
  %r = smx_gpu.cluster_reduce <maxnum> %l : tensor<1xbf16, #value>
  smx_gpu.store %r, %y[%i] dims [-1] : tensor<1xbf16, #value>, memref<?xbf16>
  smx_gpu.return
}

// -----

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 8>

// What holds for columns above a place holds for those before the row; so does `unequal`.
// CHECK-LABEL: smx_gpu.kernel @above
// CHECK: %[[BEFORE:.+]] = arith.cmpi slt
// CHECK: %[[ABOVE:.+]] = arith.cmpi sge
// CHECK: arith.ori %[[ABOVE]], %[[BEFORE]]
// CHECK: arith.cmpi ne
// CHECK: arith.ori
// CHECK: arith.cmpi eq
// CHECK: arith.andi
// CHECK: %[[SMALL:.+]] = arith.cmpi sle
// CHECK: arith.ori %[[SMALL]]
smx_gpu.kernel @above(%x: memref<?x1001xbf16>, %y: memref<?x1001xbf16>) warps(2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1001 = arith.constant 1001 : index
  %i = gpu.block_id x
  %a = smx_gpu.load %x[%i, %c0] valid(%c1, %c1001) dims [-1, 1] {aligned = 2 : i64} : memref<?x1001xbf16> -> tensor<1x1024xbf16, #row>
  %j = smx_gpu.position 1 : tensor<1x1024xindex, #row>
  %n = arith.constant dense<7> : tensor<1x1024xindex, #row>
  %zero = arith.constant dense<0> : tensor<1x1024xindex, #row>
  %negative = arith.subi %zero, %j : tensor<1x1024xindex, #row>
  %above = arith.cmpi sge, %j, %n : tensor<1x1024xindex, #row>
  %unequal = arith.cmpi ne, %j, %n : tensor<1x1024xindex, #row>
  %equal = arith.cmpi eq, %n, %j : tensor<1x1024xindex, #row>
  %small = arith.cmpi sle, %negative, %n : tensor<1x1024xindex, #row>
  %none = arith.constant dense<0xFF80> : tensor<1x1024xbf16, #row>
  %q = arith.select %above, %a, %none : tensor<1x1024xi1, #row>, tensor<1x1024xbf16, #row>
  %r = arith.select %unequal, %q, %none : tensor<1x1024xi1, #row>, tensor<1x1024xbf16, #row>
  %s = arith.select %equal, %r, %none : tensor<1x1024xi1, #row>, tensor<1x1024xbf16, #row>
  %t = arith.select %small, %s, %none : tensor<1x1024xi1, #row>, tensor<1x1024xbf16, #row>
  smx_gpu.store %t, %y[%i, %c0] valid(%c1, %c1001) dims [-1, 1] {aligned = 2 : i64} : tensor<1x1024xbf16, #row>, memref<?x1001xbf16>
  smx_gpu.return
}

// -----

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 8>
#rest = affine_map<()[s0] -> (-s0 + 1301, 512)>

// A row of three tiles, each of a block of its own; a column that is compared as a number of another type.
// CHECK-LABEL: smx_gpu.kernel @tiles
// CHECK: %[[FIRST:.+]] = arith.muli
// CHECK: %[[VALID:.+]] = affine.min
// CHECK: %[[SLIDE:.+]] = smx_gpu.slide %[[X:.+]][%[[I:.+]], %{{.+}}] dims [-1, 1]
// CHECK: smx_gpu.load %[[X]][%[[I]], %[[FIRST]]] valid(%c1, %[[VALID]]) slid(%[[SLIDE]] :
// CHECK: %[[FROM:.+]] = arith.cmpi sge
// CHECK: %[[EQUAL:.+]] = arith.cmpi eq, {{.+}} : tensor<1x512xi32
// CHECK: arith.andi %[[EQUAL]], %[[FROM]]
// CHECK: smx_gpu.store %{{.+}}, %{{.+}}[%[[I]], %[[FIRST]]] valid(%c1, %[[VALID]]) slid(%[[SLIDE]] :
smx_gpu.kernel @tiles(%x: memref<?x1301xbf16>, %y: memref<?x1301xbf16>) warps(2) {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c512 = arith.constant 512 : index
  %block = gpu.block_id x
  %i = arith.divui %block, %c3 : index
  %tile = arith.remui %block, %c3 : index
  %first = arith.muli %tile, %c512 : index
  %valid = affine.min #rest()[%first]
  %a = smx_gpu.load %x[%i, %first] valid(%c1, %valid) dims [-1, 1] {aligned = 2 : i64} : memref<?x1301xbf16> -> tensor<1x512xbf16, #row>
  %j = smx_gpu.position 1 : tensor<1x512xindex, #row>
  %s = tensor.splat %first : tensor<1x512xindex, #row>
  %k = arith.addi %j, %s : tensor<1x512xindex, #row>
  %narrow = arith.index_cast %k : tensor<1x512xindex, #row> to tensor<1x512xi32, #row>
  %n = arith.constant dense<7> : tensor<1x512xi32, #row>
  %m = arith.cmpi eq, %narrow, %n : tensor<1x512xi32, #row>
  %zero = arith.constant dense<0.0> : tensor<1x512xbf16, #row>
  %q = arith.select %m, %zero, %a : tensor<1x512xi1, #row>, tensor<1x512xbf16, #row>
  smx_gpu.store %q, %y[%i, %first] valid(%c1, %valid) dims [-1, 1] {aligned = 2 : i64} : tensor<1x512xbf16, #row>, memref<?x1301xbf16>
  smx_gpu.return
}

// -----

// What is read 8 bytes at a time, and written in 16 as wider elements, starts at multiples of 8.
#wide = #smx_gpu.striped<rows = 1, columns = 64, vector = 4>

// CHECK-LABEL: smx_gpu.kernel @widened
// CHECK: %[[SLIDE:.+]] = smx_gpu.slide
// CHECK: smx_gpu.load {{.*}} slid(%[[SLIDE]] : {{.*}}) dims [-1, 1] {aligned = 8 : i64}
// CHECK: smx_gpu.store {{.*}} slid(%[[SLIDE]] : {{.*}}) dims [-1, 1] : tensor<1x512xf32
smx_gpu.kernel @widened(%x: memref<?x501xbf16>, %y: memref<?x501xf32>) warps(2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 501 : index
  %i = gpu.block_id x
  %a = smx_gpu.load %x[%i, %c0] valid(%c1, %n) dims [-1, 1] {aligned = 2 : i64} : memref<?x501xbf16> -> tensor<1x512xbf16, #wide>
  %w = arith.extf %a : tensor<1x512xbf16, #wide> to tensor<1x512xf32, #wide>
  smx_gpu.store %w, %y[%i, %c0] valid(%c1, %n) dims [-1, 1] {aligned = 4 : i64} : tensor<1x512xf32, #wide>, memref<?x501xf32>
  smx_gpu.return
}

// -----

// Where neither is a whole access there is nothing to gain.
#narrow = #smx_gpu.striped<rows = 1, columns = 64, vector = 4>

// CHECK-LABEL: smx_gpu.kernel @narrow
// CHECK-NOT: smx_gpu.slide
smx_gpu.kernel @narrow(%x: memref<?x501xbf16>, %y: memref<?x501xbf16>) warps(2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 501 : index
  %i = gpu.block_id x
  %a = smx_gpu.load %x[%i, %c0] valid(%c1, %n) dims [-1, 1] {aligned = 2 : i64} : memref<?x501xbf16> -> tensor<1x512xbf16, #narrow>
  smx_gpu.store %a, %y[%i, %c0] valid(%c1, %n) dims [-1, 1] {aligned = 2 : i64} : tensor<1x512xbf16, #narrow>, memref<?x501xbf16>
  smx_gpu.return
}
