// RUN: softmax-opt %s --split-input-file --pass-pipeline='builtin.module(smx_gpu.kernel(smx-gpu-partial-states))' | FileCheck %s

// Smoothed cross entropy: beside (m, l), the mean of distances from what m is the origin of, of as many elements as are counted. Each
// thread has the mean of its own, 4 of 256 in a tile, and the count is the same for all.

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 4>
#value = #smx_gpu.slice<1, #row>

// CHECK-LABEL: smx_gpu.kernel @means
// CHECK: %[[S:.+]]:4 = scf.for {{.*}} iter_args({{.*}}) -> (tensor<64xf32, {{.+}}>, tensor<64xf32, {{.+}}>, tensor<1xf32, {{.+}}>, tensor<64xf32, {{.+}}>)
// CHECK: %[[FOUR:.+]] = arith.constant dense<4.000000e+00> : tensor<64xf32
// CHECK: arith.divf %{{.+}}, %[[FOUR]] : tensor<64xf32
// CHECK: scf.yield %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} : tensor<64xf32, {{.+}}>, tensor<64xf32, {{.+}}>, tensor<1xf32, {{.+}}>, tensor<64xf32
// CHECK: smx_gpu.collect %{{.+}}, %{{.+}} fill [0xFF800000 : f32, 0.000000e+00 : f32] :
// CHECK: %[[MS:.+]] = smx_gpu.parts %[[S]]#0 : {{.+}} -> tensor<2x32xf32
// CHECK: %[[TS:.+]] = smx_gpu.parts %[[S]]#3 : {{.+}} -> tensor<2x32xf32
// CHECK: %[[MW:.+]] = smx_gpu.reduce <maxnum> %[[MS]] dim 1
// CHECK: %[[MOVE:.+]] = arith.subf
// CHECK: %[[MOVED:.+]] = arith.mulf %[[MOVE]]
// CHECK: %[[OR_NOTHING:.+]] = arith.select %{{.+}}, %{{.+}}, %[[MOVED]]
// CHECK: %[[TERMS:.+]] = arith.addf %[[TS]], %[[OR_NOTHING]]
// CHECK: %[[TW:.+]] = smx_gpu.reduce <add> %[[TERMS]] dim 1
// CHECK: %[[NW:.+]] = smx_gpu.reduce <add>
// CHECK: smx_gpu.collect %[[MW]], %[[TW]], %[[NW]] fill [0xFF800000 : f32, 0.000000e+00 : f32, 0.000000e+00 : f32] :
// CHECK: %[[T:.+]] = arith.divf
// CHECK: %[[AGREED:.+]] = smx_gpu.agreed %[[T]]
// CHECK: smx_gpu.store %[[S]]#2
// CHECK: smx_gpu.store %[[AGREED]]
smx_gpu.kernel @means(%x: memref<?x1024xf32>, %y: memref<?xf32>, %z: memref<?xf32>, %n: index) warps(2) {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant dense<0.0> : tensor<1xf32, #value>
  %nothing = arith.constant dense<0xFF800000> : tensor<1xf32, #value>
  %columns = arith.constant dense<256.0> : tensor<1xf32, #value>
  %unit = arith.constant dense<0.5> : tensor<1xf32, #value>
  %units = arith.constant dense<0.5> : tensor<1x256xf32, #row>
  %s:4 = scf.for %j = %c0 to %n step %c256 iter_args(%m = %nothing, %l = %zero, %count = %zero, %mean = %zero) -> (tensor<1xf32, #value>, tensor<1xf32, #value>, tensor<1xf32, #value>, tensor<1xf32, #value>) {
    %t = smx_gpu.load %x[%c0, %j] dims [-1, 1] : memref<?x1024xf32> -> tensor<1x256xf32, #row>
    %tm = smx_gpu.reduce <maxnum> %t dim 1 : tensor<1x256xf32, #row> -> tensor<1xf32, #value>
    %m1 = arith.maxnumf %tm, %m : tensor<1xf32, #value>
    %d = arith.subf %m, %m1 : tensor<1xf32, #value>
    %f = math.exp %d : tensor<1xf32, #value>
    %lf = arith.mulf %l, %f : tensor<1xf32, #value>
    %mb = smx_gpu.broadcast %m1 : tensor<1xf32, #value> -> tensor<1x256xf32, #row>
    %td = arith.subf %t, %mb : tensor<1x256xf32, #row>
    %e = math.exp %td : tensor<1x256xf32, #row>
    %tl = smx_gpu.reduce <add> %e dim 1 : tensor<1x256xf32, #row> -> tensor<1xf32, #value>
    %l1 = arith.addf %tl, %lf : tensor<1xf32, #value>
    %origin = arith.mulf %m1, %unit : tensor<1xf32, #value>
    %minus = arith.negf %origin : tensor<1xf32, #value>
    %ob = smx_gpu.broadcast %minus : tensor<1xf32, #value> -> tensor<1x256xf32, #row>
    %distance = math.fma %t, %units, %ob : tensor<1x256xf32, #row>
    %sum = smx_gpu.reduce <add> %distance dim 1 : tensor<1x256xf32, #row> -> tensor<1xf32, #value>
    %tileMean = arith.divf %sum, %columns : tensor<1xf32, #value>
    %all = arith.addf %count, %columns : tensor<1xf32, #value>
    %before = arith.mulf %m, %unit : tensor<1xf32, #value>
    %move = arith.subf %before, %origin : tensor<1xf32, #value>
    %moved = arith.addf %mean, %move : tensor<1xf32, #value>
    %share = arith.divf %count, %all : tensor<1xf32, #value>
    %rest = arith.mulf %moved, %share : tensor<1xf32, #value>
    %isEmpty = arith.cmpf oeq, %count, %zero : tensor<1xf32, #value>
    %first = arith.select %isEmpty, %zero, %rest : tensor<1xi1, #value>, tensor<1xf32, #value>
    %none = arith.subf %origin, %origin : tensor<1xf32, #value>
    %stayed = arith.addf %tileMean, %none : tensor<1xf32, #value>
    %shareOfTile = arith.divf %columns, %all : tensor<1xf32, #value>
    %second = arith.mulf %stayed, %shareOfTile : tensor<1xf32, #value>
    %t1 = arith.addf %first, %second : tensor<1xf32, #value>
    scf.yield %m1, %l1, %all, %t1 : tensor<1xf32, #value>, tensor<1xf32, #value>, tensor<1xf32, #value>, tensor<1xf32, #value>
  }
  smx_gpu.store %s#2, %y[%c0] dims [-1] : tensor<1xf32, #value>, memref<?xf32>
  smx_gpu.store %s#3, %z[%c0] dims [-1] : tensor<1xf32, #value>, memref<?xf32>
  smx_gpu.return
}

