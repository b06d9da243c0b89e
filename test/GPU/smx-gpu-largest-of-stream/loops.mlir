// RUN: softmax-opt %s --split-input-file --pass-pipeline='builtin.module(smx_gpu.kernel(smx-gpu-largest-of-stream))' | FileCheck %s

// A loop that merges the two largest keys of its tiles keeps the maxima of its threads, beside what else it carries, and the
// keys are those of the two largest elements that are found behind it.

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 8>
#value = #smx_gpu.slice<1, #row>

// CHECK-LABEL: smx_gpu.kernel @merge
// CHECK-DAG: %[[LEAST:.+]] = arith.constant dense<0xFF80> : tensor<1x512xbf16,
// CHECK-DAG: %[[N:.+]] = arith.constant 65536 : index
// CHECK-DAG: %[[LEAST_OF:.+]] = arith.constant dense<0xFF80> : tensor<64xbf16,
// CHECK-DAG: %[[FIRST:.+]] = arith.constant dense<0> : tensor<64xi32,
// CHECK: %[[R:.+]]:5 = scf.for %[[J:.+]] = %[[ZERO:.+]] to %[[N]] step %{{.+}} iter_args(%[[M:.+]] = %{{.+}}, %[[T:.+]] = %[[LEAST]], %[[MOST:.+]] = %[[LEAST_OF]], %[[START:.+]] = %[[FIRST]], %[[SECOND:.+]] = %[[LEAST_OF]])
// CHECK: %[[X:.+]] = smx_gpu.load %[[MEM:.+]][%[[I:.+]], %[[J]]]
// CHECK-NOT: f64
// CHECK: %[[P:.+]] = smx_gpu.partial_reduce <maximum> %[[X]]
// CHECK: %[[NEXT:.+]] = arith.maximumf %[[T]], %[[P]]
// Of each thread the round of its maximum, and the largest of the others.
// CHECK: %[[PARTS:.+]] = smx_gpu.parts %[[X]] : {{.+}} -> tensor<64x16xbf16,
// CHECK: %[[OF_ROUND:.+]] = smx_gpu.reduce <maxnum> %[[PARTS]]
// CHECK: %[[HERE:.+]] = tensor.splat %{{.+}} : tensor<64xi32,
// CHECK: %[[IS_MOST:.+]] = arith.cmpf ogt, %[[OF_ROUND]], %[[MOST]]
// CHECK: %[[NEXT_MOST:.+]] = arith.maxnumf %[[MOST]], %[[OF_ROUND]]
// CHECK: %[[NEXT_START:.+]] = arith.select %[[IS_MOST]], %[[HERE]], %[[START]]
// CHECK: %[[LESS:.+]] = arith.minnumf %[[MOST]], %[[OF_ROUND]]
// CHECK: %[[NEXT_SECOND:.+]] = arith.maxnumf %[[SECOND]], %[[LESS]]
// CHECK: scf.yield %{{.+}}, %[[NEXT]], %[[NEXT_MOST]], %[[NEXT_START]], %[[NEXT_SECOND]]
// CHECK: %[[V:.+]]:2, %[[C:.+]]:2 = smx_gpu.largest %[[R]]#1 of %[[MEM]][%[[I]], %[[ZERO]]] extent(65536) rounds(%[[R]]#3, %[[R]]#4 span 1024) {aligned = 16 : i64}
// CHECK: arith.extf %[[V]]#0
// CHECK: arith.index_cast %[[C]]#0
// CHECK: %[[A:.+]] = arith.bitcast {{.*}} to tensor<1xf64
// CHECK: arith.extf %[[V]]#1
// CHECK: arith.index_cast %[[C]]#1
// CHECK: %[[B:.+]] = arith.bitcast {{.*}} to tensor<1xf64
// CHECK: smx_gpu.store %[[A]]
// CHECK: smx_gpu.store %[[B]]
smx_gpu.kernel @merge(%x: memref<?x65536xbf16>, %y: memref<?xf64>, %z: memref<?xf64>, %w: memref<?xf32>) warps(2) {
  %c0 = arith.constant 0 : index
  %n = arith.constant 65536 : index
  %step = arith.constant 1024 : index
  %b = gpu.block_id x
  %none = arith.constant dense<0xFFF0000000000000> : tensor<1xf64, #value>
  %nowhere = arith.constant dense<0xFFF0000000000000> : tensor<1x1024xf64, #row>
  %low = arith.constant dense<0xFF800000> : tensor<1xf32, #value>
  %zero = arith.constant dense<0.0> : tensor<1x1024xf32, #row>
  %least = arith.constant dense<0xCC70000000000000> : tensor<1x1024xf64, #row>
  %most = arith.constant dense<0x4C70000000000000> : tensor<1x1024xf64, #row>
  %izero = arith.constant dense<0> : tensor<1x1024xi64, #row>
  %imost = arith.constant dense<536870911> : tensor<1x1024xi64, #row>
  %p = smx_gpu.position 1 : tensor<1x1024xindex, #row>
  %r:3 = scf.for %j = %c0 to %n step %step iter_args(%m = %low, %k0 = %none, %k1 = %none)
      -> (tensor<1xf32, #value>, tensor<1xf64, #value>, tensor<1xf64, #value>) {
    %t = smx_gpu.load %x[%b, %j] dims [-1, 1] {aligned = 16 : i64} : memref<?x65536xbf16> -> tensor<1x1024xbf16, #row>
    %f = arith.extf %t : tensor<1x1024xbf16, #row> to tensor<1x1024xf32, #row>
    %s = tensor.splat %j : tensor<1x1024xindex, #row>
    %place = arith.addi %s, %p : tensor<1x1024xindex, #row>
    %g = arith.addf %f, %zero : tensor<1x1024xf32, #row>
    %d = arith.extf %g : tensor<1x1024xf32, #row> to tensor<1x1024xf64, #row>
    %above = arith.cmpf ogt, %d, %least : tensor<1x1024xf64, #row>
    %d1 = arith.select %above, %d, %least : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
    %below = arith.cmpf olt, %d1, %most : tensor<1x1024xf64, #row>
    %d2 = arith.select %below, %d1, %most : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
    %bits = arith.bitcast %d2 : tensor<1x1024xf64, #row> to tensor<1x1024xi64, #row>
    %i = arith.index_cast %place : tensor<1x1024xindex, #row> to tensor<1x1024xi64, #row>
    %negative = arith.cmpi slt, %bits, %izero : tensor<1x1024xi64, #row>
    %rest = arith.subi %imost, %i : tensor<1x1024xi64, #row>
    %lowbits = arith.select %negative, %i, %rest : tensor<1x1024xi1, #row>, tensor<1x1024xi64, #row>
    %both = arith.ori %bits, %lowbits : tensor<1x1024xi64, #row>
    %keys = arith.bitcast %both : tensor<1x1024xi64, #row> to tensor<1x1024xf64, #row>
    %mt = smx_gpu.reduce <maxnum> %f dim 1 : tensor<1x1024xf32, #row> -> tensor<1xf32, #value>
    %m1 = arith.maxnumf %mt, %m : tensor<1xf32, #value>
    %t0 = smx_gpu.reduce <maxnum> %keys dim 1 : tensor<1x1024xf64, #row> -> tensor<1xf64, #value>
    %t0b = smx_gpu.broadcast %t0 : tensor<1xf64, #value> -> tensor<1x1024xf64, #row>
    %is = arith.cmpf ogt, %t0b, %keys : tensor<1x1024xf64, #row>
    %left = arith.select %is, %keys, %nowhere : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
    %t1 = smx_gpu.reduce <maxnum> %left dim 1 : tensor<1x1024xf64, #row> -> tensor<1xf64, #value>
    %a = arith.maxnumf %k0, %t1 : tensor<1xf64, #value>
    %c = arith.maxnumf %k1, %t0 : tensor<1xf64, #value>
    %isFalling = arith.cmpf ogt, %a, %c : tensor<1xf64, #value>
    %n0 = arith.select %isFalling, %a, %c : tensor<1xi1, #value>, tensor<1xf64, #value>
    %n1 = arith.select %isFalling, %c, %a : tensor<1xi1, #value>, tensor<1xf64, #value>
    scf.yield %m1, %n0, %n1 : tensor<1xf32, #value>, tensor<1xf64, #value>, tensor<1xf64, #value>
  }
  smx_gpu.store %r#0, %w[%b] dims [-1] : tensor<1xf32, #value>, memref<?xf32>
  smx_gpu.store %r#1, %y[%b] dims [-1] : tensor<1xf64, #value>, memref<?xf64>
  smx_gpu.store %r#2, %z[%b] dims [-1] : tensor<1xf64, #value>, memref<?xf64>
  smx_gpu.return
}

