// RUN: softmax-opt %s --split-input-file --pass-pipeline='builtin.module(smx_gpu.kernel(smx-gpu-largest-of-stream))' | FileCheck %s
// The rest of a row behind the loop: its maxima, of what is in the row, join those of the loop.
#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 8>
#value = #smx_gpu.slice<1, #row>

// CHECK-LABEL: smx_gpu.kernel @rest
// CHECK: %[[R:.+]]:5 = scf.for
// CHECK: smx_gpu.partial_reduce <maximum>
// CHECK: }
// CHECK: %[[X:.+]] = smx_gpu.load %[[MEM:.+]][%[[I:.+]], %{{.+}}] valid(
// CHECK-NOT: smx_gpu.reduce {{.*}}f64
// CHECK: %[[ELEMENTS:.+]] = arith.select %{{.+}}, %[[X]], %{{.+}} : tensor<1x1024xi1, {{.+}}>, tensor<1x1024xbf16,
// CHECK: %[[P:.+]] = smx_gpu.partial_reduce <maximum> %[[ELEMENTS]]
// CHECK: %[[M:.+]] = arith.maximumf %[[R]]#1, %[[P]]
// It is a round, too.
// CHECK: %[[OF_REST:.+]] = smx_gpu.reduce <maxnum>
// CHECK: %[[IS_MOST:.+]] = arith.cmpf ogt, %[[OF_REST]], %[[R]]#2
// CHECK: %[[START:.+]] = arith.select %[[IS_MOST]], %{{.+}}, %[[R]]#3
// CHECK: %[[SECOND:.+]] = arith.maxnumf %[[R]]#4,
// CHECK: smx_gpu.largest %[[M]] of %[[MEM]][%[[I]], %{{.+}}] extent(65512) rounds(%[[START]], %[[SECOND]] span 1024)
// CHECK-NOT: smx_gpu.largest
// CHECK-NOT: smx_gpu.reduce {{.*}}f64
// CHECK: smx_gpu.return
smx_gpu.kernel @rest(%x: memref<?x65512xbf16>, %y: memref<?xf64>, %z: memref<?xf64>, %w: memref<?xf32>) warps(2) {
  %c0 = arith.constant 0 : index
  %n = arith.constant 64512 : index
  %c1 = arith.constant 1 : index
  %c1000 = arith.constant 1000 : index
  %from = arith.constant dense<64512> : tensor<1x1024xindex, #row>
  %end = arith.constant dense<1000> : tensor<1x1024xindex, #row>
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
    %t = smx_gpu.load %x[%b, %j] dims [-1, 1] {aligned = 16 : i64} : memref<?x65512xbf16> -> tensor<1x1024xbf16, #row>
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
  %tr = smx_gpu.load %x[%b, %n] valid(%c1, %c1000) dims [-1, 1] {aligned = 16 : i64} : memref<?x65512xbf16> -> tensor<1x1024xbf16, #row>
  %fr = arith.extf %tr : tensor<1x1024xbf16, #row> to tensor<1x1024xf32, #row>
  %placer = arith.addi %from, %p : tensor<1x1024xindex, #row>
  %gr = arith.addf %fr, %zero : tensor<1x1024xf32, #row>
  %dr = arith.extf %gr : tensor<1x1024xf32, #row> to tensor<1x1024xf64, #row>
  %abover = arith.cmpf ogt, %dr, %least : tensor<1x1024xf64, #row>
  %d1r = arith.select %abover, %dr, %least : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
  %belowr = arith.cmpf olt, %d1r, %most : tensor<1x1024xf64, #row>
  %d2r = arith.select %belowr, %d1r, %most : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
  %bitsr = arith.bitcast %d2r : tensor<1x1024xf64, #row> to tensor<1x1024xi64, #row>
  %ir = arith.index_cast %placer : tensor<1x1024xindex, #row> to tensor<1x1024xi64, #row>
  %negativer = arith.cmpi slt, %bitsr, %izero : tensor<1x1024xi64, #row>
  %restr = arith.subi %imost, %ir : tensor<1x1024xi64, #row>
  %lowbitsr = arith.select %negativer, %ir, %restr : tensor<1x1024xi1, #row>, tensor<1x1024xi64, #row>
  %bothr = arith.ori %bitsr, %lowbitsr : tensor<1x1024xi64, #row>
  %keysr = arith.bitcast %bothr : tensor<1x1024xi64, #row> to tensor<1x1024xf64, #row>
  %mtr = smx_gpu.reduce <maxnum> %fr dim 1 : tensor<1x1024xf32, #row> -> tensor<1xf32, #value>
  %m1r = arith.maxnumf %mtr, %r#0 : tensor<1xf32, #value>
  %in = arith.cmpi slt, %p, %end : tensor<1x1024xindex, #row>
  %firstr = arith.select %in, %keysr, %nowhere : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
  %t0r = smx_gpu.reduce <maxnum> %firstr dim 1 : tensor<1x1024xf64, #row> -> tensor<1xf64, #value>
  %t0br = smx_gpu.broadcast %t0r : tensor<1xf64, #value> -> tensor<1x1024xf64, #row>
  %isr = arith.cmpf ogt, %t0br, %keysr : tensor<1x1024xf64, #row>
  %isin = arith.andi %isr, %in : tensor<1x1024xi1, #row>
  %leftr = arith.select %isin, %keysr, %nowhere : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
  %t1r = smx_gpu.reduce <maxnum> %leftr dim 1 : tensor<1x1024xf64, #row> -> tensor<1xf64, #value>
  %ar = arith.maxnumf %r#1, %t1r : tensor<1xf64, #value>
  %cr = arith.maxnumf %r#2, %t0r : tensor<1xf64, #value>
  %isFallingr = arith.cmpf ogt, %ar, %cr : tensor<1xf64, #value>
  %n0r = arith.select %isFallingr, %ar, %cr : tensor<1xi1, #value>, tensor<1xf64, #value>
  %n1r = arith.select %isFallingr, %cr, %ar : tensor<1xi1, #value>, tensor<1xf64, #value>
  smx_gpu.store %m1r, %w[%b] dims [-1] : tensor<1xf32, #value>, memref<?xf32>
  smx_gpu.store %n0r, %y[%b] dims [-1] : tensor<1xf64, #value>, memref<?xf64>
  smx_gpu.store %n1r, %z[%b] dims [-1] : tensor<1xf64, #value>, memref<?xf64>
  smx_gpu.return
}

