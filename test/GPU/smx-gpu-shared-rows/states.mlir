// RUN: softmax-opt %s --pass-pipeline='builtin.module(smx_gpu.kernel(smx-gpu-shared-rows{bytes=64 states=2}))' | FileCheck %s

// Of 8 stripes of a thread two are in registers. The first 6 have a state of their own; the last 2 begin with its maximum, and its sum and kept weights are
// corrected by one factor.

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 4>
#parts = #smx_gpu.striped<rows = 2, columns = 32, vector = 4>
#values = #smx_gpu.slice<1, #parts>

// CHECK-LABEL: smx_gpu.kernel @states
// CHECK: smx_gpu.load {{.*}} -> tensor<1x512xf32
// CHECK-NEXT: smx_gpu.barrier
// CHECK-COUNT-6: smx_gpu.copy
// CHECK-COUNT-4: smx_gpu.read
// CHECK-NOT: smx_gpu.read
// CHECK: %[[M0:.+]] = smx_gpu.reduce <maxnum>
// CHECK: %[[B0:.+]] = smx_gpu.broadcast %[[M0]] {{.*}} -> tensor<2x256xf32
// CHECK: arith.subf %{{.+}}, %[[B0]]
// CHECK-NEXT: %[[W0:.+]] = math.exp
// CHECK: smx_gpu.partial_reduce <add> %[[W0]]
// CHECK-COUNT-4: smx_gpu.write
// CHECK: %[[L0:.+]] = smx_gpu.hold %{{.+}} : tensor<2x128xf32
// CHECK-COUNT-2: smx_gpu.read
// CHECK-NOT: smx_gpu.read
// CHECK: %[[M1:.+]] = smx_gpu.reduce <maxnum>
// CHECK-NEXT: %[[M:.+]] = arith.maxnumf %[[M0]], %[[M1]]
// CHECK: smx_gpu.broadcast %[[M]] {{.*}} -> tensor<2x128xf32
// CHECK-COUNT-2: smx_gpu.write
// CHECK-NOT: smx_gpu.write
// CHECK: %[[L1:.+]] = smx_gpu.hold %{{.+}} : tensor<2x128xf32
// CHECK-NEXT: %[[MOVED:.+]] = arith.subf %[[M0]], %[[M]]
// CHECK-NEXT: %[[FACTOR:.+]] = math.exp %[[MOVED]]
// CHECK: %[[FACTORS:.+]] = smx_gpu.broadcast %[[FACTOR]] {{.*}} -> tensor<2x128xf32
// CHECK-NEXT: %[[SCALED:.+]] = arith.mulf %[[L0]], %[[FACTORS]]
// CHECK-NEXT: %[[SUM:.+]] = arith.addf %[[SCALED]], %[[L1]]
// CHECK: %[[KEPT:.+]] = math.exp
// CHECK: smx_gpu.reduce <add> %[[SUM]]
// CHECK: %[[SHARE:.+]] = arith.divf
// The share of each piece's weights.
// CHECK: %[[BOTH:.+]] = arith.mulf %[[SHARE]], %[[KEPT]] : tensor<2xf32
// CHECK-NEXT: %[[ALL:.+]] = smx_gpu.broadcast %[[BOTH]] {{.*}} -> tensor<2x256xf32
// CHECK-NEXT: arith.mulf %[[W0]], %[[ALL]]
// CHECK: smx_gpu.store {{.*}} : tensor<1x512xf32
// CHECK-COUNT-4: arith.mulf %[[SHARE]], %[[KEPT]] : tensor<2xf32
// CHECK-NOT: arith.mulf %[[SHARE]]
// CHECK-COUNT-2: smx_gpu.store
// CHECK: smx_gpu.return
smx_gpu.kernel @states(%x: memref<?x2048xf32>, %y: memref<?x2048xf32>) warps(2) {
  %c0 = arith.constant 0 : index
  %one = arith.constant dense<1.0> : tensor<2xf32, #values>
  %i = gpu.block_id x
  %t = smx_gpu.load %x[%i, %c0] dims [-1, 1] {aligned = 16 : i64} : memref<?x2048xf32> -> tensor<1x2048xf32, #row>
  %p = smx_gpu.parts %t : tensor<1x2048xf32, #row> -> tensor<2x1024xf32, #parts>
  %m = smx_gpu.reduce <maxnum> %p dim 1 : tensor<2x1024xf32, #parts> -> tensor<2xf32, #values>
  %b = smx_gpu.broadcast %m : tensor<2xf32, #values> -> tensor<2x1024xf32, #parts>
  %d = arith.subf %p, %b : tensor<2x1024xf32, #parts>
  %e = math.exp %d : tensor<2x1024xf32, #parts>
  %l = smx_gpu.reduce <add> %e dim 1 : tensor<2x1024xf32, #parts> -> tensor<2xf32, #values>
  %s = arith.divf %one, %l : tensor<2xf32, #values>
  %sb = smx_gpu.broadcast %s : tensor<2xf32, #values> -> tensor<2x1024xf32, #parts>
  %q = arith.mulf %e, %sb : tensor<2x1024xf32, #parts>
  %r = smx_gpu.parts %q : tensor<2x1024xf32, #parts> -> tensor<1x2048xf32, #row>
  smx_gpu.store %r, %y[%i, %c0] dims [-1, 1] {aligned = 16 : i64} : tensor<1x2048xf32, #row>, memref<?x2048xf32>
  smx_gpu.return
}
