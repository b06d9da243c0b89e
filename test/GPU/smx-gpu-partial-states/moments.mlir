// RUN: softmax-opt %s --split-input-file --pass-pipeline='builtin.module(smx_gpu.kernel(smx-gpu-partial-states))' | FileCheck %s

// The count, mean and second moment of each warp, exchanged once; the row's mean follows from the sum of all.

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 4>
#value = #smx_gpu.slice<1, #row>

// CHECK-LABEL: smx_gpu.kernel @moments
// CHECK: %[[P:.+]] = smx_gpu.parts
// CHECK: %[[N:.+]] = arith.constant dense<1.280000e+02> : tensor<2xf32
// CHECK: %[[SW:.+]] = smx_gpu.reduce <add> %[[P]] dim 1
// CHECK: %[[CW:.+]] = arith.divf %[[SW]], %[[N]]
// CHECK: %[[B:.+]] = smx_gpu.broadcast %[[CW]]
// CHECK: %[[D:.+]] = arith.subf %[[P]], %[[B]]
// CHECK: %[[Q:.+]] = arith.mulf %[[D]], %[[D]]
// CHECK: %[[MW:.+]] = smx_gpu.reduce <add> %[[Q]] dim 1
// CHECK: %[[ALL:.+]]:3 = smx_gpu.collect %[[N]], %[[CW]], %[[MW]] fill [0.000000e+00 : f32, 0.000000e+00 : f32, 0.000000e+00 : f32]
// CHECK: %[[T:.+]] = arith.mulf %[[ALL]]#0, %[[ALL]]#1
// CHECK: %[[S:.+]] = smx_gpu.reduce <add> %[[T]] dim 1
// CHECK: %[[M:.+]] = arith.divf %[[S]]
// CHECK: %[[MB:.+]] = smx_gpu.broadcast %[[M]]
// CHECK: %[[F:.+]] = arith.subf %[[ALL]]#1, %[[MB]]
// CHECK: %[[G:.+]] = arith.mulf %[[F]], %[[F]]
// CHECK: %[[H:.+]] = arith.mulf %[[ALL]]#0, %[[G]]
// CHECK: %[[A:.+]] = arith.addf %[[ALL]]#2, %[[H]]
// CHECK: %[[V:.+]] = smx_gpu.reduce <add> %[[A]] dim 1
// CHECK: smx_gpu.agreed %[[S]]
// CHECK: smx_gpu.agreed %[[V]]
// CHECK-NOT: smx_gpu.reduce
// CHECK: smx_gpu.return
smx_gpu.kernel @moments(%x: memref<?x256xf32>, %y: memref<?xf32>, %z: memref<?xf32>) warps(2) {
  %c0 = arith.constant 0 : index
  %i = gpu.block_id x
  %n = arith.constant dense<256.0> : tensor<1xf32, #value>
  %t = smx_gpu.load %x[%i, %c0] dims [-1, 1] : memref<?x256xf32> -> tensor<1x256xf32, #row>
  %s = smx_gpu.reduce <add> %t dim 1 : tensor<1x256xf32, #row> -> tensor<1xf32, #value>
  %m = arith.divf %s, %n : tensor<1xf32, #value>
  %mb = smx_gpu.broadcast %m : tensor<1xf32, #value> -> tensor<1x256xf32, #row>
  %d = arith.subf %t, %mb : tensor<1x256xf32, #row>
  %q = arith.mulf %d, %d : tensor<1x256xf32, #row>
  %v = smx_gpu.reduce <add> %q dim 1 : tensor<1x256xf32, #row> -> tensor<1xf32, #value>
  smx_gpu.store %m, %y[%i] dims [-1] : tensor<1xf32, #value>, memref<?xf32>
  smx_gpu.store %v, %z[%i] dims [-1] : tensor<1xf32, #value>, memref<?xf32>
  smx_gpu.return
}

// -----

// Of 16 bits that are not read by 16 bytes nothing goes to shared memory, and registers have no room for them widened.

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 8>
#value = #smx_gpu.slice<1, #row>

// CHECK-LABEL: smx_gpu.kernel @cut
// CHECK-NOT: smx_gpu.collect
// CHECK: smx_gpu.return
smx_gpu.kernel @cut(%x: memref<?x2048xbf16>, %y: memref<?xf32>) warps(2) {
  %c0 = arith.constant 0 : index
  %i = gpu.block_id x
  %t = smx_gpu.load %x[%i, %c0] dims [-1, 1] : memref<?x2048xbf16> -> tensor<1x2048xbf16, #row>
  %w = arith.extf %t : tensor<1x2048xbf16, #row> to tensor<1x2048xf32, #row>
  %s = smx_gpu.reduce <add> %w dim 1 : tensor<1x2048xf32, #row> -> tensor<1xf32, #value>
  %sb = smx_gpu.broadcast %s : tensor<1xf32, #value> -> tensor<1x2048xf32, #row>
  %d = arith.subf %w, %sb : tensor<1x2048xf32, #row>
  %q = arith.mulf %d, %d : tensor<1x2048xf32, #row>
  %v = smx_gpu.reduce <add> %q dim 1 : tensor<1x2048xf32, #row> -> tensor<1xf32, #value>
  smx_gpu.store %v, %y[%i] dims [-1] : tensor<1xf32, #value>, memref<?xf32>
  smx_gpu.return
}