// -----

// Other elements than those behind the loop: their keys are merged with those of the loop as they are.
#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 8>
#value = #smx_gpu.slice<1, #row>

// CHECK-LABEL: smx_gpu.kernel @rest_elsewhere
// CHECK: smx_gpu.largest {{.*}} extent(64512)
// CHECK: smx_gpu.reduce {{.*}}f64
// CHECK: smx_gpu.return
smx_gpu.kernel @rest_elsewhere(%x: memref<?x65512xbf16>, %y: memref<?xf64>, %z: memref<?xf64>, %w: memref<?xf32>) warps(2) {
  %c0 = arith.constant 0 : index
  %n = arith.constant 64512 : index
  %c1 = arith.constant 1 : index
  %c1000 = arith.constant 1000 : index
  %from = arith.constant dense<64512> : tensor<1x1024xindex, #row>
  %end = arith.constant dense<1000> : tensor<1x1024xindex, #row>
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
    %t = smx_gpu.load %x[%b, %j] dims [-1, 1] {aligned = 16 : i64} : memref<?x65512xbf16> -> tensor<1x1024xbf16, #row>
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
  %tr = smx_gpu.load %x[%b, %c0] valid(%c1, %c1000) dims [-1, 1] {aligned = 16 : i64} : memref<?x65512xbf16> -> tensor<1x1024xbf16, #row>
  %fr = arith.extf %tr : tensor<1x1024xbf16, #row> to tensor<1x1024xf32, #row>
  %placer = arith.addi %from, %p : tensor<1x1024xindex, #row>
  %gr = arith.addf %fr, %zero : tensor<1x1024xf32, #row>
  %dr = arith.extf %gr : tensor<1x1024xf32, #row> to tensor<1x1024xf64, #row>
  %abover = arith.cmpf ogt, %dr, %least : tensor<1x1024xf64, #row>
  %d1r = arith.select %abover, %dr, %least : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
  %belowr = arith.cmpf olt, %d1r, %most : tensor<1x1024xf64, #row>
  %d2r = arith.select %belowr, %d1r, %most : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
  %bitsr = arith.bitcast %d2r : tensor<1x1024xf64, #row> to tensor<1x1024xi64, #row>
  %ir = arith.index_cast %placer : tensor<1x1024xindex, #row> to tensor<1x1024xi64, #row>
  %negativer = arith.cmpi slt, %bitsr, %izero : tensor<1x1024xi64, #row>
  %restr = arith.subi %imost, %ir : tensor<1x1024xi64, #row>
  %lowbitsr = arith.select %negativer, %ir, %restr : tensor<1x1024xi1, #row>, tensor<1x1024xi64, #row>
  %bothr = arith.ori %bitsr, %lowbitsr : tensor<1x1024xi64, #row>
  %keysr = arith.bitcast %bothr : tensor<1x1024xi64, #row> to tensor<1x1024xf64, #row>
  %mtr = smx_gpu.reduce <maxnum> %fr dim 1 : tensor<1x1024xf32, #row> -> tensor<1xf32, #value>
  %m1r = arith.maxnumf %mtr, %r#0 : tensor<1xf32, #value>
  %in = arith.cmpi slt, %p, %end : tensor<1x1024xindex, #row>
  %firstr = arith.select %in, %keysr, %nowhere : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
  %t0r = smx_gpu.reduce <maxnum> %firstr dim 1 : tensor<1x1024xf64, #row> -> tensor<1xf64, #value>
  %t0br = smx_gpu.broadcast %t0r : tensor<1xf64, #value> -> tensor<1x1024xf64, #row>
  %isr = arith.cmpf ogt, %t0br, %keysr : tensor<1x1024xf64, #row>
  %isin = arith.andi %isr, %in : tensor<1x1024xi1, #row>
  %leftr = arith.select %isin, %keysr, %nowhere : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
  %t1r = smx_gpu.reduce <maxnum> %leftr dim 1 : tensor<1x1024xf64, #row> -> tensor<1xf64, #value>
  %ar = arith.maxnumf %r#1, %t1r : tensor<1xf64, #value>
  %cr = arith.maxnumf %r#2, %t0r : tensor<1xf64, #value>
  %isFallingr = arith.cmpf ogt, %ar, %cr : tensor<1xf64, #value>
  %n0r = arith.select %isFallingr, %ar, %cr : tensor<1xi1, #value>, tensor<1xf64, #value>
  %n1r = arith.select %isFallingr, %cr, %ar : tensor<1xi1, #value>, tensor<1xf64, #value>
  smx_gpu.store %m1r, %w[%b] dims [-1] : tensor<1xf32, #value>, memref<?xf32>
  smx_gpu.store %n0r, %y[%b] dims [-1] : tensor<1xf64, #value>, memref<?xf64>
  smx_gpu.store %n1r, %z[%b] dims [-1] : tensor<1xf64, #value>, memref<?xf64>
  smx_gpu.return
}

