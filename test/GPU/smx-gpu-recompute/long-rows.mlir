// RUN: softmax-opt %s --split-input-file --pass-pipeline='builtin.module(smx_gpu.kernel(smx-gpu-recompute))' | FileCheck %s

// What is computed from narrower elements is computed on both sides of a reduction, from the tile that was loaded.

#row = #smx_gpu.striped<rows = 1, columns = 32, vector = 8>
#value = #smx_gpu.slice<1, #row>

// CHECK-LABEL: smx_gpu.kernel @narrow
smx_gpu.kernel @narrow(%x: memref<?x1024xbf16>, %y: memref<?x1024xbf16>) warps(1) {
  %c0 = arith.constant 0 : index
  %i = gpu.block_id x
  // CHECK: %[[X:.+]] = smx_gpu.load
  // CHECK-NEXT: %[[F:.+]] = arith.extf %[[X]]
  // CHECK-NEXT: %[[M:.+]] = smx_gpu.reduce <maxnum> %[[F]]
  // CHECK-NEXT: %[[MB:.+]] = smx_gpu.broadcast %[[M]]
  // CHECK-NEXT: %[[X1:.+]] = smx_gpu.hold %[[X]]
  // CHECK-NEXT: %[[F1:.+]] = arith.extf %[[X1]]
  // CHECK-NEXT: %[[D:.+]] = arith.subf %[[F1]], %[[MB]]
  // CHECK-NEXT: %[[S:.+]] = smx_gpu.reduce <add> %[[D]]
  // CHECK-NEXT: %[[SB:.+]] = smx_gpu.broadcast %[[S]]
  // What the third part needs is held from the second one on.
  // CHECK-NEXT: %[[X2:.+]] = smx_gpu.hold %[[X1]]
  // CHECK-NEXT: %[[F2:.+]] = arith.extf %[[X2]]
  // CHECK-NEXT: %[[D2:.+]] = arith.subf %[[F2]], %[[MB]]
  // CHECK-NEXT: arith.mulf %[[D2]], %[[SB]]
  %t = smx_gpu.load %x[%i, %c0] dims [-1, 1] : memref<?x1024xbf16> -> tensor<1x1024xbf16, #row>
  %f = arith.extf %t : tensor<1x1024xbf16, #row> to tensor<1x1024xf32, #row>
  %m = smx_gpu.reduce <maxnum> %f dim 1 : tensor<1x1024xf32, #row> -> tensor<1xf32, #value>
  %mb = smx_gpu.broadcast %m : tensor<1xf32, #value> -> tensor<1x1024xf32, #row>
  %d = arith.subf %f, %mb : tensor<1x1024xf32, #row>
  %s = smx_gpu.reduce <add> %d dim 1 : tensor<1x1024xf32, #row> -> tensor<1xf32, #value>
  %sb = smx_gpu.broadcast %s : tensor<1xf32, #value> -> tensor<1x1024xf32, #row>
  %p = arith.mulf %d, %sb : tensor<1x1024xf32, #row>
  %r = arith.truncf %p : tensor<1x1024xf32, #row> to tensor<1x1024xbf16, #row>
  smx_gpu.store %r, %y[%i, %c0] dims [-1, 1] : tensor<1x1024xbf16, #row>, memref<?x1024xbf16>
  smx_gpu.return
}

// -----

// What takes no more bits than its source replaces it.

#row = #smx_gpu.striped<rows = 1, columns = 32, vector = 4>
#value = #smx_gpu.slice<1, #row>

// CHECK-LABEL: smx_gpu.kernel @as_wide
// CHECK-NOT: smx_gpu.hold
smx_gpu.kernel @as_wide(%x: memref<?x1024xf32>, %y: memref<?x1024xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %t = smx_gpu.load %x[%c0, %c0] dims [-1, 1] : memref<?x1024xf32> -> tensor<1x1024xf32, #row>
  %e = math.exp %t : tensor<1x1024xf32, #row>
  %s = smx_gpu.reduce <add> %e dim 1 : tensor<1x1024xf32, #row> -> tensor<1xf32, #value>
  %sb = smx_gpu.broadcast %s : tensor<1xf32, #value> -> tensor<1x1024xf32, #row>
  // CHECK: %[[E:.+]] = math.exp
  // CHECK-NOT: math.exp
  // CHECK: arith.divf %[[E]]
  %p = arith.divf %e, %sb : tensor<1x1024xf32, #row>
  smx_gpu.store %p, %y[%c0, %c0] dims [-1, 1] : tensor<1x1024xf32, #row>, memref<?x1024xf32>
  smx_gpu.return
}

