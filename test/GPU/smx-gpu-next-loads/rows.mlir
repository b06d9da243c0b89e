// A loop over a row for its maximum and the sum of its weights carries the next tile.
// RUN: softmax-opt %s --split-input-file --pass-pipeline='builtin.module(smx_gpu.kernel(smx-gpu-next-loads))' | FileCheck %s
// RUN: softmax-opt %s --split-input-file --pass-pipeline='builtin.module(smx_gpu.kernel(smx-gpu-next-loads))' --remarks-filter=smx-gpu-next-loads -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: softmax-opt %s --split-input-file --pass-pipeline='builtin.module(smx_gpu.kernel(smx-gpu-next-loads{share=1024}))' --remarks-filter=smx-gpu-next-loads -o /dev/null 2>&1 | FileCheck %s --check-prefix=TIGHT

// TIGHT: [Missed] NextLoads
// TIGHT-SAME: no room for the next tile beside this one: {{.*}}needed=4, {{.*}}registers=2048
// TIGHT-NOT: NextLoads
// REMARK: [Passed] NextLoads
// REMARK-SAME: a round asks for the next tile before it computes: {{.*}}registers=4
// REMARK-NOT: NextLoads

// CHECK-LABEL: smx_gpu.kernel @next
// CHECK: %[[FIRST:.+]] = smx_gpu.load %arg0[%[[ROW:.+]], %{{.+}}]
// CHECK-NEXT: %{{.+}}:3 = scf.for %[[J:.+]] = %c256 to %c4096 step %c256 iter_args(%[[M:.+]] = %{{.+}}, %[[L:.+]] = %{{.+}}, %[[X:.+]] = %[[FIRST]])
// CHECK-NEXT: %[[NEXT:.+]] = arith.addi %[[J]], %c256
// CHECK-NEXT: %[[IS:.+]] = arith.cmpi slt, %[[NEXT]], %c4096
// CHECK-NEXT: %[[Y:.+]] = scf.if %[[IS]]
// CHECK-NEXT: %[[AT:.+]] = arith.addi %[[NEXT]], %c256
// CHECK-NEXT: %[[LOADED:.+]] = smx_gpu.load %arg0[%[[ROW]], %[[AT]]]
// CHECK-NEXT: scf.yield %[[LOADED]]
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[X]]
// CHECK-NOT: smx_gpu.load
// CHECK: arith.extf %[[X]]
// CHECK: scf.yield %{{.+}}, %{{.+}}, %[[Y]]

#row = #smx_gpu.striped<rows = 1, columns = 32, vector = 8>
!v = tensor<1xf32, #smx_gpu.slice<1, #row>>
smx_gpu.kernel @next(%a: memref<8x8192xbf16>, %o: memref<8xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %c4096 = arith.constant 4096 : index
  %none = arith.constant dense<0xFF800000> : !v
  %zero = arith.constant dense<0.0> : !v
  %i = gpu.block_id x
  %r0:2 = scf.for %j = %c256 to %c4096 step %c256 iter_args(%m = %none, %l = %zero) -> (!v, !v) {
    %at = arith.addi %j, %c256 : index
    %x = smx_gpu.load %a[%i, %at] dims [-1, 1] {aligned = 16} : memref<8x8192xbf16> -> tensor<1x256xbf16, #row>
    %w = arith.extf %x : tensor<1x256xbf16, #row> to tensor<1x256xf32, #row>
    %t = smx_gpu.reduce <maxnum> %w dim 1 : tensor<1x256xf32, #row> -> !v
    %n = arith.maxnumf %t, %m : !v
    %nb = smx_gpu.broadcast %n : !v -> tensor<1x256xf32, #row>
    %d = arith.subf %w, %nb : tensor<1x256xf32, #row>
    %e = math.exp %d : tensor<1x256xf32, #row>
    %s = smx_gpu.reduce <add> %e dim 1 : tensor<1x256xf32, #row> -> !v
    %p = arith.addf %l, %s : !v
    scf.yield %n, %p : !v, !v
  }
  smx_gpu.store %r0#1, %o[%i] dims [-1] : !v, memref<8xf32>
  smx_gpu.return
}

// -----

