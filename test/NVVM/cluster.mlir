// Every block of a cluster writes its values to all of them; each reads those of all ranks in their order.
// RUN: softmax-opt %s --smx-gpu-to-nvvm=chip=sm_90a | FileCheck %s

#row = #smx_gpu.striped<rows = 1, columns = 32, vector = 1>

// CHECK-LABEL: llvm.func @cluster
// CHECK-SAME: nvvm.cluster_dim = array<i32: 2, 1, 1>
// CHECK-SAME: smx.shared_bytes = 32 : i64
smx_gpu.kernel @cluster(%x: memref<?xf32>) warps(1) cluster(2) {
  // A block is written to once it has started. Its first thread makes the barrier.
  // CHECK: %[[THREAD:.+]] = nvvm.read.ptx.sreg.tid.x
  // CHECK-NEXT: %[[ZERO:.+]] = llvm.mlir.constant(0 : i32)
  // CHECK-NEXT: %[[IS_FIRST:.+]] = llvm.icmp "eq" %[[THREAD]], %[[ZERO]]
  // CHECK-NEXT: scf.if %[[IS_FIRST]]
  // CHECK: nvvm.mbarrier.init
  // CHECK: fence.mbarrier_init.release.cluster
  // CHECK-NOT: mbarrier.arrive
  // CHECK: nvvm.cluster.arrive.relaxed
  %c0 = arith.constant 0 : index
  %v = smx_gpu.load %x[%c0] dims [0] : memref<?xf32> -> tensor<1xf32, #smx_gpu.slice<1, #row>>
  // CHECK: nvvm.cluster.wait
  // Its barrier is for 4 bytes of each, which the first thread says.
  // CHECK: %[[THREAD:.+]] = nvvm.read.ptx.sreg.tid.x
  // CHECK-NEXT: %[[ZERO:.+]] = llvm.mlir.constant(0 : i32)
  // CHECK-NEXT: %[[IS_FIRST:.+]] = llvm.icmp "eq" %[[THREAD]], %[[ZERO]]
  // CHECK-NEXT: scf.if %[[IS_FIRST]]
  // CHECK: %[[BYTES:.+]] = llvm.mlir.constant(8 : i32)
  // CHECK: mbarrier.arrive.expect_tx{{.*}}" %{{.+}}, %[[BYTES]]
  // A thread for each block.
  // CHECK: %[[TO:.+]] = nvvm.read.ptx.sreg.tid.x
  // CHECK: %[[BLOCKS:.+]] = llvm.mlir.constant(2 : i32)
  // CHECK: llvm.icmp "slt" %[[TO]], %[[BLOCKS]]
  // CHECK: scf.if
  // CHECK: nvvm.read.ptx.sreg.cluster.ctarank
  // CHECK: st.async.shared::cluster.mbarrier::complete_tx::bytes.b32
  // CHECK-NOT: nvvm.cluster
  // CHECK: mbarrier.try_wait.parity.acquire.cluster
  // CHECK: %[[ALL:.+]] = llvm.load %{{.+}} : !llvm.ptr<3> -> vector<2xf32>
  // CHECK: %[[A:.+]] = llvm.extractelement %[[ALL]]
  // CHECK: %[[B:.+]] = llvm.extractelement %[[ALL]]
  // CHECK: llvm.intr.maxnum(%[[A]], %[[B]])
  // CHECK-NOT: nvvm.cluster
  // CHECK: llvm.return
  %m = smx_gpu.cluster_reduce <maxnum> %v : tensor<1xf32, #smx_gpu.slice<1, #row>>
  smx_gpu.store %m, %x[%c0] dims [0] : tensor<1xf32, #smx_gpu.slice<1, #row>>, memref<?xf32>
  smx_gpu.return
}

