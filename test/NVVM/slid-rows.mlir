// Rows that are slid to where accesses start: accesses, and elements at both edges.
// RUN: softmax-opt %s --smx-gpu-to-nvvm=chip=sm_90a --cse | FileCheck %s

#row = #smx_gpu.striped<rows = 1, columns = 32, vector = 8>
#value = #smx_gpu.slice<1, #row>
!rows = memref<?x?xbf16, strided<[?, 1], offset: ?>>

// CHECK-LABEL: llvm.func @copy
smx_gpu.kernel @copy(%x: !rows, %y: !rows) warps(1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 700 : index
  %i = gpu.block_id x
  // Elements behind a multiple of 16 bytes.
  // CHECK: %[[ADDRESS:.+]] = llvm.ptrtoint
  // CHECK: %[[LOW:.+]] = llvm.trunc %[[ADDRESS]]
  // CHECK: %[[FIFTEEN:.+]] = llvm.mlir.constant(15 : i32)
  // CHECK: %[[BEHIND:.+]] = llvm.and %[[LOW]], %[[FIFTEEN]]
  // CHECK: llvm.lshr %[[BEHIND]]
  %s = smx_gpu.slide %x[%i, %c0] dims [-1, 1] : !rows -> tensor<1xindex, #value>
  // The first access may start before the row and the last one end behind it; the one between needs no condition.
  // CHECK: @$5 ld.global.v4.b32
  // CHECK: llvm.load %{{.+}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xbf16>
  // CHECK: @$5 ld.global.v4.b32
  // CHECK-NOT: ld.global.v4
  // CHECK: scf.if
  // CHECK-COUNT-8: ld.global.b16
  // CHECK: scf.if
  // CHECK-COUNT-8: ld.global.b16
  %t = smx_gpu.load %x[%i, %c0] valid(%c1, %n) slid(%s : tensor<1xindex, #value>) dims [-1, 1] {aligned = 16 : i64} : !rows -> tensor<1x768xbf16, #row>
  // What other memory has in common is asked: accesses, or words and elements.
  // CHECK: %[[ALIKE:.+]] = llvm.icmp "eq"
  // CHECK: scf.if %[[ALIKE]]
  // CHECK: "@$0 st.global.v4.b32
  // CHECK: llvm.store %{{.+}} {alignment = 16 : i64} : vector<8xbf16>, !llvm.ptr<1>
  // CHECK: "@$0 st.global.v4.b32
  // CHECK-COUNT-16: st.global.b16
  // CHECK: } else {
  // CHECK-NOT: st.global.v4
  // CHECK: nvvm.prmt
  // CHECK: st.global.b32
  smx_gpu.store %t, %y[%i, %c0] valid(%c1, %n) slid(%s : tensor<1xindex, #value>) dims [-1, 1] : tensor<1x768xbf16, #row>, !rows
  smx_gpu.return
}

// Of a row that a cluster holds, the last block has the end, in its last access: the two in front of it are whole in all blocks, but for the first one's start.
// CHECK-LABEL: llvm.func @in_cluster
// CHECK: @$5 ld.global.v4.b32
// CHECK: llvm.load %{{.+}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xbf16>
// CHECK: @$5 ld.global.v4.b32
// CHECK-NOT: ld.global.v4
// CHECK: scf.if
// CHECK-COUNT-8: ld.global.b16
// CHECK: scf.if
// CHECK-COUNT-8: ld.global.b16
// CHECK-NOT: ld.global.b16
// CHECK: llvm.return
smx_gpu.kernel @in_cluster(%x: !rows) warps(1) cluster(2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1468 : index
  %columns = arith.constant 768 : index
  %i = gpu.block_id x
  %rank = smx_gpu.cluster_rank
  %first = arith.muli %rank, %columns : index
  %left = arith.subi %n, %first : index
  %s = smx_gpu.slide %x[%i, %c0] dims [-1, 1] : !rows -> tensor<1xindex, #value>
  %t = smx_gpu.load %x[%i, %first] valid(%c1, %left) slid(%s : tensor<1xindex, #value>) dims [-1, 1] {aligned = 16 : i64} : !rows -> tensor<1x768xbf16, #row>
  smx_gpu.hold %t : tensor<1x768xbf16, #row>
  smx_gpu.return
}

// Columns from the row's start on, of which the first access may have some before it.
// CHECK-LABEL: llvm.func @places
smx_gpu.kernel @places(%x: !rows, %y: memref<?xi1, strided<[?]>>) warps(1) {
  %c0 = arith.constant 0 : index
  %i = gpu.block_id x
  %s = smx_gpu.slide %x[%i, %c0] dims [-1, 1] : !rows -> tensor<1xindex, #value>
  %p = smx_gpu.position 1 : tensor<1x768xindex, #row>
  %b = smx_gpu.broadcast %s : tensor<1xindex, #value> -> tensor<1x768xindex, #row>
  %j = arith.subi %p, %b : tensor<1x768xindex, #row>
  %zero = arith.constant dense<0> : tensor<1x768xindex, #row>
  // CHECK-COUNT-7: llvm.icmp "sge"
  // CHECK-NOT: llvm.icmp
  // CHECK: llvm.return
  %m = arith.cmpi sge, %j, %zero : tensor<1x768xindex, #row>
  smx_gpu.hold %m : tensor<1x768xi1, #row>
  smx_gpu.return
}

#wide = #smx_gpu.striped<rows = 1, columns = 32, vector = 4>

// Four numbers of bf16 at a time are 8 bytes.
// CHECK-LABEL: llvm.func @by_eight
// CHECK: %[[SEVEN:.+]] = llvm.mlir.constant(7 : i32)
// CHECK: %[[BEHIND:.+]] = llvm.and %{{.+}}, %[[SEVEN]]
// CHECK: llvm.lshr %[[BEHIND]]
smx_gpu.kernel @by_eight(%x: !rows) warps(1) {
  %c0 = arith.constant 0 : index
  %i = gpu.block_id x
  %s = smx_gpu.slide %x[%i, %c0] dims [-1, 1] : !rows -> tensor<1xindex, #smx_gpu.slice<1, #wide>>
  %b = smx_gpu.broadcast %s : tensor<1xindex, #smx_gpu.slice<1, #wide>> -> tensor<1x128xindex, #wide>
  %zero = arith.constant dense<0> : tensor<1x128xindex, #wide>
  %m = arith.cmpi sge, %b, %zero : tensor<1x128xindex, #wide>
  smx_gpu.hold %m : tensor<1x128xi1, #wide>
  smx_gpu.return
}