// Elements of 32 bits take twice as many registers.
// CHECK-LABEL: smx_gpu.kernel @wide
// CHECK-NOT: scf.if
// CHECK: smx_gpu.return
#row = #smx_gpu.striped<rows = 1, columns = 32, vector = 8>
!v = tensor<1xf32, #smx_gpu.slice<1, #row>>
smx_gpu.kernel @wide(%a: memref<8x8192xf32>, %o: memref<8xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %c4096 = arith.constant 4096 : index
  %none = arith.constant dense<0xFF800000> : !v
  %zero = arith.constant dense<0.0> : !v
  %i = gpu.block_id x
  %r0:2 = scf.for %j = %c256 to %c4096 step %c256 iter_args(%m = %none, %l = %zero) -> (!v, !v) {
    %at = arith.addi %j, %c256 : index
    %x = smx_gpu.load %a[%i, %at] dims [-1, 1] {aligned = 16} : memref<8x8192xf32> -> tensor<1x256xf32, #row>
    %t = smx_gpu.reduce <maxnum> %x dim 1 : tensor<1x256xf32, #row> -> !v
    %n = arith.maxnumf %t, %m : !v
    %nb = smx_gpu.broadcast %n : !v -> tensor<1x256xf32, #row>
    %d = arith.subf %x, %nb : tensor<1x256xf32, #row>
    %e = math.exp %d : tensor<1x256xf32, #row>
    %s = smx_gpu.reduce <add> %e dim 1 : tensor<1x256xf32, #row> -> !v
    %p = arith.addf %l, %s : !v
    scf.yield %n, %p : !v, !v
  }
  smx_gpu.store %r0#1, %o[%i] dims [-1] : !v, memref<8xf32>
  smx_gpu.return
}

// -----

// A round that keeps more than a maximum and a sum has no registers.
// CHECK-LABEL: smx_gpu.kernel @keys
// CHECK-NOT: scf.if
// CHECK: smx_gpu.return
#row = #smx_gpu.striped<rows = 1, columns = 32, vector = 8>
!v = tensor<1xf32, #smx_gpu.slice<1, #row>>
smx_gpu.kernel @keys(%a: memref<8x8192xbf16>, %o: memref<8xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %c4096 = arith.constant 4096 : index
  %none = arith.constant dense<0xFF800000> : !v
  %zero = arith.constant dense<0.0> : !v
  %i = gpu.block_id x
  %r0:3 = scf.for %j = %c256 to %c4096 step %c256 iter_args(%m = %none, %l = %zero, %k = %zero) -> (!v, !v, !v) {
    %at = arith.addi %j, %c256 : index
    %x = smx_gpu.load %a[%i, %at] dims [-1, 1] {aligned = 16} : memref<8x8192xbf16> -> tensor<1x256xbf16, #row>
    %w = arith.extf %x : tensor<1x256xbf16, #row> to tensor<1x256xf32, #row>
    %t = smx_gpu.reduce <maxnum> %w dim 1 : tensor<1x256xf32, #row> -> !v
    %n = arith.maxnumf %t, %m : !v
    %nb = smx_gpu.broadcast %n : !v -> tensor<1x256xf32, #row>
    %d = arith.subf %w, %nb : tensor<1x256xf32, #row>
    %e = math.exp %d : tensor<1x256xf32, #row>
    %s = smx_gpu.reduce <add> %e dim 1 : tensor<1x256xf32, #row> -> !v
    %p = arith.addf %l, %s : !v
    scf.yield %n, %p, %k : !v, !v, !v
  }
  smx_gpu.store %r0#1, %o[%i] dims [-1] : !v, memref<8xf32>
  smx_gpu.return
}

// -----

