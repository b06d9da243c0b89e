// RUN: softmax-opt %s --split-input-file --pass-pipeline='builtin.module(smx_gpu.kernel(smx-gpu-partial-states))' | FileCheck %s

// Squares that a loop adds up by a scale: each thread has its own scale and sum, and how many elements there are is the same for all.

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 4>
#value = #smx_gpu.slice<1, #row>

// CHECK-LABEL: smx_gpu.kernel @squares
// CHECK: %[[S:.+]]:3 = scf.for {{.*}} iter_args(%[[N0:.+]] = %{{.+}}, %[[S0:.+]] = %{{.+}}, %[[Q0:.+]] = %{{.+}}) -> (tensor<1xf32, {{.+}}>, tensor<64xf32, {{.+}}>, tensor<64xf32, {{.+}}>)
// CHECK: smx_gpu.reduce <maxnum> %{{.+}} dim 1 : tensor<64x4xf32
// CHECK: %[[R:.+]] = arith.divf %{{.+}}, %[[S0]] : tensor<64xf32
// CHECK: arith.mulf %[[Q0]], %[[R]] : tensor<64xf32
// CHECK: smx_gpu.reduce <add> %{{.+}} dim 1 : tensor<64x4xf32
// CHECK: %[[N:.+]] = arith.addf %[[N0]], %{{.+}} : tensor<1xf32
// CHECK: scf.yield %[[N]], %{{.+}}, %{{.+}} : tensor<1xf32, {{.+}}>, tensor<64xf32
// CHECK: %[[SS:.+]] = smx_gpu.parts %[[S]]#1 : {{.+}} -> tensor<2x32xf32
// CHECK: %[[QS:.+]] = smx_gpu.parts %[[S]]#2 : {{.+}} -> tensor<2x32xf32
// CHECK: %[[SW:.+]] = smx_gpu.reduce <minnum> %[[SS]] dim 1
// CHECK: %[[B:.+]] = smx_gpu.broadcast %[[SW]]
// CHECK: %[[F:.+]] = arith.divf %[[B]], %[[SS]]
// CHECK: %[[Q1:.+]] = arith.mulf %[[QS]], %[[F]]
// CHECK: %[[Q2:.+]] = arith.mulf %[[Q1]], %[[F]]
// CHECK: %[[QW:.+]] = smx_gpu.reduce <add> %[[Q2]] dim 1
// CHECK: smx_gpu.collect %[[SW]], %[[QW]] fill [0x7F800000 : f32, 0.000000e+00 : f32]
// CHECK: smx_gpu.agreed
// CHECK: %[[Q:.+]] = smx_gpu.agreed
// CHECK: smx_gpu.store %[[S]]#0
// CHECK: smx_gpu.store %[[Q]]
smx_gpu.kernel @squares(%x: memref<?x1024xf32>, %y: memref<?xf32>, %z: memref<?xf32>, %n: index) warps(2) {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant dense<0.0> : tensor<1xf32, #value>
  %most = arith.constant dense<1.0e+30> : tensor<1xf32, #value>
  %columns = arith.constant dense<256.0> : tensor<1xf32, #value>
  %s:3 = scf.for %j = %c0 to %n step %c256 iter_args(%count = %zero, %scale = %most, %q = %zero) -> (tensor<1xf32, #value>, tensor<1xf32, #value>, tensor<1xf32, #value>) {
    %t = smx_gpu.load %x[%c0, %j] dims [-1, 1] : memref<?x1024xf32> -> tensor<1x256xf32, #row>
    %a = math.absf %t : tensor<1x256xf32, #row>
    %m = smx_gpu.reduce <maxnum> %a dim 1 : tensor<1x256xf32, #row> -> tensor<1xf32, #value>
    %wanted = arith.divf %columns, %m : tensor<1xf32, #value>
    %isMore = arith.cmpf ogt, %scale, %wanted : tensor<1xf32, #value>
    %next = arith.select %isMore, %wanted, %scale : tensor<1xi1, #value>, tensor<1xf32, #value>
    %r = arith.divf %next, %scale : tensor<1xf32, #value>
    %q1 = arith.mulf %q, %r : tensor<1xf32, #value>
    %q2 = arith.mulf %q1, %r : tensor<1xf32, #value>
    %b = smx_gpu.broadcast %next : tensor<1xf32, #value> -> tensor<1x256xf32, #row>
    %u = arith.mulf %t, %b : tensor<1x256xf32, #row>
    %u2 = arith.mulf %u, %u : tensor<1x256xf32, #row>
    %tq = smx_gpu.reduce <add> %u2 dim 1 : tensor<1x256xf32, #row> -> tensor<1xf32, #value>
    %sum = arith.addf %tq, %q2 : tensor<1xf32, #value>
    %all = arith.addf %count, %columns : tensor<1xf32, #value>
    scf.yield %all, %next, %sum : tensor<1xf32, #value>, tensor<1xf32, #value>, tensor<1xf32, #value>
  }
  smx_gpu.store %s#0, %y[%c0] dims [-1] : tensor<1xf32, #value>, memref<?xf32>
  smx_gpu.store %s#2, %z[%c0] dims [-1] : tensor<1xf32, #value>, memref<?xf32>
  smx_gpu.return
}