// -----

// A quotient by another number than that of the tile's elements is no mean of them.

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 4>
#value = #smx_gpu.slice<1, #row>

// CHECK-LABEL: smx_gpu.kernel @another_count
// CHECK-NOT: smx_gpu.parts
// CHECK: smx_gpu.return
smx_gpu.kernel @another_count(%x: memref<?x1024xf32>, %z: memref<?xf32>, %n: index) warps(2) {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant dense<0.0> : tensor<1xf32, #value>
  %nothing = arith.constant dense<0xFF800000> : tensor<1xf32, #value>
  %columns = arith.constant dense<200.0> : tensor<1xf32, #value>
  %unit = arith.constant dense<0.5> : tensor<1xf32, #value>
  %units = arith.constant dense<0.5> : tensor<1x256xf32, #row>
  %s:4 = scf.for %j = %c0 to %n step %c256 iter_args(%m = %nothing, %l = %zero, %count = %zero, %mean = %zero) -> (tensor<1xf32, #value>, tensor<1xf32, #value>, tensor<1xf32, #value>, tensor<1xf32, #value>) {
    %t = smx_gpu.load %x[%c0, %j] dims [-1, 1] : memref<?x1024xf32> -> tensor<1x256xf32, #row>
    %tm = smx_gpu.reduce <maxnum> %t dim 1 : tensor<1x256xf32, #row> -> tensor<1xf32, #value>
    %m1 = arith.maxnumf %tm, %m : tensor<1xf32, #value>
    %d = arith.subf %m, %m1 : tensor<1xf32, #value>
    %f = math.exp %d : tensor<1xf32, #value>
    %lf = arith.mulf %l, %f : tensor<1xf32, #value>
    %mb = smx_gpu.broadcast %m1 : tensor<1xf32, #value> -> tensor<1x256xf32, #row>
    %td = arith.subf %t, %mb : tensor<1x256xf32, #row>
    %e = math.exp %td : tensor<1x256xf32, #row>
    %tl = smx_gpu.reduce <add> %e dim 1 : tensor<1x256xf32, #row> -> tensor<1xf32, #value>
    %l1 = arith.addf %tl, %lf : tensor<1xf32, #value>
    %origin = arith.mulf %m1, %unit : tensor<1xf32, #value>
    %minus = arith.negf %origin : tensor<1xf32, #value>
    %ob = smx_gpu.broadcast %minus : tensor<1xf32, #value> -> tensor<1x256xf32, #row>
    %distance = math.fma %t, %units, %ob : tensor<1x256xf32, #row>
    %sum = smx_gpu.reduce <add> %distance dim 1 : tensor<1x256xf32, #row> -> tensor<1xf32, #value>
    %tileMean = arith.divf %sum, %columns : tensor<1xf32, #value>
    %all = arith.addf %count, %columns : tensor<1xf32, #value>
    %before = arith.mulf %m, %unit : tensor<1xf32, #value>
    %move = arith.subf %before, %origin : tensor<1xf32, #value>
    %moved = arith.addf %mean, %move : tensor<1xf32, #value>
    %share = arith.divf %count, %all : tensor<1xf32, #value>
    %rest = arith.mulf %moved, %share : tensor<1xf32, #value>
    %isEmpty = arith.cmpf oeq, %count, %zero : tensor<1xf32, #value>
    %first = arith.select %isEmpty, %zero, %rest : tensor<1xi1, #value>, tensor<1xf32, #value>
    %none = arith.subf %origin, %origin : tensor<1xf32, #value>
    %stayed = arith.addf %tileMean, %none : tensor<1xf32, #value>
    %shareOfTile = arith.divf %columns, %all : tensor<1xf32, #value>
    %second = arith.mulf %stayed, %shareOfTile : tensor<1xf32, #value>
    %t1 = arith.addf %first, %second : tensor<1xf32, #value>
    scf.yield %m1, %l1, %all, %t1 : tensor<1xf32, #value>, tensor<1xf32, #value>, tensor<1xf32, #value>, tensor<1xf32, #value>
  }
  smx_gpu.store %s#3, %z[%c0] dims [-1] : tensor<1xf32, #value>, memref<?xf32>
  smx_gpu.return
}