// No exponential is computed.
// CHECK-LABEL: smx_gpu.kernel @maxima
// CHECK-NOT: scf.if
// CHECK: smx_gpu.return
#row = #smx_gpu.striped<rows = 1, columns = 32, vector = 8>
!v = tensor<1xf32, #smx_gpu.slice<1, #row>>
smx_gpu.kernel @maxima(%a: memref<8x8192xbf16>, %o: memref<8xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %c4096 = arith.constant 4096 : index
  %none = arith.constant dense<0xFF800000> : !v
  %zero = arith.constant dense<0.0> : !v
  %i = gpu.block_id x
  %r0:2 = scf.for %j = %c256 to %c4096 step %c256 iter_args(%m = %none, %l = %zero) -> (!v, !v) {
    %at = arith.addi %j, %c256 : index
    %x = smx_gpu.load %a[%i, %at] dims [-1, 1] {aligned = 16} : memref<8x8192xbf16> -> tensor<1x256xbf16, #row>
    %w = arith.extf %x : tensor<1x256xbf16, #row> to tensor<1x256xf32, #row>
    %t = smx_gpu.reduce <maxnum> %w dim 1 : tensor<1x256xf32, #row> -> !v
    %n = arith.maxnumf %t, %m : !v
    %nb = smx_gpu.broadcast %n : !v -> tensor<1x256xf32, #row>
    %d = arith.subf %w, %nb : tensor<1x256xf32, #row>
    %e = math.absf %d : tensor<1x256xf32, #row>
    %s = smx_gpu.reduce <add> %e dim 1 : tensor<1x256xf32, #row> -> !v
    %p = arith.addf %l, %s : !v
    scf.yield %n, %p : !v, !v
  }
  smx_gpu.store %r0#1, %o[%i] dims [-1] : !v, memref<8xf32>
  smx_gpu.return
}

// -----

// Tiles may be cut,
// CHECK-LABEL: smx_gpu.kernel @cut
// CHECK-NOT: scf.if
// CHECK: smx_gpu.return
#row = #smx_gpu.striped<rows = 1, columns = 32, vector = 8>
!v = tensor<1xf32, #smx_gpu.slice<1, #row>>
smx_gpu.kernel @cut(%a: memref<8x8192xbf16>, %o: memref<8xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %c4096 = arith.constant 4096 : index
  %none = arith.constant dense<0xFF800000> : !v
  %zero = arith.constant dense<0.0> : !v
  %i = gpu.block_id x
  %r0:2 = scf.for %j = %c256 to %c4096 step %c256 iter_args(%m = %none, %l = %zero) -> (!v, !v) {
    %at = arith.addi %j, %c256 : index
    %x = smx_gpu.load %a[%i, %at] valid(%c1, %i) dims [-1, 1] {aligned = 16} : memref<8x8192xbf16> -> tensor<1x256xbf16, #row>
    %w = arith.extf %x : tensor<1x256xbf16, #row> to tensor<1x256xf32, #row>
    %t = smx_gpu.reduce <maxnum> %w dim 1 : tensor<1x256xf32, #row> -> !v
    %n = arith.maxnumf %t, %m : !v
    %nb = smx_gpu.broadcast %n : !v -> tensor<1x256xf32, #row>
    %d = arith.subf %w, %nb : tensor<1x256xf32, #row>
    %e = math.exp %d : tensor<1x256xf32, #row>
    %s = smx_gpu.reduce <add> %e dim 1 : tensor<1x256xf32, #row> -> !v
    %p = arith.addf %l, %s : !v
    scf.yield %n, %p : !v, !v
  }
  smx_gpu.store %r0#1, %o[%i] dims [-1] : !v, memref<8xf32>
  smx_gpu.return
}

// -----

// or start within an access.
// CHECK-LABEL: smx_gpu.kernel @narrow
// CHECK-NOT: scf.if
// CHECK: smx_gpu.return
#row = #smx_gpu.striped<rows = 1, columns = 32, vector = 8>
!v = tensor<1xf32, #smx_gpu.slice<1, #row>>
smx_gpu.kernel @narrow(%a: memref<8x8192xbf16>, %o: memref<8xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %c4096 = arith.constant 4096 : index
  %none = arith.constant dense<0xFF800000> : !v
  %zero = arith.constant dense<0.0> : !v
  %i = gpu.block_id x
  %r0:2 = scf.for %j = %c256 to %c4096 step %c256 iter_args(%m = %none, %l = %zero) -> (!v, !v) {
    %at = arith.addi %j, %c256 : index
    %x = smx_gpu.load %a[%i, %at] dims [-1, 1] {aligned = 2} : memref<8x8192xbf16> -> tensor<1x256xbf16, #row>
    %w = arith.extf %x : tensor<1x256xbf16, #row> to tensor<1x256xf32, #row>
    %t = smx_gpu.reduce <maxnum> %w dim 1 : tensor<1x256xf32, #row> -> !v
    %n = arith.maxnumf %t, %m : !v
    %nb = smx_gpu.broadcast %n : !v -> tensor<1x256xf32, #row>
    %d = arith.subf %w, %nb : tensor<1x256xf32, #row>
    %e = math.exp %d : tensor<1x256xf32, #row>
    %s = smx_gpu.reduce <add> %e dim 1 : tensor<1x256xf32, #row> -> !v
    %p = arith.addf %l, %s : !v
    scf.yield %n, %p : !v, !v
  }
  smx_gpu.store %r0#1, %o[%i] dims [-1] : !v, memref<8xf32>
  smx_gpu.return
}