// -----

// What follows from a sum of the tile is another one for each thread, of which the smallest is none of the row.

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 4>
#value = #smx_gpu.slice<1, #row>

// CHECK-LABEL: smx_gpu.kernel @of_sums
// CHECK-NOT: smx_gpu.parts
// CHECK: smx_gpu.return
smx_gpu.kernel @of_sums(%x: memref<?x1024xf32>, %y: memref<?xf32>, %n: index) warps(2) {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant dense<0.0> : tensor<1xf32, #value>
  %most = arith.constant dense<1.0e+30> : tensor<1xf32, #value>
  %s:2 = scf.for %j = %c0 to %n step %c256 iter_args(%scale = %most, %q = %zero) -> (tensor<1xf32, #value>, tensor<1xf32, #value>) {
    %t = smx_gpu.load %x[%c0, %j] dims [-1, 1] : memref<?x1024xf32> -> tensor<1x256xf32, #row>
    %m = smx_gpu.reduce <add> %t dim 1 : tensor<1x256xf32, #row> -> tensor<1xf32, #value>
    %isMore = arith.cmpf ogt, %scale, %m : tensor<1xf32, #value>
    %next = arith.select %isMore, %m, %scale : tensor<1xi1, #value>, tensor<1xf32, #value>
    %r = arith.divf %next, %scale : tensor<1xf32, #value>
    %q1 = arith.mulf %q, %r : tensor<1xf32, #value>
    %q2 = arith.mulf %q1, %r : tensor<1xf32, #value>
    %b = smx_gpu.broadcast %next : tensor<1xf32, #value> -> tensor<1x256xf32, #row>
    %u = arith.mulf %t, %b : tensor<1x256xf32, #row>
    %u2 = arith.mulf %u, %u : tensor<1x256xf32, #row>
    %tq = smx_gpu.reduce <add> %u2 dim 1 : tensor<1x256xf32, #row> -> tensor<1xf32, #value>
    %sum = arith.addf %tq, %q2 : tensor<1xf32, #value>
    scf.yield %next, %sum : tensor<1xf32, #value>, tensor<1xf32, #value>
  }
  smx_gpu.store %s#1, %y[%c0] dims [-1] : tensor<1xf32, #value>, memref<?xf32>
  smx_gpu.return
}

// -----

// A sum that is rescaled once is none of squares.

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 4>
#value = #smx_gpu.slice<1, #row>

// CHECK-LABEL: smx_gpu.kernel @once
// CHECK-NOT: smx_gpu.parts
// CHECK: smx_gpu.return
smx_gpu.kernel @once(%x: memref<?x1024xf32>, %y: memref<?xf32>, %n: index) warps(2) {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant dense<0.0> : tensor<1xf32, #value>
  %most = arith.constant dense<1.0e+30> : tensor<1xf32, #value>
  %s:2 = scf.for %j = %c0 to %n step %c256 iter_args(%scale = %most, %q = %zero) -> (tensor<1xf32, #value>, tensor<1xf32, #value>) {
    %t = smx_gpu.load %x[%c0, %j] dims [-1, 1] : memref<?x1024xf32> -> tensor<1x256xf32, #row>
    %m = smx_gpu.reduce <maxnum> %t dim 1 : tensor<1x256xf32, #row> -> tensor<1xf32, #value>
    %isMore = arith.cmpf ogt, %scale, %m : tensor<1xf32, #value>
    %next = arith.select %isMore, %m, %scale : tensor<1xi1, #value>, tensor<1xf32, #value>
    %r = arith.divf %next, %scale : tensor<1xf32, #value>
    %q1 = arith.mulf %q, %r : tensor<1xf32, #value>
    %b = smx_gpu.broadcast %next : tensor<1xf32, #value> -> tensor<1x256xf32, #row>
    %u = arith.mulf %t, %b : tensor<1x256xf32, #row>
    %u2 = arith.mulf %u, %u : tensor<1x256xf32, #row>
    %tq = smx_gpu.reduce <add> %u2 dim 1 : tensor<1x256xf32, #row> -> tensor<1xf32, #value>
    %sum = arith.addf %tq, %q1 : tensor<1xf32, #value>
    scf.yield %next, %sum : tensor<1xf32, #value>, tensor<1xf32, #value>
  }
  smx_gpu.store %s#1, %y[%c0] dims [-1] : tensor<1xf32, #value>, memref<?xf32>
  smx_gpu.return
}