// -----

// Of the rest the second key is not merged.
#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 8>
#value = #smx_gpu.slice<1, #row>

// CHECK-LABEL: smx_gpu.kernel @rest_of_one
// CHECK: smx_gpu.largest {{.*}} extent(64512)
// CHECK: smx_gpu.reduce {{.*}}f64
// CHECK: smx_gpu.return
smx_gpu.kernel @rest_of_one(%x: memref<?x65512xbf16>, %y: memref<?xf64>, %z: memref<?xf64>, %w: memref<?xf32>) warps(2) {
  %c0 = arith.constant 0 : index
  %n = arith.constant 64512 : index
  %c1 = arith.constant 1 : index
  %c1000 = arith.constant 1000 : index
  %from = arith.constant dense<64512> : tensor<1x1024xindex, #row>
  %end = arith.constant dense<1000> : tensor<1x1024xindex, #row>
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
    %t = smx_gpu.load %x[%b, %j] dims [-1, 1] {aligned = 16 : i64} : memref<?x65512xbf16> -> tensor<1x1024xbf16, #row>
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
  %tr = smx_gpu.load %x[%b, %n] valid(%c1, %c1000) dims [-1, 1] {aligned = 16 : i64} : memref<?x65512xbf16> -> tensor<1x1024xbf16, #row>
  %fr = arith.extf %tr : tensor<1x1024xbf16, #row> to tensor<1x1024xf32, #row>
  %placer = arith.addi %from, %p : tensor<1x1024xindex, #row>
  %gr = arith.addf %fr, %zero : tensor<1x1024xf32, #row>
  %dr = arith.extf %gr : tensor<1x1024xf32, #row> to tensor<1x1024xf64, #row>
  %abover = arith.cmpf ogt, %dr, %least : tensor<1x1024xf64, #row>
  %d1r = arith.select %abover, %dr, %least : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
  %belowr = arith.cmpf olt, %d1r, %most : tensor<1x1024xf64, #row>
  %d2r = arith.select %belowr, %d1r, %most : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
  %bitsr = arith.bitcast %d2r : tensor<1x1024xf64, #row> to tensor<1x1024xi64, #row>
  %ir = arith.index_cast %placer : tensor<1x1024xindex, #row> to tensor<1x1024xi64, #row>
  %negativer = arith.cmpi slt, %bitsr, %izero : tensor<1x1024xi64, #row>
  %restr = arith.subi %imost, %ir : tensor<1x1024xi64, #row>
  %lowbitsr = arith.select %negativer, %ir, %restr : tensor<1x1024xi1, #row>, tensor<1x1024xi64, #row>
  %bothr = arith.ori %bitsr, %lowbitsr : tensor<1x1024xi64, #row>
  %keysr = arith.bitcast %bothr : tensor<1x1024xi64, #row> to tensor<1x1024xf64, #row>
  %mtr = smx_gpu.reduce <maxnum> %fr dim 1 : tensor<1x1024xf32, #row> -> tensor<1xf32, #value>
  %m1r = arith.maxnumf %mtr, %r#0 : tensor<1xf32, #value>
  %in = arith.cmpi slt, %p, %end : tensor<1x1024xindex, #row>
  %firstr = arith.select %in, %keysr, %nowhere : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
  %t0r = smx_gpu.reduce <maxnum> %firstr dim 1 : tensor<1x1024xf64, #row> -> tensor<1xf64, #value>
  %t0br = smx_gpu.broadcast %t0r : tensor<1xf64, #value> -> tensor<1x1024xf64, #row>
  %isr = arith.cmpf ogt, %t0br, %keysr : tensor<1x1024xf64, #row>
  %isin = arith.andi %isr, %in : tensor<1x1024xi1, #row>
  %leftr = arith.select %isin, %keysr, %nowhere : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
  %t1r = smx_gpu.reduce <maxnum> %leftr dim 1 : tensor<1x1024xf64, #row> -> tensor<1xf64, #value>
  %ar = arith.maxnumf %r#1, %none : tensor<1xf64, #value>
  %cr = arith.maxnumf %r#2, %t0r : tensor<1xf64, #value>
  %isFallingr = arith.cmpf ogt, %ar, %cr : tensor<1xf64, #value>
  %n0r = arith.select %isFallingr, %ar, %cr : tensor<1xi1, #value>, tensor<1xf64, #value>
  %n1r = arith.select %isFallingr, %cr, %ar : tensor<1xi1, #value>, tensor<1xf64, #value>
  smx_gpu.store %m1r, %w[%b] dims [-1] : tensor<1xf32, #value>, memref<?xf32>
  smx_gpu.store %n0r, %y[%b] dims [-1] : tensor<1xf64, #value>, memref<?xf64>
  smx_gpu.store %n1r, %z[%b] dims [-1] : tensor<1xf64, #value>, memref<?xf64>
  smx_gpu.return
}

