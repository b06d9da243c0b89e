// Rounds of whole tiles and of cut ones have loops of their own, and share the first tile and the last product.
// RUN: softmax-opt %s --smx-gpu-roles --canonicalize | FileCheck %s
// RUN: softmax-opt %s --smx-gpu-roles=apart=false --canonicalize | FileCheck %s --check-prefix=ASKED
// RUN: softmax-opt %s --smx-gpu-roles=ask-apart=false --canonicalize | FileCheck %s --check-prefix=TOGETHER
// RUN: softmax-opt %s --smx-gpu-roles=split=false --canonicalize | FileCheck %s --check-prefix=ONE
// RUN: softmax-opt %s --smx-gpu-roles=keep-turns=false --canonicalize | FileCheck %s --check-prefix=ISSUED

#F = #smx_gpu.fragment<warps = 8>
!t = tensor<128x64xf32, #F>
!h = tensor<128x64xbf16, #F>
!i = tensor<128x64xindex, #F>
!b = tensor<128x64xi1, #F>
!m = memref<?x64xbf16>
!c = !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 1>
!s = !smx_gpu.shared<64x64xbf16, swizzle = 128>

// CHECK-LABEL: smx_gpu.kernel @cut_last
// CHECK: smx_gpu.role @load
// What is fetched is the same for both.
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: smx_gpu.role @compute
// CHECK: smx_gpu.group_id
// CHECK: %[[ROW0:.+]] = arith.muli
// CHECK: %[[MIDDLE:.+]] = arith.muli
// CHECK: %[[CUT:.+]] = arith.cmpi sle, %[[MIDDLE]], %c0
// CHECK: scf.if %[[CUT]]
// Whole tiles: nothing is hidden, and nobody asks.
// CHECK: %[[WHOLE:.+]]:2 = scf.for %{{.+}} = %c64 to %[[MIDDLE]] step %c64 iter_args(%{{.+}} = %{{.+}}, %{{.+}} = %{{.+}})
// CHECK-NOT: scf.if
// CHECK-NOT: arith.select
// CHECK-COUNT-2: smx_gpu.mma_async
// CHECK-NOT: scf.if
// CHECK-NOT: arith.select
// CHECK: scf.yield
// Behind them, and at the earliest behind the first tile.
// CHECK: %[[FROM:.+]] = arith.maxsi %[[MIDDLE]], %c64
// CHECK: scf.for %[[J:.+]] = %[[FROM]] to %{{.+}} step %c64 iter_args(%[[ACC:.+]] = %[[WHOLE]]#0, %[[P:.+]] = %[[WHOLE]]#1, %[[WAS_CUT:.+]] = %[[CUT]])
// CHECK: %[[ODD:.+]] = scf.if %[[WAS_CUT]]
// CHECK: %[[O:.+]], %[[OT:.+]] = smx_gpu.mma_async %[[P]], %{{.+}}, %[[ACC]] unless %[[ODD]]
// CHECK: smx_gpu.wait %{{.+}} pending
// CHECK: %[[DONE:.+]] = smx_gpu.wait %[[OT]], %[[O]]
// CHECK-NEXT: smx_gpu.pass_turn
// CHECK-NEXT: smx_gpu.release
// Terms are added to what the unit has left, once it is done, and before the scores are masked.
// CHECK-NOT: arith.select
// CHECK: scf.if %[[ODD]]
// CHECK: arith.subi %[[J]], %c64
// CHECK: smx_gpu.mma %{{.+}}, %{{.+}}, %[[DONE]] guarded terms
// CHECK: smx_gpu.release
// CHECK: arith.select
// A tile is cut for the group if the last of its keys is behind the first of the group's rows.
// CHECK: %[[LAST:.+]] = arith.addi %[[J]], %c63
// CHECK: %[[IS_CUT:.+]] = arith.cmpi sgt, %[[LAST]], %[[ROW0]]
// CHECK: scf.yield %{{.+}}, %{{.+}}, %[[IS_CUT]]
// CHECK: smx_gpu.store

