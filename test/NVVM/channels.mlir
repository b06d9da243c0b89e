// Rings of tiles on two mbarriers a stage; phases come from counters.
// RUN: softmax-opt %s --smx-gpu-to-nvvm --cse | FileCheck %s --implicit-check-not=nvvm.inline_ptx --check-prefixes=CHECK,POLL
// RUN: softmax-opt %s --smx-gpu-to-nvvm=chip=sm_90a --cse | FileCheck %s --implicit-check-not=nvvm.inline_ptx --check-prefixes=CHECK,SLEEP

!ring = !smx_gpu.channel<16x64xbf16, swizzle = 128, depth = 2>
!three = !smx_gpu.channel<16x64xbf16, swizzle = 128, depth = 3>
!stage = !smx_gpu.shared<16x64xbf16, swizzle = 128>

// Two stages of 2048 bytes, four barriers.
// CHECK-LABEL: llvm.func @ring
// CHECK-SAME: smx.shared_bytes = 4128
smx_gpu.kernel @ring(%x: memref<?x64xbf16>) warps(4) {
  %c0 = arith.constant 0 : index
  // Counters stand at the start, where LLVM promotes them.
  // CHECK: %[[ONE:.+]] = llvm.mlir.constant(1 : i32) : i32
  // CHECK: llvm.alloca %[[ONE]]
  // CHECK: %[[ZERO:.+]] = llvm.mlir.constant(0 : i32) : i32
  // CHECK-COUNT-2: llvm.alloca %[[ONE]]
  // CHECK: %[[SMEM:.+]] = llvm.mlir.addressof @smem
  // Thread 0 initialises: full for all threads that copy, empty for all that release.
  // CHECK: %[[THREAD:.+]] = nvvm.read.ptx.sreg.tid.x
  // CHECK: %[[IS_FIRST:.+]] = llvm.icmp "eq" %[[THREAD]], %[[ZERO]] : i32
  // CHECK: scf.if %[[IS_FIRST]]
  // CHECK: %[[THREADS:.+]] = llvm.mlir.constant(128 : i32) : i32
  // CHECK: nvvm.mbarrier.init %[[FULL:.+]], %[[THREADS]]
  // CHECK: %[[EMPTY:.+]] = llvm.getelementptr %[[FULL]][8]
  // CHECK: nvvm.mbarrier.init %[[EMPTY]], %[[THREADS]]
  // CHECK-COUNT-2: nvvm.mbarrier.init
  // CHECK-NOT: nvvm.mbarrier.init
  // CHECK: nvvm.barrier0
  %c = smx_gpu.make_channel : !ring
  // The next stage of the ring; its last use is over when the phase of the other parity is.
  // CHECK: %[[N:.+]] = llvm.load %[[PUTS:.+]] : !llvm.ptr -> i32
  // CHECK: %[[MORE:.+]] = llvm.add %[[N]], %[[ONE]]
  // CHECK: llvm.store %[[MORE]], %[[PUTS]]
  // CHECK: %[[STAGE:.+]] = llvm.and %[[N]], %[[ONE]] : i32
  // CHECK: %[[USE:.+]] = llvm.lshr %[[N]], %[[ONE]] : i32
  // CHECK: %[[PARITY:.+]] = llvm.and %[[USE]], %[[ONE]] : i32
  // CHECK: %[[BEFORE:.+]] = llvm.xor %[[PARITY]], %[[ONE]] : i32
  // The barriers of a stage are the first byte of shared memory, plus 16 for each stage, plus a constant.
  // CHECK: %[[BARRIERS:.+]] = llvm.mul %[[STAGE]], %{{.+}} : i32
  // CHECK: %[[OF_STAGE:.+]] = llvm.getelementptr %[[FULL]][%[[BARRIERS]]]
  // CHECK: %[[IN_MEMORY:.+]] = llvm.getelementptr %[[SMEM]][%[[BARRIERS]]]
  // CHECK: %[[ADDRESS:.+]] = llvm.ptrtoint %[[IN_MEMORY]] : !llvm.ptr<3> to i32
  // POLL: mbarrier.test_wait.parity.shared.b64 done, [$0+4104], $1;{{.+}} %[[ADDRESS]], %[[BEFORE]] :
  // SLEEP: mbarrier.try_wait.parity.shared.b64 done, [$0+4104], $1;{{.+}} %[[ADDRESS]], %[[BEFORE]] :
  // CHECK: %[[ROW:.+]] = llvm.lshr %[[THREAD]], %{{.+}} : i32
  // CHECK: llvm.sext %[[ROW]] : i32 to i64
  // CHECK: nvvm.cp.async.shared.global
  // CHECK-NOT: nvvm.cp.async.shared.global
  // CHECK: %[[ADDRESS:.+]] = llvm.ptrtoint %[[OF_STAGE]] : !llvm.ptr<3> to i32
  // CHECK: cp.async.mbarrier.arrive.noinc.shared.b64 [$0];{{.+}} %[[ADDRESS]] :
  smx_gpu.put %x[%c0, %c0] into %c dims [0, 1] copy(async) {aligned = 16 : i64} : memref<?x64xbf16>, !ring
  // A reader waits for the phase of this use itself, and keeps the stage: it holds one tile at a time.
  // CHECK: %[[N:.+]] = llvm.load %{{.+}} : !llvm.ptr -> i32
  // CHECK: %[[STAGE:.+]] = llvm.and %[[N]], %[[ONE]] : i32
  // CHECK: %[[USE:.+]] = llvm.lshr %[[N]], %[[ONE]] : i32
  // CHECK: %[[PARITY:.+]] = llvm.and %[[USE]], %[[ONE]] : i32
  // CHECK: llvm.store %[[STAGE]], %[[KEPT:.+]] : i32, !llvm.ptr
  // POLL: mbarrier.test_wait.parity{{.+}} %{{.+}}, %[[PARITY]] :
  // SLEEP: mbarrier.try_wait.parity{{.+}} %{{.+}}, %[[PARITY]] :
  %s = smx_gpu.get %c : !ring -> !stage
  // CHECK: llvm.load {{.+}} !llvm.ptr<3> -> vector<8xbf16>
  %t = smx_gpu.read %s : !stage -> tensor<16x64xbf16, #smx_gpu.striped<rows = 16, columns = 8, vector = 8>>
  // All lanes have read before they arrive, each for itself.
  // CHECK: %[[STAGE:.+]] = llvm.load %[[KEPT]] : !llvm.ptr -> i32
  // CHECK: nvvm.bar.warp.sync
  // CHECK: llvm.mul %[[STAGE]], %{{.+}} : i32
  // CHECK: "{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [$0+4104]; }"
  smx_gpu.release %c : !ring
  smx_gpu.store %t, %x[%c0, %c0] dims [0, 1] {aligned = 16 : i64} : tensor<16x64xbf16, #smx_gpu.striped<rows = 16, columns = 8, vector = 8>>, memref<?x64xbf16>
  smx_gpu.return
}

