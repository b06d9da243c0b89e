// RUN: softmax-opt %s --split-input-file --pass-pipeline='builtin.module(smx_gpu.kernel(smx-gpu-partial-states))' | FileCheck %s

// Weights may be powers of 2 where what a state is rescaled by is a power of e: 0.72134751 is 0.5 / ln 2.

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 4>
#value = #smx_gpu.slice<1, #row>

// CHECK-LABEL: smx_gpu.kernel @scaled
// CHECK: scf.for {{.*}} -> (tensor<64xf32, {{.+}}>, tensor<64xf32, {{.+}}>)
// CHECK: math.exp2 %{{.+}} : tensor<64x4xf32
smx_gpu.kernel @scaled(%x: memref<?x1024xf32>, %y: memref<?xf32>, %n: index) warps(2) {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %m0 = arith.constant dense<0xFF800000> : tensor<1xf32, #value>
  %l0 = arith.constant dense<0.0> : tensor<1xf32, #value>
  %half = arith.constant dense<0.5> : tensor<1xf32, #value>
  %inBits = arith.constant dense<0.72134751> : tensor<1x256xf32, #row>
  %s:2 = scf.for %j = %c0 to %n step %c256 iter_args(%m = %m0, %l = %l0) -> (tensor<1xf32, #value>, tensor<1xf32, #value>) {
    %t = smx_gpu.load %x[%c0, %j] dims [-1, 1] : memref<?x1024xf32> -> tensor<1x256xf32, #row>
    %tm = smx_gpu.reduce <maxnum> %t dim 1 : tensor<1x256xf32, #row> -> tensor<1xf32, #value>
    %m1 = arith.maxnumf %tm, %m : tensor<1xf32, #value>
    %d = arith.subf %m, %m1 : tensor<1xf32, #value>
    %sd = arith.mulf %d, %half : tensor<1xf32, #value>
    %f = math.exp %sd : tensor<1xf32, #value>
    %lf = arith.mulf %l, %f : tensor<1xf32, #value>
    %mb = smx_gpu.broadcast %m1 : tensor<1xf32, #value> -> tensor<1x256xf32, #row>
    %td = arith.subf %t, %mb : tensor<1x256xf32, #row>
    %ts = arith.mulf %td, %inBits : tensor<1x256xf32, #row>
    %e = math.exp2 %ts : tensor<1x256xf32, #row>
    %tl = smx_gpu.reduce <add> %e dim 1 : tensor<1x256xf32, #row> -> tensor<1xf32, #value>
    %l1 = arith.addf %tl, %lf : tensor<1xf32, #value>
    scf.yield %m1, %l1 : tensor<1xf32, #value>, tensor<1xf32, #value>
  }
  smx_gpu.store %s#1, %y[%c0] dims [-1] : tensor<1xf32, #value>, memref<?xf32>
  smx_gpu.return
}

// -----

// A state that is rescaled by something else than its weights are by is none.

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 4>
#value = #smx_gpu.slice<1, #row>

// CHECK-LABEL: smx_gpu.kernel @another_scale
// CHECK-NOT: smx_gpu.parts
// CHECK: smx_gpu.return
smx_gpu.kernel @another_scale(%x: memref<?x1024xf32>, %y: memref<?xf32>, %n: index) warps(2) {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %m0 = arith.constant dense<0xFF800000> : tensor<1xf32, #value>
  %l0 = arith.constant dense<0.0> : tensor<1xf32, #value>
  %inBits = arith.constant dense<0.72134751> : tensor<1x256xf32, #row>
  %s:2 = scf.for %j = %c0 to %n step %c256 iter_args(%m = %m0, %l = %l0) -> (tensor<1xf32, #value>, tensor<1xf32, #value>) {
    %t = smx_gpu.load %x[%c0, %j] dims [-1, 1] : memref<?x1024xf32> -> tensor<1x256xf32, #row>
    %tm = smx_gpu.reduce <maxnum> %t dim 1 : tensor<1x256xf32, #row> -> tensor<1xf32, #value>
    %m1 = arith.maxnumf %tm, %m : tensor<1xf32, #value>
    %d = arith.subf %m, %m1 : tensor<1xf32, #value>
    %f = math.exp %d : tensor<1xf32, #value>
    %lf = arith.mulf %l, %f : tensor<1xf32, #value>
    %mb = smx_gpu.broadcast %m1 : tensor<1xf32, #value> -> tensor<1x256xf32, #row>
    %td = arith.subf %t, %mb : tensor<1x256xf32, #row>
    %ts = arith.mulf %td, %inBits : tensor<1x256xf32, #row>
    %e = math.exp2 %ts : tensor<1x256xf32, #row>
    %tl = smx_gpu.reduce <add> %e dim 1 : tensor<1x256xf32, #row> -> tensor<1xf32, #value>
    %l1 = arith.addf %tl, %lf : tensor<1xf32, #value>
    scf.yield %m1, %l1 : tensor<1xf32, #value>, tensor<1xf32, #value>
  }
  smx_gpu.store %s#1, %y[%c0] dims [-1] : tensor<1xf32, #value>, memref<?xf32>
  smx_gpu.return
}
