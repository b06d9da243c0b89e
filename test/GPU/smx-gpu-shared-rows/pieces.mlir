// RUN: softmax-opt %s --split-input-file --pass-pipeline='builtin.module(smx_gpu.kernel(smx-gpu-shared-rows{bytes=64}))' | FileCheck %s

// Of 32 elements a thread, 12 stay in registers, for which 64 bytes leave room beside weights; the others are read from shared memory by each that needs them.

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 4>
#parts = #smx_gpu.striped<rows = 2, columns = 32, vector = 4>
#value = #smx_gpu.slice<1, #row>

// CHECK-LABEL: smx_gpu.kernel @pieces
// CHECK: %[[X:.+]] = smx_gpu.load %{{.+}}[%{{.+}}, %[[C:.+]]] valid(%{{.+}}, %[[N:.+]]) dims [-1, 1] {{.*}} -> tensor<1x768xf32
// The rest in stripes of a vector for each thread.
// CHECK: %[[S:.+]] = smx_gpu.alloc : <1x256xf32, swizzle = 0>
// CHECK: %[[C1:.+]] = arith.addi %[[C]], %c768
// CHECK: %[[LEFT:.+]] = arith.subi %[[N]], %c768
// CHECK: %[[N1:.+]] = arith.maxsi %[[LEFT]], %c0
// CHECK: smx_gpu.copy %{{.+}}[%{{.+}}, %[[C1]]] valid(%{{.+}}, %[[N1]]) to %[[S]]
// CHECK-COUNT-4: smx_gpu.copy
// CHECK: %[[P0:.+]] = smx_gpu.parts %[[X]] : {{.*}} -> tensor<2x384xf32
// One value of a warp for all of them.
// CHECK: %[[M0:.+]] = smx_gpu.partial_reduce <maxnum> %[[P0]] : {{.*}} -> tensor<2x128xf32
// CHECK: %[[H:.+]] = smx_gpu.hold %[[S]]
// CHECK: %[[X1:.+]] = smx_gpu.read %[[H]]
// CHECK: %[[P1:.+]] = smx_gpu.parts %[[X1]]
// CHECK: %[[M1:.+]] = arith.maxnumf %[[M0]], %[[P1]]
// CHECK: %[[R1:.+]] = smx_gpu.hold %[[M1]]
// CHECK: %[[P2:.+]] = smx_gpu.parts
// CHECK: arith.maxnumf %[[R1]], %[[P2]]
// CHECK: smx_gpu.reduce <maxnum>
// CHECK-NOT: smx_gpu.reduce
// Columns of the stripes are behind those of the first piece.
// CHECK: smx_gpu.position 1 : tensor<1x768xindex
// CHECK: smx_gpu.store %{{.+}} : tensor<1x768xf32
// CHECK: smx_gpu.hold %[[H]]
// CHECK: smx_gpu.read
// CHECK: smx_gpu.position 1 : tensor<1x256xindex
// CHECK: arith.constant dense<1024>
// CHECK: arith.addi
// CHECK-COUNT-3: smx_gpu.store
smx_gpu.kernel @pieces(%x: memref<?x2048xf32>, %y: memref<?x2048xf32>, %c: index, %n: index) warps(2) {
  %c1 = arith.constant 1 : index
  %i = gpu.block_id x
  %none = arith.constant dense<0.0> : tensor<1x2048xf32, #row>
  %t = smx_gpu.load %x[%i, %c] valid(%c1, %n) dims [-1, 1] {aligned = 16 : i64} : memref<?x2048xf32> -> tensor<1x2048xf32, #row>
  %p = smx_gpu.parts %t : tensor<1x2048xf32, #row> -> tensor<2x1024xf32, #parts>
  %m = smx_gpu.reduce <maxnum> %p dim 1 : tensor<2x1024xf32, #parts> -> tensor<2xf32, #smx_gpu.slice<1, #parts>>
  %a = smx_gpu.agreed %m : tensor<2xf32, #smx_gpu.slice<1, #parts>> -> tensor<1xf32, #value>
  %b = smx_gpu.broadcast %a : tensor<1xf32, #value> -> tensor<1x2048xf32, #row>
  %d = arith.subf %t, %b : tensor<1x2048xf32, #row>
  %j = smx_gpu.position 1 : tensor<1x2048xindex, #row>
  %nt = tensor.splat %n : tensor<1x2048xindex, #row>
  %in = arith.cmpi slt, %j, %nt : tensor<1x2048xindex, #row>
  %s = arith.select %in, %d, %none : tensor<1x2048xi1, #row>, tensor<1x2048xf32, #row>
  smx_gpu.store %s, %y[%i, %c] dims [-1, 1] {aligned = 16 : i64} : tensor<1x2048xf32, #row>, memref<?x2048xf32>
  smx_gpu.return
}

