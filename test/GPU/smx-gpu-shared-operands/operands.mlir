// RUN: softmax-opt %s --pass-pipeline='builtin.module(smx_gpu.kernel(smx-gpu-shared-operands))' | FileCheck %s
// RUN: softmax-opt %s --pass-pipeline='builtin.module(smx_gpu.kernel(smx-gpu-shared-operands))' --remarks-filter=smx-gpu-shared-operands 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

#L = #smx_gpu.fragment<warps = 4>
!global = memref<?x128xbf16>
!kv = !smx_gpu.channel<64x128xbf16, swizzle = 128, depth = 2>
!stage = !smx_gpu.shared<64x128xbf16, swizzle = 128>

// 64 registers of queries, 128 that the loop carries and 64 of scores: the queries are read from shared memory, copied
// there when the first keys are on their way.
// CHECK-LABEL: smx_gpu.kernel @short
// CHECK-NOT: smx_gpu.load
// CHECK: %[[Q:.+]] = smx_gpu.alloc : <128x128xbf16, swizzle = 128>
// CHECK: smx_gpu.put
// CHECK: smx_gpu.copy %{{.+}}[%{{.+}}, %{{.+}}] to %[[Q]] dims [0, 1] {aligned = 16 : i64}
// CHECK: scf.for
// CHECK: smx_gpu.mma %[[Q]], %{{.+}} transpose_b : !smx_gpu.shared<128x128xbf16, swizzle = 128>
// REMARK: SharedOperand{{.*}}bytes=32768
smx_gpu.kernel @short(%q: !global, %k: !global, %v: !global, %o: !global) warps(4) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %K = smx_gpu.make_channel : !kv
  %zero = arith.constant dense<0.0> : tensor<128x64xf32, #L>
  %none = arith.constant dense<0.0> : tensor<128x128xf32, #L>
  %qt = smx_gpu.load %q[%c0, %c0] dims [0, 1] {aligned = 16 : i64} : !global -> tensor<128x128xbf16, #L>
  smx_gpu.put %k[%c0, %c0] into %K dims [0, 1] copy(async) {aligned = 16 : i64} : !global, !kv
  %acc = scf.for %j = %c0 to %c8 step %c1 iter_args(%a = %none) -> tensor<128x128xf32, #L> {
    %kt = smx_gpu.get %K : !kv -> !stage
    %s = smx_gpu.mma %qt, %kt, %zero transpose_b : tensor<128x128xbf16, #L>, !stage -> tensor<128x64xf32, #L>
    %p = arith.truncf %s : tensor<128x64xf32, #L> to tensor<128x64xbf16, #L>
    %b = smx_gpu.mma %p, %kt, %a : tensor<128x64xbf16, #L>, !stage -> tensor<128x128xf32, #L>
    smx_gpu.release %K : !kv
    scf.yield %b : tensor<128x128xf32, #L>
  }
  %r = arith.truncf %acc : tensor<128x128xf32, #L> to tensor<128x128xbf16, #L>
  smx_gpu.store %r, %o[%c0, %c0] dims [0, 1] {aligned = 16 : i64} : tensor<128x128xbf16, #L>, !global
  smx_gpu.return
}

// 64 rows leave room, and what is used otherwise stays.
// CHECK-LABEL: smx_gpu.kernel @roomy
// CHECK: smx_gpu.load
// CHECK-NOT: smx_gpu.alloc
smx_gpu.kernel @roomy(%q: !global, %k: !global) warps(4) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %K = smx_gpu.make_channel : !kv
  %none = arith.constant dense<0.0> : tensor<64x64xf32, #L>
  %qt = smx_gpu.load %q[%c0, %c0] dims [0, 1] : !global -> tensor<64x128xbf16, #L>
  smx_gpu.put %k[%c0, %c0] into %K dims [0, 1] copy(async) {aligned = 16 : i64} : !global, !kv
  %acc = scf.for %j = %c0 to %c8 step %c1 iter_args(%a = %none) -> tensor<64x64xf32, #L> {
    %kt = smx_gpu.get %K : !kv -> !stage
    %s = smx_gpu.mma %qt, %kt, %a transpose_b : tensor<64x128xbf16, #L>, !stage -> tensor<64x64xf32, #L>
    smx_gpu.release %K : !kv
    scf.yield %s : tensor<64x64xf32, #L>
  }
  smx_gpu.return
}