// Two tiles are held: a counter of its own says which one is released.
// CHECK-LABEL: llvm.func @two_held
smx_gpu.kernel @two_held(%x: memref<?x64xbf16>) warps(4) {
  // CHECK: llvm.alloca
  // CHECK: llvm.store %{{.+}}, %[[RELEASES:.+]] : i32, !llvm.ptr
  %c0 = arith.constant 0 : index
  %c = smx_gpu.make_channel : !ring
  smx_gpu.put %x[%c0, %c0] into %c dims [0, 1] copy(async) {aligned = 16 : i64} : memref<?x64xbf16>, !ring
  smx_gpu.put %x[%c0, %c0] into %c dims [0, 1] copy(async) {aligned = 16 : i64} : memref<?x64xbf16>, !ring
  %s = smx_gpu.get %c : !ring -> !stage
  %t = smx_gpu.get %c : !ring -> !stage
  // CHECK: %[[N:.+]] = llvm.load %[[RELEASES]] : !llvm.ptr -> i32
  // CHECK: %[[MORE:.+]] = llvm.add %[[N]], %{{.+}}
  // CHECK: llvm.store %[[MORE]], %[[RELEASES]]
  smx_gpu.release %c : !ring
  smx_gpu.release %c : !ring
  smx_gpu.return
}

// Of a loop whose rounds hold one tile, and of branches that both do.
// CHECK-LABEL: llvm.func @one_held
smx_gpu.kernel @one_held(%x: memref<?x64xbf16>, %n: index, %is_last: i1) warps(4) {
  // CHECK: llvm.alloca
  // CHECK: llvm.store %{{.+}}, %[[KEPT:.+]] : i32, !llvm.ptr
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c = smx_gpu.make_channel : !ring
  // CHECK: scf.for
  scf.for %i = %c0 to %n step %c1 {
    smx_gpu.put %x[%c0, %c0] into %c dims [0, 1] copy(async) {aligned = 16 : i64} : memref<?x64xbf16>, !ring
    // CHECK: llvm.store %[[STAGE:.+]], %[[KEPT]] : i32, !llvm.ptr
    %s = smx_gpu.get %c : !ring -> !stage
    // CHECK: scf.if
    scf.if %is_last {
      // CHECK: llvm.load %[[KEPT]]
      // CHECK-NOT: llvm.add
      // CHECK: mbarrier.arrive
      smx_gpu.release %c : !ring
    // CHECK: } else {
    } else {
      // CHECK: llvm.load %[[KEPT]]
      smx_gpu.release %c : !ring
    }
  }
  smx_gpu.return
}