// -----

// The second of the tile is not merged: of two keys in one tile the smaller one is lost.
#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 8>
#value = #smx_gpu.slice<1, #row>

// CHECK-LABEL: smx_gpu.kernel @smaller
// CHECK-NOT: smx_gpu.largest
smx_gpu.kernel @smaller(%x: memref<?x65536xbf16>, %y: memref<?xf64>, %z: memref<?xf64>, %w: memref<?xf32>) warps(2) {
  %c0 = arith.constant 0 : index
  %n = arith.constant 65536 : index
  %step = arith.constant 1024 : index
  %b = gpu.block_id x
  %none = arith.constant dense<0xFFF0000000000000> : tensor<1xf64, #value>
  %nowhere = arith.constant dense<0xFFF0000000000000> : tensor<1x1024xf64, #row>
  %low = arith.constant dense<0xFF800000> : tensor<1xf32, #value>
  %zero = arith.constant dense<0.0> : tensor<1x1024xf32, #row>
  %least = arith.constant dense<0xCC70000000000000> : tensor<1x1024xf64, #row>
  %most = arith.constant dense<0x4C70000000000000> : tensor<1x1024xf64, #row>
  %izero = arith.constant dense<0> : tensor<1x1024xi64, #row>
  %imost = arith.constant dense<536870911> : tensor<1x1024xi64, #row>
  %p = smx_gpu.position 1 : tensor<1x1024xindex, #row>
  %r:3 = scf.for %j = %c0 to %n step %step iter_args(%m = %low, %k0 = %none, %k1 = %none)
      -> (tensor<1xf32, #value>, tensor<1xf64, #value>, tensor<1xf64, #value>) {
    %t = smx_gpu.load %x[%b, %j] dims [-1, 1] {aligned = 16 : i64} : memref<?x65536xbf16> -> tensor<1x1024xbf16, #row>
    %f = arith.extf %t : tensor<1x1024xbf16, #row> to tensor<1x1024xf32, #row>
    %s = tensor.splat %j : tensor<1x1024xindex, #row>
    %place = arith.addi %s, %p : tensor<1x1024xindex, #row>
    %g = arith.addf %f, %zero : tensor<1x1024xf32, #row>
    %d = arith.extf %g : tensor<1x1024xf32, #row> to tensor<1x1024xf64, #row>
    %above = arith.cmpf ogt, %d, %least : tensor<1x1024xf64, #row>
    %d1 = arith.select %above, %d, %least : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
    %below = arith.cmpf olt, %d1, %most : tensor<1x1024xf64, #row>
    %d2 = arith.select %below, %d1, %most : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
    %bits = arith.bitcast %d2 : tensor<1x1024xf64, #row> to tensor<1x1024xi64, #row>
    %i = arith.index_cast %place : tensor<1x1024xindex, #row> to tensor<1x1024xi64, #row>
    %negative = arith.cmpi slt, %bits, %izero : tensor<1x1024xi64, #row>
    %rest = arith.subi %imost, %i : tensor<1x1024xi64, #row>
    %lowbits = arith.select %negative, %i, %rest : tensor<1x1024xi1, #row>, tensor<1x1024xi64, #row>
    %both = arith.ori %bits, %lowbits : tensor<1x1024xi64, #row>
    %keys = arith.bitcast %both : tensor<1x1024xi64, #row> to tensor<1x1024xf64, #row>
    %mt = smx_gpu.reduce <maxnum> %f dim 1 : tensor<1x1024xf32, #row> -> tensor<1xf32, #value>
    %m1 = arith.maxnumf %mt, %m : tensor<1xf32, #value>
    %t0 = smx_gpu.reduce <maxnum> %keys dim 1 : tensor<1x1024xf64, #row> -> tensor<1xf64, #value>
    %t0b = smx_gpu.broadcast %t0 : tensor<1xf64, #value> -> tensor<1x1024xf64, #row>
    %is = arith.cmpf ogt, %t0b, %keys : tensor<1x1024xf64, #row>
    %left = arith.select %is, %keys, %nowhere : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
    %t1 = smx_gpu.reduce <maxnum> %left dim 1 : tensor<1x1024xf64, #row> -> tensor<1xf64, #value>
    %a = arith.maxnumf %k0, %none : tensor<1xf64, #value>
    %c = arith.maxnumf %k1, %t0 : tensor<1xf64, #value>
    %isFalling = arith.cmpf ogt, %a, %c : tensor<1xf64, #value>
    %n0 = arith.select %isFalling, %a, %c : tensor<1xi1, #value>, tensor<1xf64, #value>
    %n1 = arith.select %isFalling, %c, %a : tensor<1xi1, #value>, tensor<1xf64, #value>
    scf.yield %m1, %n0, %n1 : tensor<1xf32, #value>, tensor<1xf64, #value>, tensor<1xf64, #value>
  }
  smx_gpu.store %r#0, %w[%b] dims [-1] : tensor<1xf32, #value>, memref<?xf32>
  smx_gpu.store %r#1, %y[%b] dims [-1] : tensor<1xf64, #value>, memref<?xf64>
  smx_gpu.store %r#2, %z[%b] dims [-1] : tensor<1xf64, #value>, memref<?xf64>
  smx_gpu.return
}

