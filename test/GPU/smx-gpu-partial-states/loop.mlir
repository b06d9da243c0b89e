// RUN: softmax-opt %s --split-input-file --pass-pipeline='builtin.module(smx_gpu.kernel(smx-gpu-partial-states))' | FileCheck %s

// The state of a loop over tiles is one for each thread, and is merged once, after the loop: in warps, and then among them.

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 4>
#value = #smx_gpu.slice<1, #row>

// CHECK-LABEL: smx_gpu.kernel @loop
// CHECK: %[[S:.+]]:2 = scf.for {{.*}} iter_args(%[[M0:.+]] = %{{.+}}, %[[L0:.+]] = %{{.+}}) -> (tensor<64xf32, {{.+}}>, tensor<64xf32, {{.+}}>)
// CHECK: smx_gpu.load
// CHECK-NEXT: %[[P:.+]] = smx_gpu.parts {{.+}} -> tensor<64x4xf32, #smx_gpu.striped<rows = 64, columns = 1, vector = 4>>
// CHECK-NEXT: %[[T:.+]] = smx_gpu.reduce <maxnum> %[[P]] dim 1
// CHECK-NEXT: %[[M:.+]] = arith.maxnumf %[[T]], %[[M0]]
// CHECK: math.exp
// CHECK: arith.mulf %[[L0]]
// CHECK: smx_gpu.reduce <add> %{{.+}} dim 1 : tensor<64x4xf32
// CHECK: scf.yield %[[M]]
// CHECK: %[[MS:.+]] = smx_gpu.parts %[[S]]#0 : {{.+}} -> tensor<2x32xf32
// CHECK: %[[LS:.+]] = smx_gpu.parts %[[S]]#1 : {{.+}} -> tensor<2x32xf32
// CHECK: %[[MW:.+]] = smx_gpu.reduce <maxnum> %[[MS]] dim 1
// CHECK: %[[WEIGHED:.+]] = arith.mulf %[[LS]]
// CHECK: %[[LW:.+]] = smx_gpu.reduce <add> %[[WEIGHED]] dim 1
// CHECK: smx_gpu.collect %[[MW]], %[[LW]] fill [0xFF800000 : f32, 0.000000e+00 : f32]
// CHECK: smx_gpu.agreed
// CHECK: %[[L:.+]] = smx_gpu.agreed
// CHECK: smx_gpu.store %[[L]]
smx_gpu.kernel @loop(%x: memref<?x1024xf32>, %y: memref<?xf32>, %n: index) warps(2) {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %m0 = arith.constant dense<0xFF800000> : tensor<1xf32, #value>
  %l0 = arith.constant dense<0.0> : tensor<1xf32, #value>
  %s:2 = scf.for %j = %c0 to %n step %c256 iter_args(%m = %m0, %l = %l0) -> (tensor<1xf32, #value>, tensor<1xf32, #value>) {
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
    scf.yield %m1, %l1 : tensor<1xf32, #value>, tensor<1xf32, #value>
  }
  smx_gpu.store %s#1, %y[%c0] dims [-1] : tensor<1xf32, #value>, memref<?xf32>
  smx_gpu.return
}

// -----

// A state that does not start from nothing is not one of each warp: they would count it several times.

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 4>
#value = #smx_gpu.slice<1, #row>

// CHECK-LABEL: smx_gpu.kernel @started
// CHECK-NOT: smx_gpu.parts
// CHECK: smx_gpu.return
smx_gpu.kernel @started(%x: memref<?x1024xf32>, %y: memref<?xf32>, %n: index) warps(2) {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %m0 = arith.constant dense<0.0> : tensor<1xf32, #value>
  %l0 = arith.constant dense<1.0> : tensor<1xf32, #value>
  %s:2 = scf.for %j = %c0 to %n step %c256 iter_args(%m = %m0, %l = %l0) -> (tensor<1xf32, #value>, tensor<1xf32, #value>) {
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
    scf.yield %m1, %l1 : tensor<1xf32, #value>, tensor<1xf32, #value>
  }
  smx_gpu.store %s#1, %y[%c0] dims [-1] : tensor<1xf32, #value>, memref<?xf32>
  smx_gpu.return
}

// -----

// The maximum of elements that are widened is found before they are; their sum is not.

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 4>
#value = #smx_gpu.slice<1, #row>