// -----

// A tile of few elements a thread stays in registers in any form.

#row = #smx_gpu.striped<rows = 1, columns = 128, vector = 8>
#value = #smx_gpu.slice<1, #row>

// CHECK-LABEL: smx_gpu.kernel @short
// CHECK-NOT: smx_gpu.hold
// CHECK: smx_gpu.return
smx_gpu.kernel @short(%x: memref<?x1024xbf16>, %y: memref<?x1024xf32>) warps(4) {
  %c0 = arith.constant 0 : index
  %t = smx_gpu.load %x[%c0, %c0] dims [-1, 1] : memref<?x1024xbf16> -> tensor<1x1024xbf16, #row>
  %f = arith.extf %t : tensor<1x1024xbf16, #row> to tensor<1x1024xf32, #row>
  %m = smx_gpu.reduce <maxnum> %f dim 1 : tensor<1x1024xf32, #row> -> tensor<1xf32, #value>
  %mb = smx_gpu.broadcast %m : tensor<1xf32, #value> -> tensor<1x1024xf32, #row>
  %d = arith.subf %f, %mb : tensor<1x1024xf32, #row>
  smx_gpu.store %d, %y[%c0, %c0] dims [-1, 1] : tensor<1x1024xf32, #row>, memref<?x1024xf32>
  smx_gpu.return
}

// -----

// A tile that only the last part needs is loaded there; not behind what is written.

#row = #smx_gpu.striped<rows = 1, columns = 32, vector = 4>
#value = #smx_gpu.slice<1, #row>

// CHECK-LABEL: smx_gpu.kernel @late
smx_gpu.kernel @late(%x: memref<?x1024xf32>, %g: memref<?x1024xf32>, %y: memref<?x1024xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %[[T:.+]] = smx_gpu.load
  // CHECK: %[[W:.+]] = smx_gpu.load %{{.+}}[%c1
  // CHECK: smx_gpu.reduce
  // CHECK: %[[G:.+]] = smx_gpu.load
  // CHECK-NEXT: arith.mulf %{{.+}}, %[[G]]
  // CHECK: smx_gpu.store
  // CHECK: smx_gpu.store %[[W]]
  %t = smx_gpu.load %x[%c0, %c0] dims [-1, 1] : memref<?x1024xf32> -> tensor<1x1024xf32, #row>
  %late = smx_gpu.load %g[%c0, %c0] dims [-1, 1] : memref<?x1024xf32> -> tensor<1x1024xf32, #row>
  %written = smx_gpu.load %y[%c1, %c0] dims [-1, 1] : memref<?x1024xf32> -> tensor<1x1024xf32, #row>
  %m = smx_gpu.reduce <maxnum> %t dim 1 : tensor<1x1024xf32, #row> -> tensor<1xf32, #value>
  %mb = smx_gpu.broadcast %m : tensor<1xf32, #value> -> tensor<1x1024xf32, #row>
  %d = arith.subf %t, %mb : tensor<1x1024xf32, #row>
  %p = arith.mulf %d, %late : tensor<1x1024xf32, #row>
  smx_gpu.store %p, %y[%c0, %c0] dims [-1, 1] : tensor<1x1024xf32, #row>, memref<?x1024xf32>
  smx_gpu.store %written, %y[%c1, %c0] dims [-1, 1] : tensor<1x1024xf32, #row>, memref<?x1024xf32>
  smx_gpu.return
}

// -----

// An exponential to the last bits of f32 takes too long to be computed twice.

#row = #smx_gpu.striped<rows = 1, columns = 32, vector = 8>
#value = #smx_gpu.slice<1, #row>

