// What scores read, an element for each, is fetched into a channel that deals each group its rows.
// RUN: softmax-opt %s --smx-gpu-roles --canonicalize --split-input-file | FileCheck %s
// RUN: softmax-opt %s --smx-gpu-roles=terms=false --canonicalize --split-input-file | FileCheck %s --check-prefix=OFF
// RUN: softmax-opt %s --smx-gpu-roles --split-input-file --remarks-filter=smx-gpu-roles 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// OFF-NOT: !smx_gpu.shared<64x64xf32
// OFF-NOT: smx_gpu.read

#F = #smx_gpu.fragment<warps = 8>
!t = tensor<128x64xf32, #F>
!h = tensor<128x64xbf16, #F>
!m = memref<?x64xbf16>
!b = memref<?x?xf32>
!c = !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 1>
!s = !smx_gpu.shared<64x64xbf16, swizzle = 128>

// CHECK-LABEL: smx_gpu.kernel @fetched
// CHECK-COUNT-2: smx_gpu.make_channel : <64x64xbf16, swizzle = 128, depth = 2>
// Two stages for each group.
// CHECK: smx_gpu.make_channel : <64x64xf32, swizzle = 128, depth = 4, dealt>
// CHECK: smx_gpu.role @load
// CHECK: scf.for %[[J:.+]] = %c0 to
// CHECK: smx_gpu.put %{{.+}}[%[[J]], %c0] into %{{.+}} dims [0, 1] copy(tensor)
// CHECK: smx_gpu.put %[[BIAS:.+]][%[[I:.+]], %[[J]]] into %[[TERMS:.+]] dims [0, 1] copy(tensor) {{.*}}f32
// CHECK: %[[I1:.+]] = arith.addi %[[I]], %c64
// CHECK: smx_gpu.put %[[BIAS]][%[[I1]], %[[J]]] into %[[TERMS]] dims [0, 1] copy(tensor)
// CHECK: smx_gpu.put %{{.+}}[%[[J]], %c0] into %{{.+}} dims [0, 1] copy(tensor)
// CHECK: smx_gpu.role @compute
// The first round.
// CHECK: smx_gpu.mma_async {{.+}} transpose_b
// CHECK: %[[TILE:.+]] = smx_gpu.get %[[OF_GROUP:.+]] : <64x64xf32, swizzle = 128, depth = 4, dealt>
// CHECK: %[[BIAS:.+]] = smx_gpu.read %[[TILE]] : <64x64xf32, swizzle = 128> -> tensor<64x64xf32,
// CHECK: arith.addf %{{.+}}, %[[BIAS]]
// CHECK: smx_gpu.release %[[OF_GROUP]]
// The others: read once the scores are there, released at the end, as branches may read again.
// The turn is given away at once.
// CHECK: scf.for
// CHECK-COUNT-2: smx_gpu.mma_async
// CHECK-NEXT: smx_gpu.pass_turn
// CHECK: smx_gpu.wait {{.+}} pending 1
// CHECK: %[[TILE:.+]] = smx_gpu.get %[[OF_GROUP]]
// CHECK: %[[BIAS:.+]] = smx_gpu.read %[[TILE]]
// CHECK: arith.addf %{{.+}}, %[[BIAS]]
// CHECK: arith.truncf
// CHECK: smx_gpu.release %[[OF_GROUP]]
// CHECK-NEXT: scf.yield
// CHECK-NOT: smx_gpu.get %[[OF_GROUP]]
// CHECK: smx_gpu.return
// REMARK: remark: [Passed] Roles {{.*}}fetched=1, groups=2
// OFF-LABEL: smx_gpu.kernel @fetched
// OFF: smx_gpu.role @compute
// OFF: smx_gpu.load %{{.+}} : memref<?x?xf32> -> tensor<64x64xf32
smx_gpu.kernel @fetched(%x: !m, %k: !m, %v: !m, %bias: !b, %y: memref<?x64xf32>, %n: index, %i: index) warps(8) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : !t
  %ck = smx_gpu.make_channel : !c
  %cv = smx_gpu.make_channel : !c
  %q = smx_gpu.load %x[%i, %c0] dims [0, 1] : !m -> !h
  %o = scf.for %j = %c0 to %n step %c64 iter_args(%acc = %zero) -> !t {
    smx_gpu.put %k[%j, %c0] into %ck dims [0, 1] copy(async) {aligned = 16 : i64} : !m, !c
    %kt = smx_gpu.get %ck : !c -> !s
    %st = smx_gpu.mma %q, %kt, %zero transpose_b : !h, !s -> !t
    smx_gpu.release %ck : !c
    %term = smx_gpu.load %bias[%i, %j] dims [0, 1] {aligned = 16 : i64} : !b -> !t
    %score = arith.addf %st, %term : !t
    %p = arith.truncf %score : !t to !h
    smx_gpu.put %v[%j, %c0] into %cv dims [0, 1] copy(async) {aligned = 16 : i64} : !m, !c
    %vt = smx_gpu.get %cv : !c -> !s
    %a = smx_gpu.mma %p, %vt, %acc : !h, !s -> !t
    smx_gpu.release %cv : !c
    scf.yield %a : !t
  }
  smx_gpu.store %o, %y[%i, %c0] dims [0, 1] : !t, memref<?x64xf32>
  smx_gpu.return
}