// Turns may be given away when products are issued, in rounds of both kinds.
// ISSUED-LABEL: smx_gpu.kernel @cut_last
// ISSUED: smx_gpu.role @compute
// ISSUED-COUNT-2: scf.for
// ISSUED: smx_gpu.take_turn
// ISSUED: smx_gpu.mma_async {{.+}} unless
// ISSUED-NEXT: smx_gpu.pass_turn
// ISSUED-NEXT: smx_gpu.wait

// Or for all groups alike.
// TOGETHER-LABEL: smx_gpu.kernel @cut_last
// TOGETHER: smx_gpu.role @compute
// TOGETHER: smx_gpu.mma %{{.+}} guarded terms
// TOGETHER: scf.yield %{{.+}}, %{{.+}}, %true

// The values of the last product are asked, and a branch goes around it.
// ASKED-LABEL: smx_gpu.kernel @cut_last
// ASKED: smx_gpu.role @compute
// ASKED: scf.for
// ASKED: %[[ROUNDS:.+]]:3 = scf.for
// ASKED: smx_gpu.not_finite
// ASKED: %[[V:.+]] = smx_gpu.get
// ASKED-NEXT: %[[ODD:.+]] = scf.if %[[ROUNDS]]#2
// ASKED-NEXT: smx_gpu.not_finite %[[V]]
// ASKED: scf.if %[[ODD]]
// ASKED: smx_gpu.mma %{{.+}}, %[[V]], %[[ROUNDS]]#0 guarded terms
// ASKED: } else {
// ASKED: %[[O:.+]], %[[OT:.+]] = smx_gpu.mma_async %[[ROUNDS]]#1, %[[V]], %[[ROUNDS]]#0 :
// ASKED-NEXT: smx_gpu.wait %[[OT]], %[[O]]

// One loop asks in every round, and adds terms before the unit begins.
// ONE-LABEL: smx_gpu.kernel @cut_last
// ONE: smx_gpu.role @compute
// ONE: scf.for %[[J:.+]] = %c64 to
// ONE-SAME: iter_args(%[[ACC:.+]] = %{{.+}}, %[[P:.+]] = %{{.+}}, %[[WAS_CUT:.+]] = %{{.+}})
// ONE: %[[IS_CUT:.+]] = arith.cmpi sge, %[[J]]
// ONE: %[[ODD:.+]] = scf.if %[[WAS_CUT]]
// ONE: %[[SUM:.+]] = scf.if %[[ODD]]
// ONE: smx_gpu.mma %{{.+}}, %{{.+}}, %[[ACC]] guarded terms
// ONE: smx_gpu.mma_async %[[P]], %{{.+}}, %[[SUM]] unless %[[ODD]]
// ONE: scf.if %[[IS_CUT]]
// ONE: arith.select
// ONE-NOT: scf.for
// ONE: smx_gpu.store
smx_gpu.kernel @cut_last(%x: !m, %k: !m, %v: !m, %y: memref<?x64xf32>, %n: index, %tile: index) warps(8) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %hidden = arith.constant dense<0xFF800000> : !t
  %absent = arith.constant dense<-0.0> : !h
  %zero = arith.constant dense<0.0> : !t
  %ck = smx_gpu.make_channel : !c
  %cv = smx_gpu.make_channel : !c
  %middle = arith.muli %tile, %c64 : index
  %end = arith.maxsi %n, %middle : index
  %q = smx_gpu.load %x[%c0, %c0] dims [0, 1] {aligned = 16} : !m -> !h
  %sum = scf.for %j = %c0 to %end step %c64 iter_args(%acc = %zero) -> (!t) {
    %cut = arith.cmpi sge, %j, %middle : index
    smx_gpu.put %k[%j, %c0] into %ck dims [0, 1] copy(async) {aligned = 16} : !m, !c
    %kt = smx_gpu.get %ck : !c -> !s
    %s = smx_gpu.mma %q, %kt, %zero transpose_b : !h, !s -> !t
    smx_gpu.release %ck : !c
    %m = scf.if %cut -> (!t) {
      %start = tensor.splat %j : !i
      %place = smx_gpu.position 1 : !i
      %key = arith.addi %place, %start : !i
      %row = smx_gpu.position 0 : !i
      %seen = arith.cmpi sle, %key, %row : !i
      %some = arith.select %seen, %s, %hidden : !b, !t
      scf.yield %some : !t
    } else {
      scf.yield %s : !t
    }
    %p = math.exp2 %m : !t
    %p16 = arith.truncf %p : !t to !h
    smx_gpu.put %v[%j, %c0] into %cv dims [0, 1] copy(async) {aligned = 16} : !m, !c
    %vt = smx_gpu.get %cv : !c -> !s
    %o = scf.if %cut -> (!t) {
      %start = tensor.splat %j : !i
      %place = smx_gpu.position 1 : !i
      %key = arith.addi %place, %start : !i
      %row = smx_gpu.position 0 : !i
      %seen = arith.cmpi sle, %key, %row : !i
      %marked = arith.select %seen, %p16, %absent : !b, !h
      %some = smx_gpu.mma %marked, %vt, %acc guarded : !h, !s -> !t
      scf.yield %some : !t
    } else {
      %all = smx_gpu.mma %p16, %vt, %acc : !h, !s -> !t
      scf.yield %all : !t
    }
    smx_gpu.release %cv : !c
    scf.yield %o : !t
  }
  smx_gpu.store %sum, %y[%c0, %c0] dims [0, 1] : !t, memref<?x64xf32>
  smx_gpu.return
}