// -----

// The length of rows is not known.
// CHECK-LABEL: smx_gpu.kernel @open
// CHECK-NOT: scf.if
// CHECK: smx_gpu.return
#row = #smx_gpu.striped<rows = 1, columns = 32, vector = 8>
!v = tensor<1xf32, #smx_gpu.slice<1, #row>>
smx_gpu.kernel @open(%a: memref<8x?xbf16>, %o: memref<8xf32>, %ub: index) warps(1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %c4096 = arith.constant 4096 : index
  %none = arith.constant dense<0xFF800000> : !v
  %zero = arith.constant dense<0.0> : !v
  %i = gpu.block_id x
  %r0:2 = scf.for %j = %c256 to %ub step %c256 iter_args(%m = %none, %l = %zero) -> (!v, !v) {
    %at = arith.addi %j, %c256 : index
    %x = smx_gpu.load %a[%i, %at] dims [-1, 1] {aligned = 16} : memref<8x?xbf16> -> tensor<1x256xbf16, #row>
    %w = arith.extf %x : tensor<1x256xbf16, #row> to tensor<1x256xf32, #row>
    %t = smx_gpu.reduce <maxnum> %w dim 1 : tensor<1x256xf32, #row> -> !v
    %n = arith.maxnumf %t, %m : !v
    %nb = smx_gpu.broadcast %n : !v -> tensor<1x256xf32, #row>
    %d = arith.subf %w, %nb : tensor<1x256xf32, #row>
    %e = math.exp %d : tensor<1x256xf32, #row>
    %s = smx_gpu.reduce <add> %e dim 1 : tensor<1x256xf32, #row> -> !v
    %p = arith.addf %l, %s : !v
    scf.yield %n, %p : !v, !v
  }
  smx_gpu.store %r0#1, %o[%i] dims [-1] : !v, memref<8xf32>
  smx_gpu.return
}

// -----

// Several blocks share a row.
// CHECK-LABEL: smx_gpu.kernel @shared
// CHECK-NOT: scf.if
// CHECK: smx_gpu.return
#row = #smx_gpu.striped<rows = 1, columns = 32, vector = 8>
!v = tensor<1xf32, #smx_gpu.slice<1, #row>>
smx_gpu.kernel @shared(%a: memref<8x8192xbf16>, %o: memref<8xf32>, %ub: index) warps(1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %c4096 = arith.constant 4096 : index
  %none = arith.constant dense<0xFF800000> : !v
  %zero = arith.constant dense<0.0> : !v
  %i = gpu.block_id x
  %r0:2 = scf.for %j = %c256 to %ub step %c256 iter_args(%m = %none, %l = %zero) -> (!v, !v) {
    %at = arith.addi %j, %c256 : index
    %x = smx_gpu.load %a[%i, %at] dims [-1, 1] {aligned = 16} : memref<8x8192xbf16> -> tensor<1x256xbf16, #row>
    %w = arith.extf %x : tensor<1x256xbf16, #row> to tensor<1x256xf32, #row>
    %t = smx_gpu.reduce <maxnum> %w dim 1 : tensor<1x256xf32, #row> -> !v
    %n = arith.maxnumf %t, %m : !v
    %nb = smx_gpu.broadcast %n : !v -> tensor<1x256xf32, #row>
    %d = arith.subf %w, %nb : tensor<1x256xf32, #row>
    %e = math.exp %d : tensor<1x256xf32, #row>
    %s = smx_gpu.reduce <add> %e dim 1 : tensor<1x256xf32, #row> -> !v
    %p = arith.addf %l, %s : !v
    scf.yield %n, %p : !v, !v
  }
  smx_gpu.store %r0#1, %o[%i] dims [-1] : !v, memref<8xf32>
  smx_gpu.return
}