// -----

// Registers have room for all of it.

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 4>

// CHECK-LABEL: smx_gpu.kernel @short
// CHECK-NOT: smx_gpu.alloc
// CHECK: smx_gpu.return
smx_gpu.kernel @short(%x: memref<?x1024xf32>, %y: memref<?x1024xf32>) warps(2) {
  %c0 = arith.constant 0 : index
  %t = smx_gpu.load %x[%c0, %c0] dims [-1, 1] : memref<?x1024xf32> -> tensor<1x1024xf32, #row>
  smx_gpu.store %t, %y[%c0, %c0] dims [-1, 1] : tensor<1x1024xf32, #row>, memref<?x1024xf32>
  smx_gpu.return
}

// -----

// A loop is not seen through: the kernel stays as it is.

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 4>

// CHECK-LABEL: smx_gpu.kernel @loop
// CHECK-NOT: smx_gpu.alloc
// CHECK: smx_gpu.return
smx_gpu.kernel @loop(%x: memref<?x2048xf32>, %y: memref<?x2048xf32>, %n: index) warps(2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = smx_gpu.load %x[%c0, %c0] dims [-1, 1] : memref<?x2048xf32> -> tensor<1x2048xf32, #row>
  %s = scf.for %k = %c0 to %n step %c1 iter_args(%a = %t) -> (tensor<1x2048xf32, #row>) {
    %b = arith.addf %a, %t : tensor<1x2048xf32, #row>
    scf.yield %b : tensor<1x2048xf32, #row>
  }
  smx_gpu.store %s, %y[%c0, %c0] dims [-1, 1] : tensor<1x2048xf32, #row>, memref<?x2048xf32>
  smx_gpu.return
}

// -----

// Where all warps meet, half of what registers have room for: 2 of 8 vectors of a thread. The first one is widened there.

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 8>
#value = #smx_gpu.slice<1, #row>

// CHECK-LABEL: smx_gpu.kernel @meeting
// CHECK: smx_gpu.load {{.*}} -> tensor<1x1024xbf16
// CHECK-COUNT-6: smx_gpu.copy
// CHECK-NOT: smx_gpu.copy
// CHECK: smx_gpu.partial_reduce <add> %{{.+}} : tensor<1x1024xf32{{.*}} -> tensor<1x512xf32
// CHECK: smx_gpu.return
smx_gpu.kernel @meeting(%x: memref<?x4096xbf16>, %y: memref<?xf32>) warps(2) {
  %c0 = arith.constant 0 : index
  %i = gpu.block_id x
  %t = smx_gpu.load %x[%i, %c0] dims [-1, 1] {aligned = 16 : i64} : memref<?x4096xbf16> -> tensor<1x4096xbf16, #row>
  %w = arith.extf %t : tensor<1x4096xbf16, #row> to tensor<1x4096xf32, #row>
  %s = smx_gpu.reduce <add> %w dim 1 : tensor<1x4096xf32, #row> -> tensor<1xf32, #value>
  smx_gpu.store %s, %y[%i] dims [-1] : tensor<1xf32, #value>, memref<?xf32>
  smx_gpu.return
}

// -----

// A warp's part of a cluster's block that is widened once: 3 vectors.

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 8>
#parts = #smx_gpu.striped<rows = 2, columns = 32, vector = 8>