// -----

// Distances from something else are no moments.

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 4>
#value = #smx_gpu.slice<1, #row>

// CHECK-LABEL: smx_gpu.kernel @other
// CHECK-NOT: smx_gpu.collect
// CHECK: smx_gpu.return
smx_gpu.kernel @other(%x: memref<?x256xf32>, %r: memref<?xf32>, %y: memref<?xf32>) warps(2) {
  %c0 = arith.constant 0 : index
  %i = gpu.block_id x
  %t = smx_gpu.load %x[%i, %c0] dims [-1, 1] : memref<?x256xf32> -> tensor<1x256xf32, #row>
  %s = smx_gpu.reduce <add> %t dim 1 : tensor<1x256xf32, #row> -> tensor<1xf32, #value>
  %k = smx_gpu.load %r[%i] dims [-1] : memref<?xf32> -> tensor<1xf32, #value>
  %m = arith.addf %s, %k : tensor<1xf32, #value>
  %mb = smx_gpu.broadcast %m : tensor<1xf32, #value> -> tensor<1x256xf32, #row>
  %d = arith.subf %t, %mb : tensor<1x256xf32, #row>
  %q = arith.mulf %d, %d : tensor<1x256xf32, #row>
  %v = smx_gpu.reduce <add> %q dim 1 : tensor<1x256xf32, #row> -> tensor<1xf32, #value>
  smx_gpu.store %v, %y[%i] dims [-1] : tensor<1xf32, #value>, memref<?xf32>
  smx_gpu.return
}

// -----

// Of more than 64 warps, those of a block are merged before the blocks are.

#row = #smx_gpu.striped<rows = 1, columns = 512, vector = 4>
#value = #smx_gpu.slice<1, #row>

// CHECK-LABEL: smx_gpu.kernel @two_levels
// CHECK: %[[W:.+]]:2 = smx_gpu.collect %{{.+}}, %{{.+}} in_block fill [0xFF800000 : f32, 0.000000e+00 : f32]
// CHECK: %[[M:.+]] = smx_gpu.reduce <maxnum> %[[W]]#0 dim 1
// CHECK: %[[L:.+]] = smx_gpu.reduce <add>
// CHECK: %[[MB:.+]] = smx_gpu.agreed %[[M]]
// CHECK: %[[LB:.+]] = smx_gpu.agreed %[[L]]
// CHECK: %[[B:.+]]:2 = smx_gpu.collect %[[MB]], %[[LB]] fill
// CHECK-SAME: tensor<64x8xf32
// CHECK: smx_gpu.reduce <maxnum> %[[B]]#0 dim 1
// CHECK-NOT: smx_gpu.collect
// CHECK: smx_gpu.return
smx_gpu.kernel @two_levels(%x: memref<?x16384xf32>, %y: memref<?x16384xf32>) warps(16) cluster(8) {
  %c0 = arith.constant 0 : index
  %i = gpu.block_id x
  %t = smx_gpu.load %x[%i, %c0] dims [-1, 1] : memref<?x16384xf32> -> tensor<1x2048xf32, #row>
  %mo = smx_gpu.reduce <maxnum> %t dim 1 : tensor<1x2048xf32, #row> -> tensor<1xf32, #value>
  %m = smx_gpu.cluster_reduce <maxnum> %mo : tensor<1xf32, #value>
  %mb = smx_gpu.broadcast %m : tensor<1xf32, #value> -> tensor<1x2048xf32, #row>
  %d = arith.subf %t, %mb : tensor<1x2048xf32, #row>
  %e = math.exp %d : tensor<1x2048xf32, #row>
  %lo = smx_gpu.reduce <add> %e dim 1 : tensor<1x2048xf32, #row> -> tensor<1xf32, #value>
  %l = smx_gpu.cluster_reduce <add> %lo : tensor<1xf32, #value>
  %lb = smx_gpu.broadcast %l : tensor<1xf32, #value> -> tensor<1x2048xf32, #row>
  %p = arith.divf %e, %lb : tensor<1x2048xf32, #row>
  smx_gpu.store %p, %y[%i, %c0] dims [-1, 1] : tensor<1x2048xf32, #row>, memref<?x16384xf32>
  smx_gpu.return
}