// No round begins where the first cut tile does.
// CHECK-LABEL: smx_gpu.kernel @between_rounds
// CHECK: smx_gpu.role @compute
// CHECK: scf.for %[[J:.+]] = %c64 to
// CHECK: arith.cmpi sge, %[[J]]
// CHECK-NOT: scf.for
// CHECK: smx_gpu.store
smx_gpu.kernel @between_rounds(%x: !m, %k: !m, %v: !m, %y: memref<?x64xf32>, %n: index, %tile: index) warps(8) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %hidden = arith.constant dense<0xFF800000> : !t
  %absent = arith.constant dense<-0.0> : !h
  %zero = arith.constant dense<0.0> : !t
  %ck = smx_gpu.make_channel : !c
  %cv = smx_gpu.make_channel : !c
  %middle = arith.addi %tile, %c64 : index
  %end = arith.maxsi %n, %middle : index
  %q = smx_gpu.load %x[%c0, %c0] dims [0, 1] {aligned = 16} : !m -> !h
  %sum = scf.for %j = %c0 to %end step %c64 iter_args(%acc = %zero) -> (!t) {
    %cut = arith.cmpi sge, %j, %middle : index
    smx_gpu.put %k[%j, %c0] into %ck dims [0, 1] copy(async) {aligned = 16} : !m, !c
    %kt = smx_gpu.get %ck : !c -> !s
    %s = smx_gpu.mma %q, %kt, %zero transpose_b : !h, !s -> !t
    smx_gpu.release %ck : !c
    %m = scf.if %cut -> (!t) {
      %start = tensor.splat %j : !i
      %place = smx_gpu.position 1 : !i
      %key = arith.addi %place, %start : !i
      %row = smx_gpu.position 0 : !i
      %seen = arith.cmpi sle, %key, %row : !i
      %some = arith.select %seen, %s, %hidden : !b, !t
      scf.yield %some : !t
    } else {
      scf.yield %s : !t
    }
    %p = math.exp2 %m : !t
    %p16 = arith.truncf %p : !t to !h
    smx_gpu.put %v[%j, %c0] into %cv dims [0, 1] copy(async) {aligned = 16} : !m, !c
    %vt = smx_gpu.get %cv : !c -> !s
    %o = scf.if %cut -> (!t) {
      %start = tensor.splat %j : !i
      %place = smx_gpu.position 1 : !i
      %key = arith.addi %place, %start : !i
      %row = smx_gpu.position 0 : !i
      %seen = arith.cmpi sle, %key, %row : !i
      %marked = arith.select %seen, %p16, %absent : !b, !h
      %some = smx_gpu.mma %marked, %vt, %acc guarded : !h, !s -> !t
      scf.yield %some : !t
    } else {
      %all = smx_gpu.mma %p16, %vt, %acc : !h, !s -> !t
      scf.yield %all : !t
    }
    smx_gpu.release %cv : !c
    scf.yield %o : !t
  }
  smx_gpu.store %sum, %y[%c0, %c0] dims [0, 1] : !t, memref<?x64xf32>
  smx_gpu.return
}