// Reductions one after the other have a barrier and scratch each, and wait for the cluster once.
// CHECK-LABEL: llvm.func @twice
// CHECK-SAME: smx.shared_bytes = 48 : i64
smx_gpu.kernel @twice(%x: memref<?xf32>) warps(1) cluster(2) {
  %c0 = arith.constant 0 : index
  %v = smx_gpu.load %x[%c0] dims [0] : memref<?xf32> -> tensor<1xf32, #smx_gpu.slice<1, #row>>
  // CHECK-COUNT-2: nvvm.mbarrier.init
  // CHECK: nvvm.cluster.arrive.relaxed
  // CHECK: nvvm.cluster.wait
  // CHECK-COUNT-2: mbarrier.arrive.expect_tx
  // CHECK: st.async
  // CHECK: mbarrier.try_wait.parity.acquire.cluster
  // CHECK: st.async
  // CHECK: mbarrier.try_wait.parity.acquire.cluster
  // CHECK-NOT: nvvm.cluster
  // CHECK: llvm.return
  %m = smx_gpu.cluster_reduce <maxnum> %v : tensor<1xf32, #smx_gpu.slice<1, #row>>
  %s = smx_gpu.cluster_reduce <add> %m : tensor<1xf32, #smx_gpu.slice<1, #row>>
  smx_gpu.store %s, %x[%c0] dims [0] : tensor<1xf32, #smx_gpu.slice<1, #row>>, memref<?xf32>
  smx_gpu.return
}

// Elements of 16 bits can not be announced: the blocks meet.
// CHECK-LABEL: llvm.func @narrow
smx_gpu.kernel @narrow(%x: memref<?xbf16>) warps(1) cluster(2) {
  %c0 = arith.constant 0 : index
  %v = smx_gpu.load %x[%c0] dims [0] : memref<?xbf16> -> tensor<1xbf16, #smx_gpu.slice<1, #row>>
  // CHECK-NOT: mbarrier
  // CHECK: nvvm.cluster.arrive.relaxed
  // CHECK: nvvm.cluster.wait
  // CHECK: %[[FIRST:.+]] = nvvm.mapa %{{.+}} : !llvm.ptr<3> -> !llvm.ptr<7>
  // CHECK: llvm.store %{{.+}}
  // CHECK: nvvm.cluster.arrive {aligned}
  // CHECK-NEXT: nvvm.cluster.wait
  // CHECK-NOT: nvvm.cluster
  // CHECK: llvm.return
  %m = smx_gpu.cluster_reduce <maxnum> %v : tensor<1xbf16, #smx_gpu.slice<1, #row>>
  smx_gpu.store %m, %x[%c0] dims [0] : tensor<1xbf16, #smx_gpu.slice<1, #row>>, memref<?xbf16>
  smx_gpu.return
}

// In a loop, the scratch of a round is read before the next one writes it.
// CHECK-LABEL: llvm.func @rounds
smx_gpu.kernel @rounds(%x: memref<?xf32>, %n: index) warps(1) cluster(2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = smx_gpu.load %x[%c0] dims [0] : memref<?xf32> -> tensor<1xf32, #smx_gpu.slice<1, #row>>
  // CHECK: scf.for
  // CHECK: nvvm.cluster.arrive
  // CHECK-NEXT: nvvm.cluster.wait
  // CHECK: llvm.store
  // CHECK: nvvm.cluster.arrive
  // CHECK-NEXT: nvvm.cluster.wait
  // CHECK: llvm.fadd
  // CHECK: scf.yield
  // CHECK-NOT: nvvm.cluster
  // CHECK: llvm.return
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%a = %v) -> (tensor<1xf32, #smx_gpu.slice<1, #row>>) {
    %b = smx_gpu.cluster_reduce <add> %a : tensor<1xf32, #smx_gpu.slice<1, #row>>
    scf.yield %b : tensor<1xf32, #smx_gpu.slice<1, #row>>
  }
  smx_gpu.store %s, %x[%c0] dims [0] : tensor<1xf32, #smx_gpu.slice<1, #row>>, memref<?xf32>
  smx_gpu.return
}