// -----

// A key of the loop is stored, too.
#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 8>
#value = #smx_gpu.slice<1, #row>

// CHECK-LABEL: smx_gpu.kernel @rest_and_loop
// CHECK: smx_gpu.largest {{.*}} extent(64512)
// CHECK: smx_gpu.reduce {{.*}}f64
// CHECK: smx_gpu.return
smx_gpu.kernel @rest_and_loop(%x: memref<?x65512xbf16>, %y: memref<?xf64>, %z: memref<?xf64>, %w: memref<?xf32>) warps(2) {
  %c0 = arith.constant 0 : index
  %n = arith.constant 64512 : index
  %c1 = arith.constant 1 : index
  %c1000 = arith.constant 1000 : index
  %from = arith.constant dense<64512> : tensor<1x1024xindex, #row>
  %end = arith.constant dense<1000> : tensor<1x1024xindex, #row>
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
    %t = smx_gpu.load %x[%b, %j] dims [-1, 1] {aligned = 16 : i64} : memref<?x65512xbf16> -> tensor<1x1024xbf16, #row>
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
  %tr = smx_gpu.load %x[%b, %n] valid(%c1, %c1000) dims [-1, 1] {aligned = 16 : i64} : memref<?x65512xbf16> -> tensor<1x1024xbf16, #row>
  %fr = arith.extf %tr : tensor<1x1024xbf16, #row> to tensor<1x1024xf32, #row>
  %placer = arith.addi %from, %p : tensor<1x1024xindex, #row>
  %gr = arith.addf %fr, %zero : tensor<1x1024xf32, #row>
  %dr = arith.extf %gr : tensor<1x1024xf32, #row> to tensor<1x1024xf64, #row>
  %abover = arith.cmpf ogt, %dr, %least : tensor<1x1024xf64, #row>
  %d1r = arith.select %abover, %dr, %least : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
  %belowr = arith.cmpf olt, %d1r, %most : tensor<1x1024xf64, #row>
  %d2r = arith.select %belowr, %d1r, %most : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
  %bitsr = arith.bitcast %d2r : tensor<1x1024xf64, #row> to tensor<1x1024xi64, #row>
  %ir = arith.index_cast %placer : tensor<1x1024xindex, #row> to tensor<1x1024xi64, #row>
  %negativer = arith.cmpi slt, %bitsr, %izero : tensor<1x1024xi64, #row>
  %restr = arith.subi %imost, %ir : tensor<1x1024xi64, #row>
  %lowbitsr = arith.select %negativer, %ir, %restr : tensor<1x1024xi1, #row>, tensor<1x1024xi64, #row>
  %bothr = arith.ori %bitsr, %lowbitsr : tensor<1x1024xi64, #row>
  %keysr = arith.bitcast %bothr : tensor<1x1024xi64, #row> to tensor<1x1024xf64, #row>
  %mtr = smx_gpu.reduce <maxnum> %fr dim 1 : tensor<1x1024xf32, #row> -> tensor<1xf32, #value>
  %m1r = arith.maxnumf %mtr, %r#0 : tensor<1xf32, #value>
  %in = arith.cmpi slt, %p, %end : tensor<1x1024xindex, #row>
  %firstr = arith.select %in, %keysr, %nowhere : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
  %t0r = smx_gpu.reduce <maxnum> %firstr dim 1 : tensor<1x1024xf64, #row> -> tensor<1xf64, #value>
  %t0br = smx_gpu.broadcast %t0r : tensor<1xf64, #value> -> tensor<1x1024xf64, #row>
  %isr = arith.cmpf ogt, %t0br, %keysr : tensor<1x1024xf64, #row>
  %isin = arith.andi %isr, %in : tensor<1x1024xi1, #row>
  %leftr = arith.select %isin, %keysr, %nowhere : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
  %t1r = smx_gpu.reduce <maxnum> %leftr dim 1 : tensor<1x1024xf64, #row> -> tensor<1xf64, #value>
  %ar = arith.maxnumf %r#1, %t1r : tensor<1xf64, #value>
  %cr = arith.maxnumf %r#2, %t0r : tensor<1xf64, #value>
  %isFallingr = arith.cmpf ogt, %ar, %cr : tensor<1xf64, #value>
  %n0r = arith.select %isFallingr, %ar, %cr : tensor<1xi1, #value>, tensor<1xf64, #value>
  %n1r = arith.select %isFallingr, %cr, %ar : tensor<1xi1, #value>, tensor<1xf64, #value>
  smx_gpu.store %m1r, %w[%b] dims [-1] : tensor<1xf32, #value>, memref<?xf32>
  smx_gpu.store %n0r, %y[%b] dims [-1] : tensor<1xf64, #value>, memref<?xf64>
  smx_gpu.store %n1r, %z[%b] dims [-1] : tensor<1xf64, #value>, memref<?xf64>
  smx_gpu.store %r#2, %z[%b] dims [-1] : tensor<1xf64, #value>, memref<?xf64>
  smx_gpu.return
}