// Single precision is multiplied by the threads, four of which need each element.
// CHECK-LABEL: smx_gpu.kernel @exact
// CHECK: smx_gpu.copy
// CHECK: smx_gpu.mma %{{.+}} : !smx_gpu.shared<64x32xf32, swizzle = 128>
smx_gpu.kernel @exact(%q: memref<?x32xf32>, %b: memref<?x32xf32>) warps(4) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %K = smx_gpu.alloc : !smx_gpu.shared<32x32xf32, swizzle = 128>
  %none = arith.constant dense<0.0> : tensor<64x32xf32, #L>
  %qt = smx_gpu.load %q[%c0, %c0] dims [0, 1] : memref<?x32xf32> -> tensor<64x32xf32, #L>
  %acc = scf.for %j = %c0 to %c8 step %c1 iter_args(%a = %none) -> tensor<64x32xf32, #L> {
    smx_gpu.copy %b[%j, %c0] to %K dims [0, 1] : memref<?x32xf32>, !smx_gpu.shared<32x32xf32, swizzle = 128>
    %s = smx_gpu.mma %qt, %K, %a : tensor<64x32xf32, #L>, !smx_gpu.shared<32x32xf32, swizzle = 128> -> tensor<64x32xf32, #L>
    scf.yield %s : tensor<64x32xf32, #L>
  }
  smx_gpu.return
}

// No room in shared memory: stays in registers.
// CHECK-LABEL: smx_gpu.kernel @full
// CHECK: smx_gpu.load
// REMARK: SharedOperand{{.*}}needed=
smx_gpu.kernel @full(%q: memref<?x32xf32>) warps(4) shared_limit(8192) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %K = smx_gpu.alloc : !smx_gpu.shared<32x32xf32, swizzle = 128>
  %none = arith.constant dense<0.0> : tensor<64x32xf32, #L>
  %qt = smx_gpu.load %q[%c0, %c0] dims [0, 1] : memref<?x32xf32> -> tensor<64x32xf32, #L>
  %acc = scf.for %j = %c0 to %c8 step %c1 iter_args(%a = %none) -> tensor<64x32xf32, #L> {
    %s = smx_gpu.mma %qt, %K, %a : tensor<64x32xf32, #L>, !smx_gpu.shared<32x32xf32, swizzle = 128> -> tensor<64x32xf32, #L>
    scf.yield %s : tensor<64x32xf32, #L>
  }
  smx_gpu.return
}

!wide = memref<?x112xf32>
!wideKeys = !smx_gpu.channel<64x112xf32, swizzle = 64, depth = 2>
!wideStage = !smx_gpu.shared<64x112xf32, swizzle = 64>