// -----

// There is no round.
// CHECK-LABEL: smx_gpu.kernel @never
// CHECK-NOT: scf.if
// CHECK: smx_gpu.return
#row = #smx_gpu.striped<rows = 1, columns = 32, vector = 8>
!v = tensor<1xf32, #smx_gpu.slice<1, #row>>
smx_gpu.kernel @never(%a: memref<8x8192xbf16>, %o: memref<8xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %c4096 = arith.constant 4096 : index
  %none = arith.constant dense<0xFF800000> : !v
  %zero = arith.constant dense<0.0> : !v
  %i = gpu.block_id x
  %r0:2 = scf.for %j = %c256 to %c1 step %c256 iter_args(%m = %none, %l = %zero) -> (!v, !v) {
    %at = arith.addi %j, %c256 : index
    %x = smx_gpu.load %a[%i, %at] dims [-1, 1] {aligned = 16} : memref<8x8192xbf16> -> tensor<1x256xbf16, #row>
    %w = arith.extf %x : tensor<1x256xbf16, #row> to tensor<1x256xf32, #row>
    %t = smx_gpu.reduce <maxnum> %w dim 1 : tensor<1x256xf32, #row> -> !v
    %n = arith.maxnumf %t, %m : !v
    %nb = smx_gpu.broadcast %n : !v -> tensor<1x256xf32, #row>
    %d = arith.subf %w, %nb : tensor<1x256xf32, #row>
    %e = math.exp %d : tensor<1x256xf32, #row>
    %s = smx_gpu.reduce <add> %e dim 1 : tensor<1x256xf32, #row> -> !v
    %p = arith.addf %l, %s : !v
    scf.yield %n, %p : !v, !v
  }
  smx_gpu.store %r0#1, %o[%i] dims [-1] : !v, memref<8xf32>
  smx_gpu.return
}

// -----

// What is loaded follows from the round before.
// CHECK-LABEL: smx_gpu.kernel @chased
// CHECK-NOT: scf.if
// CHECK: smx_gpu.return
#row = #smx_gpu.striped<rows = 1, columns = 32, vector = 8>
!v = tensor<1xf32, #smx_gpu.slice<1, #row>>
smx_gpu.kernel @chased(%a: memref<8x8192xbf16>, %o: memref<8xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %c4096 = arith.constant 4096 : index
  %zero = arith.constant dense<0.0> : !v
  %i = gpu.block_id x
  %r:2 = scf.for %j = %c256 to %c4096 step %c256 iter_args(%l = %zero, %at = %c0) -> (!v, index) {
    %x = smx_gpu.load %a[%i, %at] dims [-1, 1] {aligned = 16} : memref<8x8192xbf16> -> tensor<1x256xbf16, #row>
    %w = arith.extf %x : tensor<1x256xbf16, #row> to tensor<1x256xf32, #row>
    %e = math.exp %w : tensor<1x256xf32, #row>
    %s = smx_gpu.reduce <add> %e dim 1 : tensor<1x256xf32, #row> -> !v
    %p = arith.addf %l, %s : !v
    %next = arith.addi %at, %c256 : index
    scf.yield %p, %next : !v, index
  }
  smx_gpu.store %r#0, %o[%i] dims [-1] : !v, memref<8xf32>
  smx_gpu.return
}

// -----