// CHECK-LABEL: smx_gpu.kernel @precise_weights
// CHECK: math.exp
// CHECK-NOT: smx_gpu.hold
// CHECK-NOT: math.exp
// CHECK: smx_gpu.return
smx_gpu.kernel @precise_weights(%x: memref<?x1024xbf16>, %y: memref<?x1024xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %t = smx_gpu.load %x[%c0, %c0] dims [-1, 1] : memref<?x1024xbf16> -> tensor<1x1024xbf16, #row>
  %f = arith.extf %t : tensor<1x1024xbf16, #row> to tensor<1x1024xf32, #row>
  %e = math.exp %f : tensor<1x1024xf32, #row>
  %l = smx_gpu.reduce <add> %e dim 1 : tensor<1x1024xf32, #row> -> tensor<1xf32, #value>
  %lb = smx_gpu.broadcast %l : tensor<1xf32, #value> -> tensor<1x1024xf32, #row>
  %p = arith.divf %e, %lb : tensor<1x1024xf32, #row>
  smx_gpu.store %p, %y[%c0, %c0] dims [-1, 1] : tensor<1x1024xf32, #row>, memref<?x1024xf32>
  smx_gpu.return
}

// -----

// One of which few bits matter does not.

#row = #smx_gpu.striped<rows = 1, columns = 32, vector = 8>
#value = #smx_gpu.slice<1, #row>

// CHECK-LABEL: smx_gpu.kernel @rough_weights
// CHECK-COUNT-2: math.exp2
// CHECK: smx_gpu.return
smx_gpu.kernel @rough_weights(%x: memref<?x1024xbf16>, %y: memref<?x1024xbf16>) warps(1) {
  %c0 = arith.constant 0 : index
  %t = smx_gpu.load %x[%c0, %c0] dims [-1, 1] : memref<?x1024xbf16> -> tensor<1x1024xbf16, #row>
  %f = arith.extf %t : tensor<1x1024xbf16, #row> to tensor<1x1024xf32, #row>
  %e = math.exp2 %f {result_bits = 12 : i32} : tensor<1x1024xf32, #row>
  %l = smx_gpu.reduce <add> %e dim 1 : tensor<1x1024xf32, #row> -> tensor<1xf32, #value>
  %lb = smx_gpu.broadcast %l : tensor<1xf32, #value> -> tensor<1x1024xf32, #row>
  %p = arith.divf %e, %lb : tensor<1x1024xf32, #row>
  %r = arith.truncf %p : tensor<1x1024xf32, #row> to tensor<1x1024xbf16, #row>
  smx_gpu.store %r, %y[%c0, %c0] dims [-1, 1] : tensor<1x1024xbf16, #row>, memref<?x1024xbf16>
  smx_gpu.return
}

// -----

// Of two rows what ptxas would keep widened is more than there are registers: they are widened in another way after the sum.

#row = #smx_gpu.striped<rows = 1, columns = 32, vector = 8>
#value = #smx_gpu.slice<1, #row>

// CHECK-LABEL: smx_gpu.kernel @pair
// CHECK: %[[X:.+]] = smx_gpu.load
// CHECK: %[[Y:.+]] = smx_gpu.load
// CHECK: smx_gpu.reduce <add>
// CHECK-DAG: smx_gpu.hold %[[X]] apart
// CHECK-DAG: smx_gpu.hold %[[Y]] apart
smx_gpu.kernel @pair(%x: memref<?x1024xbf16>, %y: memref<?x1024xbf16>, %z: memref<?x1024xbf16>) warps(1) {
  %c0 = arith.constant 0 : index
  %t = smx_gpu.load %x[%c0, %c0] dims [-1, 1] : memref<?x1024xbf16> -> tensor<1x1024xbf16, #row>
  %u = smx_gpu.load %y[%c0, %c0] dims [-1, 1] : memref<?x1024xbf16> -> tensor<1x1024xbf16, #row>
  %f = arith.extf %t : tensor<1x1024xbf16, #row> to tensor<1x1024xf32, #row>
  %g = arith.extf %u : tensor<1x1024xbf16, #row> to tensor<1x1024xf32, #row>
  %p = arith.mulf %f, %g : tensor<1x1024xf32, #row>
  %s = smx_gpu.reduce <add> %p dim 1 : tensor<1x1024xf32, #row> -> tensor<1xf32, #value>
  %b = smx_gpu.broadcast %s : tensor<1xf32, #value> -> tensor<1x1024xf32, #row>
  %d = arith.subf %g, %b : tensor<1x1024xf32, #row>
  %q = arith.mulf %f, %d : tensor<1x1024xf32, #row>
  %r = arith.truncf %q : tensor<1x1024xf32, #row> to tensor<1x1024xbf16, #row>
  smx_gpu.store %r, %z[%c0, %c0] dims [-1, 1] : tensor<1x1024xbf16, #row>, memref<?x1024xbf16>
  smx_gpu.return
}