// -----

// The lists rise.
#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 8>
#value = #smx_gpu.slice<1, #row>

// CHECK-LABEL: smx_gpu.kernel @rising
// CHECK-NOT: smx_gpu.largest
smx_gpu.kernel @rising(%x: memref<?x65536xbf16>, %y: memref<?xf64>, %z: memref<?xf64>, %w: memref<?xf32>) warps(2) {
  %c0 = arith.constant 0 : index
  %n = arith.constant 65536 : index
  %step = arith.constant 1024 : index
  %b = gpu.block_id x
  %none = arith.constant dense<0xFFF0000000000000> : tensor<1xf64, #value>
  %nowhere = arith.constant dense<0xFFF0000000000000> : tensor<1x1024xf64, #row>
  %low = arith.constant dense<0xFF800000> : tensor<1xf32, #value>
  %zero = arith.constant dense<0.0> : tensor<1x1024xf32, #row>
  %least = arith.constant dense<0xCC70000000000000> : tensor<1x1024xf64, #row>
  %most = arith.constant dense<0x4C70000000000000> : tensor<1x1024xf64, #row>
  %izero = arith.constant dense<0> : tensor<1x1024xi64, #row>
  %imost = arith.constant dense<536870911> : tensor<1x1024xi64, #row>
  %p = smx_gpu.position 1 : tensor<1x1024xindex, #row>
  %r:3 = scf.for %j = %c0 to %n step %step iter_args(%m = %low, %k0 = %none, %k1 = %none)
      -> (tensor<1xf32, #value>, tensor<1xf64, #value>, tensor<1xf64, #value>) {
    %t = smx_gpu.load %x[%b, %j] dims [-1, 1] {aligned = 16 : i64} : memref<?x65536xbf16> -> tensor<1x1024xbf16, #row>
    %f = arith.extf %t : tensor<1x1024xbf16, #row> to tensor<1x1024xf32, #row>
    %s = tensor.splat %j : tensor<1x1024xindex, #row>
    %place = arith.addi %s, %p : tensor<1x1024xindex, #row>
    %g = arith.addf %f, %zero : tensor<1x1024xf32, #row>
    %d = arith.extf %g : tensor<1x1024xf32, #row> to tensor<1x1024xf64, #row>
    %above = arith.cmpf ogt, %d, %least : tensor<1x1024xf64, #row>
    %d1 = arith.select %above, %d, %least : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
    %below = arith.cmpf olt, %d1, %most : tensor<1x1024xf64, #row>
    %d2 = arith.select %below, %d1, %most : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
    %bits = arith.bitcast %d2 : tensor<1x1024xf64, #row> to tensor<1x1024xi64, #row>
    %i = arith.index_cast %place : tensor<1x1024xindex, #row> to tensor<1x1024xi64, #row>
    %negative = arith.cmpi slt, %bits, %izero : tensor<1x1024xi64, #row>
    %rest = arith.subi %imost, %i : tensor<1x1024xi64, #row>
    %lowbits = arith.select %negative, %i, %rest : tensor<1x1024xi1, #row>, tensor<1x1024xi64, #row>
    %both = arith.ori %bits, %lowbits : tensor<1x1024xi64, #row>
    %keys = arith.bitcast %both : tensor<1x1024xi64, #row> to tensor<1x1024xf64, #row>
    %mt = smx_gpu.reduce <maxnum> %f dim 1 : tensor<1x1024xf32, #row> -> tensor<1xf32, #value>
    %m1 = arith.maxnumf %mt, %m : tensor<1xf32, #value>
    %t0 = smx_gpu.reduce <maxnum> %keys dim 1 : tensor<1x1024xf64, #row> -> tensor<1xf64, #value>
    %t0b = smx_gpu.broadcast %t0 : tensor<1xf64, #value> -> tensor<1x1024xf64, #row>
    %is = arith.cmpf ogt, %t0b, %keys : tensor<1x1024xf64, #row>
    %left = arith.select %is, %keys, %nowhere : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
    %t1 = smx_gpu.reduce <maxnum> %left dim 1 : tensor<1x1024xf64, #row> -> tensor<1xf64, #value>
    %a = arith.maxnumf %k0, %t1 : tensor<1xf64, #value>
    %c = arith.maxnumf %k1, %t0 : tensor<1xf64, #value>
    %isFalling = arith.cmpf ogt, %a, %c : tensor<1xf64, #value>
    %n0 = arith.select %isFalling, %a, %c : tensor<1xi1, #value>, tensor<1xf64, #value>
    %n1 = arith.select %isFalling, %c, %a : tensor<1xi1, #value>, tensor<1xf64, #value>
    scf.yield %m1, %n1, %n0 : tensor<1xf32, #value>, tensor<1xf64, #value>, tensor<1xf64, #value>
  }
  smx_gpu.store %r#0, %w[%b] dims [-1] : tensor<1xf32, #value>, memref<?xf32>
  smx_gpu.store %r#1, %y[%b] dims [-1] : tensor<1xf64, #value>, memref<?xf64>
  smx_gpu.store %r#2, %z[%b] dims [-1] : tensor<1xf64, #value>, memref<?xf64>
  smx_gpu.return
}