// CHECK-LABEL: smx_gpu.kernel @narrow
// CHECK: %[[X:.+]] = smx_gpu.load
// CHECK: %[[P:.+]] = smx_gpu.parts %[[X]] : tensor<1x256xbf16
// CHECK-NEXT: %[[M:.+]] = smx_gpu.reduce <maxnum> %[[P]] dim 1 : tensor<64x4xbf16
// CHECK-NEXT: arith.extf %[[M]] : tensor<64xbf16, {{.+}}> to tensor<64xf32,
// CHECK: smx_gpu.reduce <add> %{{.+}} dim 1 : tensor<64x4xf32
smx_gpu.kernel @narrow(%x: memref<?x1024xbf16>, %y: memref<?xf32>, %n: index) warps(2) {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %m0 = arith.constant dense<0xFF800000> : tensor<1xf32, #value>
  %l0 = arith.constant dense<0.0> : tensor<1xf32, #value>
  %s:2 = scf.for %j = %c0 to %n step %c256 iter_args(%m = %m0, %l = %l0) -> (tensor<1xf32, #value>, tensor<1xf32, #value>) {
    %x16 = smx_gpu.load %x[%c0, %j] dims [-1, 1] : memref<?x1024xbf16> -> tensor<1x256xbf16, #row>
    %t = arith.extf %x16 : tensor<1x256xbf16, #row> to tensor<1x256xf32, #row>
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
    scf.yield %m1, %l1 : tensor<1xf32, #value>, tensor<1xf32, #value>
  }
  smx_gpu.store %s#1, %y[%c0] dims [-1] : tensor<1xf32, #value>, memref<?xf32>
  smx_gpu.return
}

// -----

// A few weights of a thread are added up in f32 before they are widened, and the sum that is carried is f64.

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 4>
#value = #smx_gpu.slice<1, #row>

// CHECK-LABEL: smx_gpu.kernel @double
// CHECK: scf.for {{.*}} -> (tensor<64xf32, {{.+}}>, tensor<64xf64, {{.+}}>)
// CHECK: %[[E:.+]] = math.exp %{{.+}} : tensor<64x8xf32
// CHECK: %[[FEW:.+]] = smx_gpu.partial_reduce <add> %[[E]] : tensor<64x8xf32, {{.+}}> -> tensor<64x4xf32
// CHECK-NEXT: %[[WIDE:.+]] = arith.extf %[[FEW]]
// CHECK-NEXT: smx_gpu.reduce <add> %[[WIDE]] dim 1 : tensor<64x4xf64
// CHECK: smx_gpu.collect %{{.+}}, %{{.+}} fill [0xFF800000 : f32, 0.000000e+00] : tensor<2xf32, {{.+}}>, tensor<2xf64, 
smx_gpu.kernel @double(%x: memref<?x1024xf32>, %y: memref<?xf64>, %n: index) warps(2) {
  %c0 = arith.constant 0 : index
  %c512 = arith.constant 512 : index
  %m0 = arith.constant dense<0xFF800000> : tensor<1xf32, #value>
  %l0 = arith.constant dense<0.0> : tensor<1xf64, #value>
  %s:2 = scf.for %j = %c0 to %n step %c512 iter_args(%m = %m0, %l = %l0) -> (tensor<1xf32, #value>, tensor<1xf64, #value>) {
    %t = smx_gpu.load %x[%c0, %j] dims [-1, 1] : memref<?x1024xf32> -> tensor<1x512xf32, #row>
    %tm = smx_gpu.reduce <maxnum> %t dim 1 : tensor<1x512xf32, #row> -> tensor<1xf32, #value>
    %m1 = arith.maxnumf %tm, %m : tensor<1xf32, #value>
    %d = arith.subf %m, %m1 : tensor<1xf32, #value>
    %f = math.exp %d : tensor<1xf32, #value>
    %fw = arith.extf %f : tensor<1xf32, #value> to tensor<1xf64, #value>
    %lf = arith.mulf %l, %fw : tensor<1xf64, #value>
    %mb = smx_gpu.broadcast %m1 : tensor<1xf32, #value> -> tensor<1x512xf32, #row>
    %td = arith.subf %t, %mb : tensor<1x512xf32, #row>
    %e = math.exp %td : tensor<1x512xf32, #row>
    %ew = arith.extf %e : tensor<1x512xf32, #row> to tensor<1x512xf64, #row>
    %tl = smx_gpu.reduce <add> %ew dim 1 : tensor<1x512xf64, #row> -> tensor<1xf64, #value>
    %l1 = arith.addf %tl, %lf : tensor<1xf64, #value>
    scf.yield %m1, %l1 : tensor<1xf32, #value>, tensor<1xf64, #value>
  }
  smx_gpu.store %s#1, %y[%c0] dims [-1] : tensor<1xf64, #value>, memref<?xf64>
  smx_gpu.return
}