// The barriers of what is put first lie first.
!one = !smx_gpu.channel<16x64xbf16, swizzle = 128, depth = 1>
// CHECK-LABEL: llvm.func @order
smx_gpu.kernel @order(%x: memref<?x64xbf16>) warps(4) {
  %c0 = arith.constant 0 : index
  // CHECK: llvm.getelementptr %{{.+}}[4112]
  // CHECK: nvvm.mbarrier.init
  %later = smx_gpu.make_channel : !one
  // CHECK: llvm.getelementptr %{{.+}}[4096]
  // CHECK: nvvm.mbarrier.init
  %sooner = smx_gpu.make_channel : !one
  smx_gpu.put %x[%c0, %c0] into %sooner dims [0, 1] copy(async) {aligned = 16 : i64} : memref<?x64xbf16>, !one
  smx_gpu.put %x[%c0, %c0] into %later dims [0, 1] copy(async) {aligned = 16 : i64} : memref<?x64xbf16>, !one
  %s = smx_gpu.get %sooner : !one -> !stage
  smx_gpu.release %sooner : !one
  %l = smx_gpu.get %later : !one -> !stage
  smx_gpu.release %later : !one
  smx_gpu.return
}

// Elements without alignment: their threads arrive when they have stored. A depth that is no power of two.
// CHECK-LABEL: llvm.func @plain
// CHECK-SAME: %[[LIMIT:[a-z0-9]+]]: i64)
smx_gpu.kernel @plain(%x: memref<?x?xbf16>, %n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %c = smx_gpu.make_channel : !three
  // CHECK: %[[ONE:.+]] = llvm.mlir.constant(1 : i32) : i32
  // CHECK: %[[ZERO:.+]] = llvm.mlir.constant(0 : i32) : i32
  // CHECK: %[[N:.+]] = llvm.load %{{.+}} : !llvm.ptr -> i32
  // CHECK: %[[THREE:.+]] = llvm.mlir.constant(3 : i32) : i32
  // CHECK: llvm.urem %[[N]], %[[THREE]] : i32
  // CHECK: %[[USE:.+]] = llvm.udiv %[[N]], %[[THREE]] : i32
  // CHECK: %[[PARITY:.+]] = llvm.and %[[USE]], %[[ONE]] : i32
  // CHECK: %[[BEFORE:.+]] = llvm.xor %[[PARITY]], %[[ONE]] : i32
  // Of the 16 rows and 64 columns those below n are valid.
  // CHECK: %[[LEAST:.+]] = llvm.intr.smax(%[[LIMIT]], %{{.+}}) : (i64, i64)
  // CHECK: %[[EXTENT:.+]] = llvm.mlir.constant(16 : i64)
  // CHECK: %[[MOST:.+]] = llvm.intr.smin(%[[LEAST]], %[[EXTENT]]) : (i64, i64)
  // CHECK: %[[ROWS:.+]] = llvm.trunc %[[MOST]] : i64 to i32
  // CHECK: %[[EXTENT:.+]] = llvm.mlir.constant(64 : i64)
  // CHECK: %[[MOST:.+]] = llvm.intr.smin(%[[LEAST]], %[[EXTENT]]) : (i64, i64)
  // CHECK: %[[COLUMNS:.+]] = llvm.trunc %[[MOST]] : i64 to i32
  // POLL: mbarrier.test_wait.parity{{.+}} %{{.+}}, %[[BEFORE]] :
  // SLEEP: mbarrier.try_wait.parity{{.+}} %{{.+}}, %[[BEFORE]] :
  // CHECK: %[[LANE:.+]] = llvm.and %{{.+}}, %{{.+}} : i32
  // CHECK: %[[ROW:.+]] = llvm.inline_asm {{.*}} : (i32) -> i32
  // CHECK: llvm.sext %[[LANE]] : i32 to i64
  // The bytes that are left of the row, of which an element takes 2; none in rows that are not valid.
  // CHECK: %[[LEFT:.+]] = llvm.sub %[[COLUMNS]], %[[LANE]] : i32
  // CHECK: %[[TWO:.+]] = llvm.mlir.constant(2 : i32)
  // CHECK: %[[BYTES:.+]] = llvm.mul %[[LEFT]], %[[TWO]]
  // CHECK: %[[LEAST:.+]] = llvm.intr.smax(%[[BYTES]], %[[ZERO]]) : (i32, i32)
  // CHECK: %[[VALID:.+]] = llvm.intr.smin(%[[LEAST]], %[[TWO]]) : (i32, i32)
  // CHECK: %[[IS_ROW:.+]] = llvm.icmp "slt" %[[ROW]], %[[ROWS]] : i32
  // CHECK: %[[READ:.+]] = llvm.select %[[IS_ROW]], %[[VALID]], %[[ZERO]] : i1, i32
  // CHECK: %[[IS_READ:.+]] = llvm.icmp "eq" %[[READ]], %[[TWO]] : i32
  // CHECK: @$2 ld.global.b16{{.*}}, %[[IS_READ]] :
  // The thread's next element of the row is 32 columns further on.
  // CHECK: %[[NEXT:.+]] = llvm.add %[[LANE]], %{{.+}} : i32
  // CHECK: llvm.sub %[[COLUMNS]], %[[NEXT]] : i32
  // CHECK-COUNT-7: ld.global.b16
  // CHECK-COUNT-8: llvm.store {{.+}} : vector<1xbf16>, !llvm.ptr<3>
  // CHECK: "{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [$0+{{[0-9]+}}]; }"
  smx_gpu.put %x[%c0, %c0] valid(%n, %n) into %c dims [0, 1] copy(plain) : memref<?x?xbf16>, !three
  %s = smx_gpu.get %c : !three -> !stage
  smx_gpu.release %c : !three
  smx_gpu.return
}