// -----

// The row begins in another tile: places are not those of the row.
#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 8>
#value = #smx_gpu.slice<1, #row>

// CHECK-LABEL: smx_gpu.kernel @later
// CHECK-NOT: smx_gpu.largest
smx_gpu.kernel @later(%x: memref<?x65536xbf16>, %y: memref<?xf64>, %z: memref<?xf64>, %w: memref<?xf32>) warps(2) {
  %c0 = arith.constant 0 : index
  %n = arith.constant 65536 : index
  %step = arith.constant 1024 : index
  %b = gpu.block_id x
  %none = arith.constant dense<0xFFF0000000000000> : tensor<1xf64, #value>
  %nowhere = arith.constant dense<0xFFF0000000000000> : tensor<1x1024xf64, #row>
  %low = arith.constant dense<0xFF800000> : tensor<1xf32, #value>
  %zero = arith.constant dense<0.0> : tensor<1x1024xf32, #row>
  %least = arith.constant dense<0xCC70000000000000> : tensor<1x1024xf64, #row>
  %most = arith.constant dense<0x4C70000000000000> : tensor<1x1024xf64, #row>
  %izero = arith.constant dense<0> : tensor<1x1024xi64, #row>
  %imost = arith.constant dense<536870911> : tensor<1x1024xi64, #row>
  %p = smx_gpu.position 1 : tensor<1x1024xindex, #row>
  %r:3 = scf.for %j = %c0 to %n step %step iter_args(%m = %low, %k0 = %none, %k1 = %none)
      -> (tensor<1xf32, #value>, tensor<1xf64, #value>, tensor<1xf64, #value>) {
    %t = smx_gpu.load %x[%b, %j] dims [-1, 1] {aligned = 16 : i64} : memref<?x65536xbf16> -> tensor<1x1024xbf16, #row>
    %f = arith.extf %t : tensor<1x1024xbf16, #row> to tensor<1x1024xf32, #row>
    %s = tensor.splat %j : tensor<1x1024xindex, #row>
    %place = arith.addi %p, %p : tensor<1x1024xindex, #row>
    %g = arith.addf %f, %zero : tensor<1x1024xf32, #row>
    %d = arith.extf %g : tensor<1x1024xf32, #row> to tensor<1x1024xf64, #row>
    %above = arith.cmpf ogt, %d, %least : tensor<1x1024xf64, #row>
    %d1 = arith.select %above, %d, %least : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
    %below = arith.cmpf olt, %d1, %most : tensor<1x1024xf64, #row>
    %d2 = arith.select %below, %d1, %most : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
    %bits = arith.bitcast %d2 : tensor<1x1024xf64, #row> to tensor<1x1024xi64, #row>
    %i = arith.index_cast %place : tensor<1x1024xindex, #row> to tensor<1x1024xi64, #row>
    %negative = arith.cmpi slt, %bits, %izero : tensor<1x1024xi64, #row>
    %rest = arith.subi %imost, %i : tensor<1x1024xi64, #row>
    %lowbits = arith.select %negative, %i, %rest : tensor<1x1024xi1, #row>, tensor<1x1024xi64, #row>
    %both = arith.ori %bits, %lowbits : tensor<1x1024xi64, #row>
    %keys = arith.bitcast %both : tensor<1x1024xi64, #row> to tensor<1x1024xf64, #row>
    %mt = smx_gpu.reduce <maxnum> %f dim 1 : tensor<1x1024xf32, #row> -> tensor<1xf32, #value>
    %m1 = arith.maxnumf %mt, %m : tensor<1xf32, #value>
    %t0 = smx_gpu.reduce <maxnum> %keys dim 1 : tensor<1x1024xf64, #row> -> tensor<1xf64, #value>
    %t0b = smx_gpu.broadcast %t0 : tensor<1xf64, #value> -> tensor<1x1024xf64, #row>
    %is = arith.cmpf ogt, %t0b, %keys : tensor<1x1024xf64, #row>
    %left = arith.select %is, %keys, %nowhere : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
    %t1 = smx_gpu.reduce <maxnum> %left dim 1 : tensor<1x1024xf64, #row> -> tensor<1xf64, #value>
    %a = arith.maxnumf %k0, %t1 : tensor<1xf64, #value>
    %c = arith.maxnumf %k1, %t0 : tensor<1xf64, #value>
    %isFalling = arith.cmpf ogt, %a, %c : tensor<1xf64, #value>
    %n0 = arith.select %isFalling, %a, %c : tensor<1xi1, #value>, tensor<1xf64, #value>
    %n1 = arith.select %isFalling, %c, %a : tensor<1xi1, #value>, tensor<1xf64, #value>
    scf.yield %m1, %n0, %n1 : tensor<1xf32, #value>, tensor<1xf64, #value>, tensor<1xf64, #value>
  }
  smx_gpu.store %r#0, %w[%b] dims [-1] : tensor<1xf32, #value>, memref<?xf32>
  smx_gpu.store %r#1, %y[%b] dims [-1] : tensor<1xf64, #value>, memref<?xf64>
  smx_gpu.store %r#2, %z[%b] dims [-1] : tensor<1xf64, #value>, memref<?xf64>
  smx_gpu.return
}