// Where the threads of a block meet between two rounds, the barriers and scratches of two rounds take turns, and the cluster meets once. What is to come in
// the round after the next one is said when a round's values are there.
// CHECK-LABEL: llvm.func @turns
// CHECK-COUNT-2: nvvm.mbarrier.init
// CHECK: nvvm.cluster.arrive.relaxed
// CHECK: nvvm.cluster.wait
// CHECK-COUNT-2: mbarrier.arrive.expect_tx
smx_gpu.kernel @turns(%x: memref<?xf32>, %n: index) warps(1) cluster(2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = smx_gpu.load %x[%c0] dims [0] : memref<?xf32> -> tensor<1xf32, #smx_gpu.slice<1, #row>>
  // CHECK: scf.for %[[ROUND:[^ ]+]] =
  // CHECK-NOT: nvvm.cluster.arrive
  // CHECK: %[[R:.+]] = llvm.trunc %[[ROUND]] : i64 to i32
  // CHECK: llvm.and %[[R]], %{{.+}} : i32
  // CHECK: st.async
  // CHECK: %[[R2:.+]] = llvm.trunc %[[ROUND]] : i64 to i32
  // CHECK: %[[HALF:.+]] = llvm.lshr %[[R2]], %{{.+}} : i32
  // CHECK: %[[PARITY:.+]] = llvm.and %[[HALF]], %{{.+}} : i32
  // CHECK: try_wait.parity{{.+}} %{{.+}}, %[[PARITY]]
  // CHECK: mbarrier.arrive.expect_tx
  // CHECK-NOT: nvvm.cluster.arrive
  // CHECK: llvm.return
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%a = %v) -> (tensor<1xf32, #smx_gpu.slice<1, #row>>) {
    smx_gpu.barrier
    %b = smx_gpu.cluster_reduce <add> %a : tensor<1xf32, #smx_gpu.slice<1, #row>>
    scf.yield %b : tensor<1xf32, #smx_gpu.slice<1, #row>>
  }
  smx_gpu.store %s, %x[%c0] dims [0] : tensor<1xf32, #smx_gpu.slice<1, #row>>, memref<?xf32>
  smx_gpu.return
}

// Of columns, the values that several warps have copies of go to one block from each, two in a word of 8 bytes, and blocks' values lie one behind the other.
#columns = #smx_gpu.striped<rows = 4, columns = 32, vector = 2>

// CHECK-LABEL: llvm.func @columns
// 64 values of 4 bytes from each of 4 blocks.
// CHECK: llvm.mlir.constant(1024 : i32)
// CHECK: mbarrier.arrive.expect_tx
// CHECK: nvvm.read.ptx.sreg.cluster.ctarank
// CHECK-NOT: scf.if
// CHECK: st.async.shared::cluster.mbarrier::complete_tx::bytes.b64
// CHECK-NOT: st.async
// CHECK: mbarrier.try_wait.parity.acquire.cluster
// CHECK-COUNT-2: llvm.load %{{.+}} : !llvm.ptr<3> -> vector<2xf32>
// What comes of the last two blocks is read when the first ones' is added up.
// CHECK: llvm.inline_asm has_side_effects {{.*}}"=r,=r,0,1"
// CHECK-COUNT-2: llvm.load %{{.+}} : !llvm.ptr<3> -> vector<2xf32>
// CHECK-NOT: nvvm.cluster
// CHECK: llvm.return
smx_gpu.kernel @columns(%x: memref<64xf32>) warps(4) cluster(4) {
  %c0 = arith.constant 0 : index
  %v = smx_gpu.load %x[%c0] dims [0] : memref<64xf32> -> tensor<64xf32, #smx_gpu.slice<0, #columns>>
  %s = smx_gpu.cluster_reduce <add> %v : tensor<64xf32, #smx_gpu.slice<0, #columns>>
  smx_gpu.store %s, %x[%c0] dims [0] : tensor<64xf32, #smx_gpu.slice<0, #columns>>, memref<64xf32>
  smx_gpu.return
}