// -----

#F = #smx_gpu.fragment<warps = 8>
!t = tensor<128x64xf32, #F>
!h = tensor<128x64xbf16, #F>
!m = memref<?x64xbf16>
!c = !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 1>
!s = !smx_gpu.shared<64x64xbf16, swizzle = 128>

// Rows that start anywhere.
// CHECK-LABEL: smx_gpu.kernel @unaligned
// CHECK: smx_gpu.role @load
// CHECK-NOT: memref<?x?xf32>, <
// CHECK: smx_gpu.role @compute
// CHECK-COUNT-2: smx_gpu.load %{{.+}} : memref<?x?xf32> -> tensor<64x64xf32
// REMARK: remark: [Missed] Terms {{.*}}"what scores read is read by the threads: rows are not known to start at multiples of 16 bytes
smx_gpu.kernel @unaligned(%x: !m, %k: !m, %v: !m, %bias: memref<?x?xf32>, %y: memref<?x64xf32>, %n: index, %i: index) warps(8) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : !t
  %ck = smx_gpu.make_channel : !c
  %cv = smx_gpu.make_channel : !c
  %q = smx_gpu.load %x[%i, %c0] dims [0, 1] : !m -> !h
  %o = scf.for %j = %c0 to %n step %c64 iter_args(%acc = %zero) -> !t {
    smx_gpu.put %k[%j, %c0] into %ck dims [0, 1] copy(async) {aligned = 16 : i64} : !m, !c
    %kt = smx_gpu.get %ck : !c -> !s
    %st = smx_gpu.mma %q, %kt, %zero transpose_b : !h, !s -> !t
    smx_gpu.release %ck : !c
    %term = smx_gpu.load %bias[%i, %j] dims [0, 1] : memref<?x?xf32> -> !t
    %score = arith.addf %st, %term : !t
    %p = arith.truncf %score : !t to !h
    smx_gpu.put %v[%j, %c0] into %cv dims [0, 1] copy(async) {aligned = 16 : i64} : !m, !c
    %vt = smx_gpu.get %cv : !c -> !s
    %a = smx_gpu.mma %p, %vt, %acc : !h, !s -> !t
    smx_gpu.release %cv : !c
    scf.yield %a : !t
  }
  smx_gpu.store %o, %y[%i, %c0] dims [0, 1] : !t, memref<?x64xf32>
  smx_gpu.return
}

// -----

#F = #smx_gpu.fragment<warps = 8>
!t = tensor<128x64xf32, #F>
!h = tensor<128x64xbf16, #F>
!m = memref<?x64xbf16>
!c = !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 1>
!s = !smx_gpu.shared<64x64xbf16, swizzle = 128>

// Keys and values have two stages, and what scores read has no room beside those.
// CHECK-LABEL: smx_gpu.kernel @crowded
// CHECK-COUNT-2: smx_gpu.make_channel : <64x64xbf16, swizzle = 128, depth = 2>
// CHECK-NOT: smx_gpu.make_channel
// CHECK: smx_gpu.role @load
// CHECK-NOT: memref<?x?xf32>, <
// CHECK: smx_gpu.role @compute
// CHECK-COUNT-2: smx_gpu.load %{{.+}} : memref<?x?xf32> -> tensor<64x64xf32
// REMARK: remark: [Missed] Terms {{.*}}what scores read is read by the threads: shared memory has no room for it beside keys and values", stages=2
smx_gpu.kernel @crowded(%x: !m, %k: !m, %v: !m, %bias: memref<?x?xf32>, %y: memref<?x64xf32>, %n: index, %i: index) warps(8) shared_limit(65536) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : !t
  %ck = smx_gpu.make_channel : !c
  %cv = smx_gpu.make_channel : !c
  %q = smx_gpu.load %x[%i, %c0] dims [0, 1] : !m -> !h
  %o = scf.for %j = %c0 to %n step %c64 iter_args(%acc = %zero) -> !t {
    smx_gpu.put %k[%j, %c0] into %ck dims [0, 1] copy(async) {aligned = 16 : i64} : !m, !c
    %kt = smx_gpu.get %ck : !c -> !s
    %st = smx_gpu.mma %q, %kt, %zero transpose_b : !h, !s -> !t
    smx_gpu.release %ck : !c
    %term = smx_gpu.load %bias[%i, %j] dims [0, 1] {aligned = 16 : i64} : memref<?x?xf32> -> !t
    %score = arith.addf %st, %term : !t
    %p = arith.truncf %score : !t to !h
    smx_gpu.put %v[%j, %c0] into %cv dims [0, 1] copy(async) {aligned = 16 : i64} : !m, !c
    %vt = smx_gpu.get %cv : !c -> !s
    %a = smx_gpu.mma %p, %vt, %acc : !h, !s -> !t
    smx_gpu.release %cv : !c
    scf.yield %a : !t
  }
  smx_gpu.store %o, %y[%i, %c0] dims [0, 1] : !t, memref<?x64xf32>
  smx_gpu.return
}