// -----

// The last tile is cut.
#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 8>
#value = #smx_gpu.slice<1, #row>

// CHECK-LABEL: smx_gpu.kernel @other_end
// CHECK-NOT: smx_gpu.largest
smx_gpu.kernel @other_end(%x: memref<?x65536xbf16>, %y: memref<?xf64>, %z: memref<?xf64>, %w: memref<?xf32>) warps(2) {
  %c0 = arith.constant 0 : index
  %n = arith.constant 65000 : index
  %step = arith.constant 1024 : index
  %b = gpu.block_id x
  %none = arith.constant dense<0xFFF0000000000000> : tensor<1xf64, #value>
  %nowhere = arith.constant dense<0xFFF0000000000000> : tensor<1x1024xf64, #row>
  %low = arith.constant dense<0xFF800000> : tensor<1xf32, #value>
  %zero = arith.constant dense<0.0> : tensor<1x1024xf32, #row>
  %least = arith.constant dense<0xCC70000000000000> : tensor<1x1024xf64, #row>
  %most = arith.constant dense<0x4C70000000000000> : tensor<1x1024xf64, #row>
  %izero = arith.constant dense<0> : tensor<1x1024xi64, #row>
  %imost = arith.constant dense<536870911> : tensor<1x1024xi64, #row>
  %p = smx_gpu.position 1 : tensor<1x1024xindex, #row>
  %r:3 = scf.for %j = %c0 to %n step %step iter_args(%m = %low, %k0 = %none, %k1 = %none)
      -> (tensor<1xf32, #value>, tensor<1xf64, #value>, tensor<1xf64, #value>) {
    %t = smx_gpu.load %x[%b, %j] dims [-1, 1] {aligned = 16 : i64} : memref<?x65536xbf16> -> tensor<1x1024xbf16, #row>
    %f = arith.extf %t : tensor<1x1024xbf16, #row> to tensor<1x1024xf32, #row>
    %s = tensor.splat %j : tensor<1x1024xindex, #row>
    %place = arith.addi %s, %p : tensor<1x1024xindex, #row>
    %g = arith.addf %f, %zero : tensor<1x1024xf32, #row>
    %d = arith.extf %g : tensor<1x1024xf32, #row> to tensor<1x1024xf64, #row>
    %above = arith.cmpf ogt, %d, %least : tensor<1x1024xf64, #row>
    %d1 = arith.select %above, %d, %least : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
    %below = arith.cmpf olt, %d1, %most : tensor<1x1024xf64, #row>
    %d2 = arith.select %below, %d1, %most : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
    %bits = arith.bitcast %d2 : tensor<1x1024xf64, #row> to tensor<1x1024xi64, #row>
    %i = arith.index_cast %place : tensor<1x1024xindex, #row> to tensor<1x1024xi64, #row>
    %negative = arith.cmpi slt, %bits, %izero : tensor<1x1024xi64, #row>
    %rest = arith.subi %imost, %i : tensor<1x1024xi64, #row>
    %lowbits = arith.select %negative, %i, %rest : tensor<1x1024xi1, #row>, tensor<1x1024xi64, #row>
    %both = arith.ori %bits, %lowbits : tensor<1x1024xi64, #row>
    %keys = arith.bitcast %both : tensor<1x1024xi64, #row> to tensor<1x1024xf64, #row>
    %mt = smx_gpu.reduce <maxnum> %f dim 1 : tensor<1x1024xf32, #row> -> tensor<1xf32, #value>
    %m1 = arith.maxnumf %mt, %m : tensor<1xf32, #value>
    %t0 = smx_gpu.reduce <maxnum> %keys dim 1 : tensor<1x1024xf64, #row> -> tensor<1xf64, #value>
    %t0b = smx_gpu.broadcast %t0 : tensor<1xf64, #value> -> tensor<1x1024xf64, #row>
    %is = arith.cmpf ogt, %t0b, %keys : tensor<1x1024xf64, #row>
    %left = arith.select %is, %keys, %nowhere : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
    %t1 = smx_gpu.reduce <maxnum> %left dim 1 : tensor<1x1024xf64, #row> -> tensor<1xf64, #value>
    %a = arith.maxnumf %k0, %t1 : tensor<1xf64, #value>
    %c = arith.maxnumf %k1, %t0 : tensor<1xf64, #value>
    %isFalling = arith.cmpf ogt, %a, %c : tensor<1xf64, #value>
    %n0 = arith.select %isFalling, %a, %c : tensor<1xi1, #value>, tensor<1xf64, #value>
    %n1 = arith.select %isFalling, %c, %a : tensor<1xi1, #value>, tensor<1xf64, #value>
    scf.yield %m1, %n0, %n1 : tensor<1xf32, #value>, tensor<1xf64, #value>, tensor<1xf64, #value>
  }
  smx_gpu.store %r#0, %w[%b] dims [-1] : tensor<1xf32, #value>, memref<?xf32>
  smx_gpu.store %r#1, %y[%b] dims [-1] : tensor<1xf64, #value>, memref<?xf64>
  smx_gpu.store %r#2, %z[%b] dims [-1] : tensor<1xf64, #value>, memref<?xf64>
  smx_gpu.return
}