// CHECK-LABEL: smx_gpu.kernel @part
// CHECK: smx_gpu.load {{.*}} -> tensor<1x1536xbf16
// CHECK-COUNT-5: smx_gpu.copy
// CHECK-NOT: smx_gpu.copy
// CHECK: smx_gpu.return
smx_gpu.kernel @part(%x: memref<?x4096xbf16>, %y: memref<?xf32>) warps(2) cluster(2) {
  %c0 = arith.constant 0 : index
  %i = gpu.block_id x
  %t = smx_gpu.load %x[%i, %c0] dims [-1, 1] {aligned = 16 : i64} : memref<?x4096xbf16> -> tensor<1x4096xbf16, #row>
  %p = smx_gpu.parts %t : tensor<1x4096xbf16, #row> -> tensor<2x2048xbf16, #parts>
  %w = arith.extf %p : tensor<2x2048xbf16, #parts> to tensor<2x2048xf32, #parts>
  %s = smx_gpu.reduce <add> %w dim 1 : tensor<2x2048xf32, #parts> -> tensor<2xf32, #smx_gpu.slice<1, #parts>>
  smx_gpu.store %s, %y[%i] dims [0] : tensor<2xf32, #smx_gpu.slice<1, #parts>>, memref<?xf32>
  smx_gpu.return
}

// -----

// Of a block without others, 2.

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 8>
#parts = #smx_gpu.striped<rows = 2, columns = 32, vector = 8>

// CHECK-LABEL: smx_gpu.kernel @lone_part
// CHECK: smx_gpu.load {{.*}} -> tensor<1x1024xbf16
// CHECK-COUNT-6: smx_gpu.copy
// CHECK-NOT: smx_gpu.copy
// CHECK: smx_gpu.return
smx_gpu.kernel @lone_part(%x: memref<?x4096xbf16>, %y: memref<?xf32>) warps(2) {
  %c0 = arith.constant 0 : index
  %i = gpu.block_id x
  %t = smx_gpu.load %x[%i, %c0] dims [-1, 1] {aligned = 16 : i64} : memref<?x4096xbf16> -> tensor<1x4096xbf16, #row>
  %p = smx_gpu.parts %t : tensor<1x4096xbf16, #row> -> tensor<2x2048xbf16, #parts>
  %w = arith.extf %p : tensor<2x2048xbf16, #parts> to tensor<2x2048xf32, #parts>
  %s = smx_gpu.reduce <add> %w dim 1 : tensor<2x2048xf32, #parts> -> tensor<2xf32, #smx_gpu.slice<1, #parts>>
  smx_gpu.store %s, %y[%i] dims [0] : tensor<2xf32, #smx_gpu.slice<1, #parts>>, memref<?xf32>
  smx_gpu.return
}

// -----

// A maximum leaves the elements as they are. The weights of a sum take their place; those of two pieces are added before they are widened.

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 4>
#parts = #smx_gpu.striped<rows = 2, columns = 32, vector = 4>
#values = #smx_gpu.slice<1, #parts>