// In two TF32 parts, 56 registers of queries are 112 in front of the loop: with 56 that it carries and 32 of scores, more
// than there are.
// CHECK-LABEL: smx_gpu.kernel @two_parts
// CHECK-NOT: smx_gpu.load
// CHECK: smx_gpu.alloc : <64x112xf32, swizzle = 64>
// CHECK: scf.for
smx_gpu.kernel @two_parts(%q: !wide, %k: !wide, %o: !wide) warps(4) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %K = smx_gpu.make_channel : !wideKeys
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #L>
  %none = arith.constant dense<0.0> : tensor<64x112xf32, #L>
  %qt = smx_gpu.load %q[%c0, %c0] dims [0, 1] {aligned = 16 : i64} : !wide -> tensor<64x112xf32, #L>
  smx_gpu.put %k[%c0, %c0] into %K dims [0, 1] copy(async) {aligned = 16 : i64} : !wide, !wideKeys
  %acc = scf.for %j = %c0 to %c8 step %c1 iter_args(%a = %none) -> tensor<64x112xf32, #L> {
    %kt = smx_gpu.get %K : !wideKeys -> !wideStage
    %s = smx_gpu.mma %qt, %kt, %zero transpose_b precision(tf32x3) : tensor<64x112xf32, #L>, !wideStage -> tensor<64x64xf32, #L>
    %b = smx_gpu.mma %s, %kt, %a precision(tf32x3) : tensor<64x64xf32, #L>, !wideStage -> tensor<64x112xf32, #L>
    smx_gpu.release %K : !wideKeys
    scf.yield %b : tensor<64x112xf32, #L>
  }
  smx_gpu.store %acc, %o[%c0, %c0] dims [0, 1] {aligned = 16 : i64} : tensor<64x112xf32, #L>, !wide
  smx_gpu.return
}

!narrow = memref<?x96xf32>
!narrowKeys = !smx_gpu.channel<64x96xf32, swizzle = 128, depth = 2>
!narrowStage = !smx_gpu.shared<64x96xf32, swizzle = 128>

// Of 48 registers both parts have room beside one loop.
// CHECK-LABEL: smx_gpu.kernel @room_for_parts
// CHECK: smx_gpu.load
// CHECK-NOT: smx_gpu.alloc
// CHECK: smx_gpu.return
smx_gpu.kernel @room_for_parts(%q: !narrow, %k: !narrow, %o: !narrow) warps(4) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %K = smx_gpu.make_channel : !narrowKeys
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #L>
  %none = arith.constant dense<0.0> : tensor<64x96xf32, #L>
  %qt = smx_gpu.load %q[%c0, %c0] dims [0, 1] {aligned = 16 : i64} : !narrow -> tensor<64x96xf32, #L>
  smx_gpu.put %k[%c0, %c0] into %K dims [0, 1] copy(async) {aligned = 16 : i64} : !narrow, !narrowKeys
  %acc = scf.for %j = %c0 to %c8 step %c1 iter_args(%a = %none) -> tensor<64x96xf32, #L> {
    %kt = smx_gpu.get %K : !narrowKeys -> !narrowStage
    %s = smx_gpu.mma %qt, %kt, %zero transpose_b precision(tf32x3) : tensor<64x96xf32, #L>, !narrowStage -> tensor<64x64xf32, #L>
    %b = smx_gpu.mma %s, %kt, %a precision(tf32x3) : tensor<64x64xf32, #L>, !narrowStage -> tensor<64x96xf32, #L>
    smx_gpu.release %K : !narrowKeys
    scf.yield %b : tensor<64x96xf32, #L>
  }
  smx_gpu.store %acc, %o[%c0, %c0] dims [0, 1] {aligned = 16 : i64} : tensor<64x96xf32, #L>, !narrow
  smx_gpu.return
}