// Nothing says that the loop goes on to the first cut tile.
// CHECK-LABEL: smx_gpu.kernel @whole_at_most
// CHECK: smx_gpu.role @compute
// CHECK: smx_gpu.group_id
// CHECK: arith.muli
// CHECK: %[[MIDDLE:.+]] = arith.muli
// CHECK: %[[TO:.+]] = arith.minsi %[[MIDDLE]], %[[END:.+]] :
// CHECK: scf.for %{{.+}} = %c64 to %[[TO]] step %c64
// CHECK: %[[FROM:.+]] = arith.maxsi %[[TO]], %c64
// CHECK: scf.for %{{.+}} = %[[FROM]] to %[[END]] step %c64
smx_gpu.kernel @whole_at_most(%x: !m, %k: !m, %v: !m, %y: memref<?x64xf32>, %n: index, %tile: index) warps(8) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %hidden = arith.constant dense<0xFF800000> : !t
  %absent = arith.constant dense<-0.0> : !h
  %zero = arith.constant dense<0.0> : !t
  %ck = smx_gpu.make_channel : !c
  %cv = smx_gpu.make_channel : !c
  %middle = arith.muli %tile, %c64 : index
  %q = smx_gpu.load %x[%c0, %c0] dims [0, 1] {aligned = 16} : !m -> !h
  %sum = scf.for %j = %c0 to %n step %c64 iter_args(%acc = %zero) -> (!t) {
    %cut = arith.cmpi sge, %j, %middle : index
    smx_gpu.put %k[%j, %c0] into %ck dims [0, 1] copy(async) {aligned = 16} : !m, !c
    %kt = smx_gpu.get %ck : !c -> !s
    %s = smx_gpu.mma %q, %kt, %zero transpose_b : !h, !s -> !t
    smx_gpu.release %ck : !c
    %m = scf.if %cut -> (!t) {
      %start = tensor.splat %j : !i
      %place = smx_gpu.position 1 : !i
      %key = arith.addi %place, %start : !i
      %row = smx_gpu.position 0 : !i
      %seen = arith.cmpi sle, %key, %row : !i
      %some = arith.select %seen, %s, %hidden : !b, !t
      scf.yield %some : !t
    } else {
      scf.yield %s : !t
    }
    %p = math.exp2 %m : !t
    %p16 = arith.truncf %p : !t to !h
    smx_gpu.put %v[%j, %c0] into %cv dims [0, 1] copy(async) {aligned = 16} : !m, !c
    %vt = smx_gpu.get %cv : !c -> !s
    %o = scf.if %cut -> (!t) {
      %start = tensor.splat %j : !i
      %place = smx_gpu.position 1 : !i
      %key = arith.addi %place, %start : !i
      %row = smx_gpu.position 0 : !i
      %seen = arith.cmpi sle, %key, %row : !i
      %marked = arith.select %seen, %p16, %absent : !b, !h
      %some = smx_gpu.mma %marked, %vt, %acc guarded : !h, !s -> !t
      scf.yield %some : !t
    } else {
      %all = smx_gpu.mma %p16, %vt, %acc : !h, !s -> !t
      scf.yield %all : !t
    }
    smx_gpu.release %cv : !c
    scf.yield %o : !t
  }
  smx_gpu.store %sum, %y[%c0, %c0] dims [0, 1] : !t, memref<?x64xf32>
  smx_gpu.return
}