// CHECK-LABEL: smx_gpu.kernel @weights
// CHECK: smx_gpu.load {{.*}} -> tensor<1x768xf32
// CHECK-COUNT-3: smx_gpu.copy
// CHECK-NOT: smx_gpu.write
// CHECK: smx_gpu.reduce <maxnum>
// CHECK: %[[FIRST:.+]] = smx_gpu.partial_reduce <add> %{{.+}} : tensor<2x384xf32{{.*}} -> tensor<2x128xf32
// CHECK-NEXT: %[[L0:.+]] = arith.extf %[[FIRST]]
// CHECK: %[[W1:.+]] = math.exp
// CHECK: smx_gpu.write
// CHECK: %[[HELD:.+]] = smx_gpu.hold %[[W1]]
// CHECK: %[[W2:.+]] = math.exp
// CHECK: smx_gpu.write
// CHECK: %[[BOTH:.+]] = arith.addf %[[HELD]], %[[W2]] : tensor<2x128xf32
// CHECK-NEXT: %[[WIDE:.+]] = arith.extf %[[BOTH]]
// CHECK-NEXT: %[[L1:.+]] = arith.addf %[[L0]], %[[WIDE]] : tensor<2x128xf64
// CHECK: %[[L1H:.+]] = smx_gpu.hold %[[L1]]
// CHECK: %[[W3:.+]] = math.exp
// CHECK: smx_gpu.write
// CHECK: %[[WIDE3:.+]] = arith.extf %[[W3]]
// CHECK-NEXT: %[[L2:.+]] = arith.addf %[[L1H]], %[[WIDE3]]
// CHECK-NEXT: %[[L2H:.+]] = smx_gpu.hold %[[L2]]
// CHECK-NEXT: smx_gpu.reduce <add> %[[L2H]]
// CHECK-NOT: smx_gpu.write
// CHECK: smx_gpu.return
smx_gpu.kernel @weights(%x: memref<?x1536xf32>, %y: memref<?x1536xf32>, %z: memref<?xf64>) warps(2) {
  %c0 = arith.constant 0 : index
  %i = gpu.block_id x
  %t = smx_gpu.load %x[%i, %c0] dims [-1, 1] {aligned = 16 : i64} : memref<?x1536xf32> -> tensor<1x1536xf32, #row>
  %p = smx_gpu.parts %t : tensor<1x1536xf32, #row> -> tensor<2x768xf32, #parts>
  %m = smx_gpu.reduce <maxnum> %p dim 1 : tensor<2x768xf32, #parts> -> tensor<2xf32, #values>
  %b = smx_gpu.broadcast %m : tensor<2xf32, #values> -> tensor<2x768xf32, #parts>
  %d = arith.subf %p, %b : tensor<2x768xf32, #parts>
  %e = math.exp %d : tensor<2x768xf32, #parts>
  %some = smx_gpu.partial_reduce <add> %e : tensor<2x768xf32, #parts> -> tensor<2x128xf32, #parts>
  %wide = arith.extf %some : tensor<2x128xf32, #parts> to tensor<2x128xf64, #parts>
  %l = smx_gpu.reduce <add> %wide dim 1 : tensor<2x128xf64, #parts> -> tensor<2xf64, #values>
  smx_gpu.store %l, %z[%c0] dims [0] : tensor<2xf64, #values>, memref<?xf64>
  %f = arith.truncf %l : tensor<2xf64, #values> to tensor<2xf32, #values>
  %fb = smx_gpu.broadcast %f : tensor<2xf32, #values> -> tensor<2x768xf32, #parts>
  %q = arith.mulf %e, %fb : tensor<2x768xf32, #parts>
  %r = smx_gpu.parts %q : tensor<2x768xf32, #parts> -> tensor<1x1536xf32, #row>
  smx_gpu.store %r, %y[%i, %c0] dims [-1, 1] {aligned = 16 : i64} : tensor<1x1536xf32, #row>, memref<?x1536xf32>
  smx_gpu.return
}

// -----

// The schedule has left threads registers for all of it.

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 4>
#value = #smx_gpu.slice<1, #row>

// CHECK-LABEL: smx_gpu.kernel @in_registers
// CHECK-NOT: smx.rows_in_registers
// CHECK: smx_gpu.load {{.*}} -> tensor<1x2048xf32
// CHECK-NOT: smx_gpu.copy
// CHECK: smx_gpu.return
smx_gpu.kernel @in_registers(%x: memref<?x2048xf32>, %y: memref<?x2048xf32>) warps(2) attributes {smx.rows_in_registers} {
  %c0 = arith.constant 0 : index
  %i = gpu.block_id x
  %t = smx_gpu.load %x[%i, %c0] dims [-1, 1] {aligned = 16 : i64} : memref<?x2048xf32> -> tensor<1x2048xf32, #row>
  %m = smx_gpu.reduce <maxnum> %t dim 1 : tensor<1x2048xf32, #row> -> tensor<1xf32, #value>
  %b = smx_gpu.broadcast %m : tensor<1xf32, #value> -> tensor<1x2048xf32, #row>
  %d = arith.subf %t, %b : tensor<1x2048xf32, #row>
  smx_gpu.store %d, %y[%i, %c0] dims [-1, 1] : tensor<1x2048xf32, #row>, memref<?x2048xf32>
  smx_gpu.return
}