// Dealt to the groups of a role: a group's n-th tile is number 2 n + group, and the threads of one group release it.
!dealt = !smx_gpu.channel<16x64xbf16, swizzle = 128, depth = 2, dealt>
// CHECK-LABEL: llvm.func @dealt
smx_gpu.kernel @dealt(%x: memref<?x64xbf16>) warps(12) {
  // CHECK: %[[WARP:.+]] = nvvm.shfl.sync idx
  // CHECK: %[[READERS:.+]] = llvm.mlir.constant(128 : i32) : i32
  // CHECK: nvvm.mbarrier.init %[[FULL:.+]], %{{.+}}
  // CHECK: %[[EMPTY:.+]] = llvm.getelementptr %[[FULL]][8]
  // CHECK: nvvm.mbarrier.init %[[EMPTY]], %[[READERS]]
  %c = smx_gpu.make_channel : !dealt
  smx_gpu.warp_specialize {
    smx_gpu.role @load warps(4) (%from = %x : memref<?x64xbf16>, %to = %c : !dealt) {
      %c0 = arith.constant 0 : index
      smx_gpu.put %from[%c0, %c0] into %to dims [0, 1] copy(async) {aligned = 16 : i64} : memref<?x64xbf16>, !dealt
    }
    smx_gpu.role @compute warps(8) group(4) (%from = %c : !dealt) {
      // CHECK: } else {
      // CHECK: %[[N:.+]] = llvm.load %{{.+}} : !llvm.ptr -> i32
      // CHECK: %[[TWO:.+]] = llvm.mlir.constant(2 : i32) : i32
      // CHECK: %[[FIRST:.+]] = llvm.mul %[[N]], %[[TWO]] overflow<nsw> : i32
      // CHECK: %[[BEHIND:.+]] = llvm.mlir.constant(-4 : i32) : i32
      // CHECK: %[[OF_ROLE:.+]] = llvm.add %[[WARP]], %[[BEHIND]] overflow<nsw> : i32
      // CHECK: %[[GROUP:.+]] = llvm.lshr %[[OF_ROLE]], %[[TWO]] : i32
      // CHECK: %[[TILE:.+]] = llvm.add %[[FIRST]], %[[GROUP]] overflow<nsw> : i32
      // CHECK: llvm.and %[[TILE]], %{{.+}} : i32
      // CHECK: %[[USE:.+]] = llvm.lshr %[[TILE]], %{{.+}} : i32
      // CHECK: %[[PARITY:.+]] = llvm.and %[[USE]], %{{.+}} : i32
      // POLL: mbarrier.test_wait.parity{{.+}} %{{.+}}, %[[PARITY]] :
      // SLEEP: mbarrier.try_wait.parity{{.+}} %{{.+}}, %[[PARITY]] :
      %s = smx_gpu.get %from : !dealt -> !stage
      smx_gpu.release %from : !dealt
    }
  }
  smx_gpu.return
}