// -----

// A key decides something else.
#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 8>
#value = #smx_gpu.slice<1, #row>

// CHECK-LABEL: smx_gpu.kernel @other_use
// CHECK-NOT: smx_gpu.largest
smx_gpu.kernel @other_use(%x: memref<?x65536xbf16>, %y: memref<?xf64>, %z: memref<?xf64>, %w: memref<?xf32>) warps(2) {
  %c0 = arith.constant 0 : index
  %n = arith.constant 65536 : index
  %step = arith.constant 1024 : index
  %b = gpu.block_id x
  %none = arith.constant dense<0xFFF0000000000000> : tensor<1xf64, #value>
  %nowhere = arith.constant dense<0xFFF0000000000000> : tensor<1x1024xf64, #row>
  %low = arith.constant dense<0xFF800000> : tensor<1xf32, #value>
  %zero = arith.constant dense<0.0> : tensor<1x1024xf32, #row>
  %least = arith.constant dense<0xCC70000000000000> : tensor<1x1024xf64, #row>
  %most = arith.constant dense<0x4C70000000000000> : tensor<1x1024xf64, #row>
  %izero = arith.constant dense<0> : tensor<1x1024xi64, #row>
  %imost = arith.constant dense<536870911> : tensor<1x1024xi64, #row>
  %p = smx_gpu.position 1 : tensor<1x1024xindex, #row>
  %r:3 = scf.for %j = %c0 to %n step %step iter_args(%m = %low, %k0 = %none, %k1 = %none)
      -> (tensor<1xf32, #value>, tensor<1xf64, #value>, tensor<1xf64, #value>) {
    %t = smx_gpu.load %x[%b, %j] dims [-1, 1] {aligned = 16 : i64} : memref<?x65536xbf16> -> tensor<1x1024xbf16, #row>
    %f = arith.extf %t : tensor<1x1024xbf16, #row> to tensor<1x1024xf32, #row>
    %s = tensor.splat %j : tensor<1x1024xindex, #row>
    %place = arith.addi %s, %p : tensor<1x1024xindex, #row>
    %g = arith.addf %f, %zero : tensor<1x1024xf32, #row>
    %d = arith.extf %g : tensor<1x1024xf32, #row> to tensor<1x1024xf64, #row>
    %above = arith.cmpf ogt, %d, %least : tensor<1x1024xf64, #row>
    %d1 = arith.select %above, %d, %least : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
    %below = arith.cmpf olt, %d1, %most : tensor<1x1024xf64, #row>
    %d2 = arith.select %below, %d1, %most : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
    %bits = arith.bitcast %d2 : tensor<1x1024xf64, #row> to tensor<1x1024xi64, #row>
    %i = arith.index_cast %place : tensor<1x1024xindex, #row> to tensor<1x1024xi64, #row>
    %negative = arith.cmpi slt, %bits, %izero : tensor<1x1024xi64, #row>
    %rest = arith.subi %imost, %i : tensor<1x1024xi64, #row>
    %lowbits = arith.select %negative, %i, %rest : tensor<1x1024xi1, #row>, tensor<1x1024xi64, #row>
    %both = arith.ori %bits, %lowbits : tensor<1x1024xi64, #row>
    %keys = arith.bitcast %both : tensor<1x1024xi64, #row> to tensor<1x1024xf64, #row>
    %mt = smx_gpu.reduce <maxnum> %f dim 1 : tensor<1x1024xf32, #row> -> tensor<1xf32, #value>
    %kf = arith.truncf %k0 : tensor<1xf64, #value> to tensor<1xf32, #value>
    %m1 = arith.maxnumf %mt, %kf : tensor<1xf32, #value>
    %t0 = smx_gpu.reduce <maxnum> %keys dim 1 : tensor<1x1024xf64, #row> -> tensor<1xf64, #value>
    %t0b = smx_gpu.broadcast %t0 : tensor<1xf64, #value> -> tensor<1x1024xf64, #row>
    %is = arith.cmpf ogt, %t0b, %keys : tensor<1x1024xf64, #row>
    %left = arith.select %is, %keys, %nowhere : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
    %t1 = smx_gpu.reduce <maxnum> %left dim 1 : tensor<1x1024xf64, #row> -> tensor<1xf64, #value>
    %a = arith.maxnumf %k0, %t1 : tensor<1xf64, #value>
    %c = arith.maxnumf %k1, %t0 : tensor<1xf64, #value>
    %isFalling = arith.cmpf ogt, %a, %c : tensor<1xf64, #value>
    %n0 = arith.select %isFalling, %a, %c : tensor<1xi1, #value>, tensor<1xf64, #value>
    %n1 = arith.select %isFalling, %c, %a : tensor<1xi1, #value>, tensor<1xf64, #value>
    scf.yield %m1, %n0, %n1 : tensor<1xf32, #value>, tensor<1xf64, #value>, tensor<1xf64, #value>
  }
  smx_gpu.store %r#0, %w[%b] dims [-1] : tensor<1xf32, #value>, memref<?xf32>
  smx_gpu.store %r#1, %y[%b] dims [-1] : tensor<1xf64, #value>, memref<?xf64>
  smx_gpu.store %r#2, %z[%b] dims [-1] : tensor<1xf64, #value>, memref<?xf64>
  smx_gpu.return
}