// -----

#F = #smx_gpu.fragment<warps = 8>
!t = tensor<128x64xf32, #F>
!i = tensor<128x64xindex, #F>
!h = tensor<128x64xbf16, #F>
!m = memref<?x64xbf16>
!c = !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 1>
!s = !smx_gpu.shared<64x64xbf16, swizzle = 128>

// Elements that lie anywhere.
// CHECK-LABEL: smx_gpu.kernel @gathered
// CHECK: smx_gpu.role @compute
// CHECK-COUNT-2: smx_gpu.gather
// REMARK: remark: [Missed] Terms {{.*}}"what scores read is read by the threads: its elements are no tile of memory"
smx_gpu.kernel @gathered(%x: !m, %k: !m, %v: !m, %bias: memref<?x?xf32>, %y: memref<?x64xf32>, %n: index, %i: index) warps(8) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : !t
  %ck = smx_gpu.make_channel : !c
  %cv = smx_gpu.make_channel : !c
  %q = smx_gpu.load %x[%i, %c0] dims [0, 1] : !m -> !h
  %o = scf.for %j = %c0 to %n step %c64 iter_args(%acc = %zero) -> !t {
    smx_gpu.put %k[%j, %c0] into %ck dims [0, 1] copy(async) {aligned = 16 : i64} : !m, !c
    %kt = smx_gpu.get %ck : !c -> !s
    %st = smx_gpu.mma %q, %kt, %zero transpose_b : !h, !s -> !t
    smx_gpu.release %ck : !c
    %rows = smx_gpu.position 0 : !i
    %columns = smx_gpu.position 1 : !i
    %term = smx_gpu.gather %bias[%columns, %rows] : memref<?x?xf32> -> !t
    %score = arith.addf %st, %term : !t
    %p = arith.truncf %score : !t to !h
    smx_gpu.put %v[%j, %c0] into %cv dims [0, 1] copy(async) {aligned = 16 : i64} : !m, !c
    %vt = smx_gpu.get %cv : !c -> !s
    %a = smx_gpu.mma %p, %vt, %acc : !h, !s -> !t
    smx_gpu.release %cv : !c
    scf.yield %a : !t
  }
  smx_gpu.store %o, %y[%i, %c0] dims [0, 1] : !t, memref<?x64xf32>
  smx_gpu.return
}

// -----

#F = #smx_gpu.fragment<warps = 8>
!t = tensor<128x64xf32, #F>
!i = tensor<128x64xindex, #F>
!h = tensor<128x64xbf16, #F>
!m = memref<?x64xbf16>
!c = !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 1>
!s = !smx_gpu.shared<64x64xbf16, swizzle = 128>

// Elements of a width that has not been measured.
// CHECK-LABEL: smx_gpu.kernel @wide
// CHECK: smx_gpu.role @compute
// CHECK-COUNT-2: smx_gpu.load %{{.+}} : memref<?x?xi8> -> tensor<64x64xi8
smx_gpu.kernel @wide(%x: !m, %k: !m, %v: !m, %bias: memref<?x?xi8>, %y: memref<?x64xf32>, %n: index, %i: index) warps(8) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : !t
  %ck = smx_gpu.make_channel : !c
  %cv = smx_gpu.make_channel : !c
  %q = smx_gpu.load %x[%i, %c0] dims [0, 1] : !m -> !h
  %o = scf.for %j = %c0 to %n step %c64 iter_args(%acc = %zero) -> !t {
    smx_gpu.put %k[%j, %c0] into %ck dims [0, 1] copy(async) {aligned = 16 : i64} : !m, !c
    %kt = smx_gpu.get %ck : !c -> !s
    %st = smx_gpu.mma %q, %kt, %zero transpose_b : !h, !s -> !t
    smx_gpu.release %ck : !c
    %wide = smx_gpu.load %bias[%i, %j] dims [0, 1] {aligned = 16 : i64} : memref<?x?xi8> -> tensor<128x64xi8, #F>
    %term = arith.sitofp %wide : tensor<128x64xi8, #F> to !t
    %score = arith.addf %st, %term : !t
    %p = arith.truncf %score : !t to !h
    smx_gpu.put %v[%j, %c0] into %cv dims [0, 1] copy(async) {aligned = 16 : i64} : !m, !c
    %vt = smx_gpu.get %cv : !c -> !s
    %a = smx_gpu.mma %p, %vt, %acc : !h, !s -> !t
    smx_gpu.release %cv : !c
    scf.yield %a : !t
  }
  smx_gpu.store %o, %y[%i, %c0] dims [0, 1] : !t, memref<?x64xf32>
  smx_gpu.return
}