// A round stores something, which may be what the next one reads.
// CHECK-LABEL: smx_gpu.kernel @stores
// CHECK-NOT: scf.if
// CHECK: smx_gpu.return
#row = #smx_gpu.striped<rows = 1, columns = 32, vector = 8>
!v = tensor<1xf32, #smx_gpu.slice<1, #row>>
smx_gpu.kernel @stores(%a: memref<8x8192xbf16>, %o: memref<8xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %c4096 = arith.constant 4096 : index
  %none = arith.constant dense<0xFF800000> : !v
  %zero = arith.constant dense<0.0> : !v
  %i = gpu.block_id x
  %r0:2 = scf.for %j = %c256 to %c4096 step %c256 iter_args(%m = %none, %l = %zero) -> (!v, !v) {
    %at = arith.addi %j, %c256 : index
    %x = smx_gpu.load %a[%i, %at] dims [-1, 1] {aligned = 16} : memref<8x8192xbf16> -> tensor<1x256xbf16, #row>
    %w = arith.extf %x : tensor<1x256xbf16, #row> to tensor<1x256xf32, #row>
    %t = smx_gpu.reduce <maxnum> %w dim 1 : tensor<1x256xf32, #row> -> !v
    %n = arith.maxnumf %t, %m : !v
    %nb = smx_gpu.broadcast %n : !v -> tensor<1x256xf32, #row>
    %d = arith.subf %w, %nb : tensor<1x256xf32, #row>
    %e = math.exp %d : tensor<1x256xf32, #row>
    %s = smx_gpu.reduce <add> %e dim 1 : tensor<1x256xf32, #row> -> !v
    %p = arith.addf %l, %s : !v
    smx_gpu.store %s, %o[%i] dims [-1] : !v, memref<8xf32>
    scf.yield %n, %p : !v, !v
  }
  smx_gpu.store %r0#1, %o[%i] dims [-1] : !v, memref<8xf32>
  smx_gpu.return
}

// -----

// A block has parts of a row one after the other.
// CHECK-LABEL: smx_gpu.kernel @parts
// CHECK-NOT: scf.if
// CHECK: smx_gpu.return
#row = #smx_gpu.striped<rows = 1, columns = 32, vector = 8>
!v = tensor<1xf32, #smx_gpu.slice<1, #row>>
smx_gpu.kernel @parts(%a: memref<8x8192xbf16>, %o: memref<8xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %c4096 = arith.constant 4096 : index
  %none = arith.constant dense<0xFF800000> : !v
  %zero = arith.constant dense<0.0> : !v
  %i = gpu.block_id x
  %r0:2 = scf.for %j = %c256 to %c4096 step %c256 iter_args(%m = %none, %l = %zero) -> (!v, !v) {
    %at = arith.addi %j, %c256 : index
    %x = smx_gpu.load %a[%i, %at] dims [-1, 1] {aligned = 16} : memref<8x8192xbf16> -> tensor<1x256xbf16, #row>
    %w = arith.extf %x : tensor<1x256xbf16, #row> to tensor<1x256xf32, #row>
    %t = smx_gpu.reduce <maxnum> %w dim 1 : tensor<1x256xf32, #row> -> !v
    %n = arith.maxnumf %t, %m : !v
    %nb = smx_gpu.broadcast %n : !v -> tensor<1x256xf32, #row>
    %d = arith.subf %w, %nb : tensor<1x256xf32, #row>
    %e = math.exp %d : tensor<1x256xf32, #row>
    %s = smx_gpu.reduce <add> %e dim 1 : tensor<1x256xf32, #row> -> !v
    %p = arith.addf %l, %s : !v
    scf.yield %n, %p : !v, !v
  }
  %r1:2 = scf.for %j = %c256 to %c4096 step %c256 iter_args(%m = %none, %l = %zero) -> (!v, !v) {
    %at = arith.addi %j, %c256 : index
    %x = smx_gpu.load %a[%i, %at] dims [-1, 1] {aligned = 16} : memref<8x8192xbf16> -> tensor<1x256xbf16, #row>
    %w = arith.extf %x : tensor<1x256xbf16, #row> to tensor<1x256xf32, #row>
    %t = smx_gpu.reduce <maxnum> %w dim 1 : tensor<1x256xf32, #row> -> !v
    %n = arith.maxnumf %t, %m : !v
    %nb = smx_gpu.broadcast %n : !v -> tensor<1x256xf32, #row>
    %d = arith.subf %w, %nb : tensor<1x256xf32, #row>
    %e = math.exp %d : tensor<1x256xf32, #row>
    %s = smx_gpu.reduce <add> %e dim 1 : tensor<1x256xf32, #row> -> !v
    %p = arith.addf %l, %s : !v
    scf.yield %n, %p : !v, !v
  }
  %sum = arith.addf %r0#1, %r1#1 : !v
  smx_gpu.store %sum, %o[%i] dims [-1] : !v, memref<8xf32>
  smx_gpu.return
}