// A second loop that multiplies them has addresses of its own in front of the first one.
// CHECK-LABEL: smx_gpu.kernel @two_loops
// CHECK-NOT: smx_gpu.load
// CHECK: smx_gpu.alloc : <64x96xf32, swizzle = 128>
// CHECK: smx_gpu.return
smx_gpu.kernel @two_loops(%q: !narrow, %k: !narrow, %o: !narrow) warps(4) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %K = smx_gpu.make_channel : !narrowKeys
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #L>
  %none = arith.constant dense<0.0> : tensor<64x96xf32, #L>
  %qt = smx_gpu.load %q[%c0, %c0] dims [0, 1] {aligned = 16 : i64} : !narrow -> tensor<64x96xf32, #L>
  smx_gpu.put %k[%c0, %c0] into %K dims [0, 1] copy(async) {aligned = 16 : i64} : !narrow, !narrowKeys
  %some = scf.for %j = %c0 to %c8 step %c1 iter_args(%a = %none) -> tensor<64x96xf32, #L> {
    %kt = smx_gpu.get %K : !narrowKeys -> !narrowStage
    %s = smx_gpu.mma %qt, %kt, %zero transpose_b precision(tf32x3) : tensor<64x96xf32, #L>, !narrowStage -> tensor<64x64xf32, #L>
    %b = smx_gpu.mma %s, %kt, %a precision(tf32x3) : tensor<64x64xf32, #L>, !narrowStage -> tensor<64x96xf32, #L>
    smx_gpu.release %K : !narrowKeys
    scf.yield %b : tensor<64x96xf32, #L>
  }
  %acc = scf.for %j = %c0 to %c8 step %c1 iter_args(%a = %some) -> tensor<64x96xf32, #L> {
    %kt = smx_gpu.get %K : !narrowKeys -> !narrowStage
    %s = smx_gpu.mma %qt, %kt, %zero transpose_b precision(tf32x3) : tensor<64x96xf32, #L>, !narrowStage -> tensor<64x64xf32, #L>
    %b = smx_gpu.mma %s, %kt, %a precision(tf32x3) : tensor<64x64xf32, #L>, !narrowStage -> tensor<64x96xf32, #L>
    smx_gpu.release %K : !narrowKeys
    scf.yield %b : tensor<64x96xf32, #L>
  }
  smx_gpu.store %acc, %o[%c0, %c0] dims [0, 1] {aligned = 16 : i64} : tensor<64x96xf32, #L>, !narrow
  smx_gpu.return
}

// Rows of several heads are gathered: they go there by way of registers, when the first keys are on their way.
// CHECK-LABEL: smx_gpu.kernel @gathered
// CHECK: %[[S:.+]] = smx_gpu.alloc : <64x96xf32, swizzle = 128>
// CHECK-NEXT: %[[Q:.+]] = smx_gpu.gather
// CHECK-NEXT: smx_gpu.put
// CHECK-NEXT: smx_gpu.write %[[Q]], %[[S]]
// CHECK-NEXT: smx_gpu.barrier
// CHECK-NEXT: scf.for
// CHECK: smx_gpu.mma %[[S]],
smx_gpu.kernel @gathered(%q: !narrow, %k: !narrow, %o: !narrow) warps(4) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %K = smx_gpu.make_channel : !narrowKeys
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #L>
  %none = arith.constant dense<0.0> : tensor<64x96xf32, #L>
  %row = smx_gpu.position 0 : tensor<64x96xindex, #L>
  %column = smx_gpu.position 1 : tensor<64x96xindex, #L>
  %qt = smx_gpu.gather %q[%row, %column] : !narrow -> tensor<64x96xf32, #L>
  smx_gpu.put %k[%c0, %c0] into %K dims [0, 1] copy(async) {aligned = 16 : i64} : !narrow, !narrowKeys
  %acc = scf.for %j = %c0 to %c8 step %c1 iter_args(%a = %none) -> tensor<64x96xf32, #L> {
    %kt = smx_gpu.get %K : !narrowKeys -> !narrowStage
    %s = smx_gpu.mma %qt, %kt, %zero transpose_b : tensor<64x96xf32, #L>, !narrowStage -> tensor<64x64xf32, #L>
    %b = smx_gpu.mma %s, %kt, %a : tensor<64x64xf32, #L>, !narrowStage -> tensor<64x96xf32, #L>
    smx_gpu.release %K : !narrowKeys
    scf.yield %b : tensor<64x96xf32, #L>
  }
  smx_gpu.store %acc, %o[%c0, %c0] dims [0, 1] {aligned = 16 : i64} : tensor<64x96xf32, #L>, !narrow
  smx_gpu.return
}