// Two warps send to two blocks each; half precision can not be announced, and is stored.
#few = #smx_gpu.striped<rows = 2, columns = 32, vector = 1>

// CHECK-LABEL: llvm.func @few_warps
// CHECK-COUNT-2: st.async.shared::cluster.mbarrier::complete_tx::bytes.b32
// CHECK: nvvm.mapa
// CHECK: llvm.store {{.*}} : vector<1xf16>, !llvm.ptr<7>
// CHECK: nvvm.mapa
// CHECK: llvm.store {{.*}} : vector<1xf16>, !llvm.ptr<7>
// CHECK: nvvm.cluster.arrive
smx_gpu.kernel @few_warps(%x: memref<32xf32>, %y: memref<32xf16>) warps(2) cluster(4) {
  %c0 = arith.constant 0 : index
  %v = smx_gpu.load %x[%c0] dims [0] : memref<32xf32> -> tensor<32xf32, #smx_gpu.slice<0, #few>>
  %h = smx_gpu.load %y[%c0] dims [0] : memref<32xf16> -> tensor<32xf16, #smx_gpu.slice<0, #few>>
  %s = smx_gpu.cluster_reduce <add> %v : tensor<32xf32, #smx_gpu.slice<0, #few>>
  %m = smx_gpu.cluster_reduce <maxnum> %h : tensor<32xf16, #smx_gpu.slice<0, #few>>
  smx_gpu.store %s, %x[%c0] dims [0] : tensor<32xf32, #smx_gpu.slice<0, #few>>, memref<32xf32>
  smx_gpu.store %m, %y[%c0] dims [0] : tensor<32xf16, #smx_gpu.slice<0, #few>>, memref<32xf16>
  smx_gpu.return
}

// Of a number of places along columns that follows from the rank, those that all blocks have are not masked: the first one of two here. (A run along the other dimension is whole.)
#strip = #smx_gpu.striped<rows = 4, columns = 32, vector = 1>

// CHECK-LABEL: llvm.func @ragged
// CHECK: llvm.load %{{.+}} {alignment = 4 : i64} : !llvm.ptr<1> -> vector<1xf32>
// CHECK: @$2 ld.global.b32
// CHECK-NOT: ld.global
// CHECK: llvm.return
smx_gpu.kernel @ragged(%x: memref<?x?xf32, strided<[?, 1], offset: ?>>) warps(4) cluster(2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c32 = arith.constant 32 : index
  %rank = smx_gpu.cluster_rank
  %less = arith.muli %rank, %c1 : index
  %n = arith.subi %c7, %less : index
  %t = smx_gpu.load %x[%c0, %c0] valid(%n, %c32) dims [0, 1] {aligned = 4 : i64} : memref<?x?xf32, strided<[?, 1], offset: ?>> -> tensor<8x32xf32, #strip>
  smx_gpu.hold %t : tensor<8x32xf32, #strip>
  smx_gpu.return
}

// Values of columns are widened one by one.
// CHECK-LABEL: llvm.func @widened_values
// CHECK: llvm.fpext %{{.+}} : bf16 to f32
smx_gpu.kernel @widened_values(%x: memref<64xbf16>, %y: memref<64xf32>) warps(4) cluster(4) {
  %c0 = arith.constant 0 : index
  %v = smx_gpu.load %x[%c0] dims [0] : memref<64xbf16> -> tensor<64xbf16, #smx_gpu.slice<0, #columns>>
  %w = arith.extf %v : tensor<64xbf16, #smx_gpu.slice<0, #columns>> to tensor<64xf32, #smx_gpu.slice<0, #columns>>
  smx_gpu.store %w, %y[%c0] dims [0] : tensor<64xf32, #smx_gpu.slice<0, #columns>>, memref<64xf32>
  smx_gpu.return
}
