// The largest elements: a bound from the maxima of lanes, elements of the threads that reach it, a list of those elements, and
// their ranks; where more threads reach the bound than there are slots, a bound of maxima with their places first; where
// these have more elements than the list takes, the largest that is left, again and again.
// RUN: softmax-opt %s --smx-gpu-to-nvvm --canonicalize --cse | FileCheck %s

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 8>
#value = #smx_gpu.slice<1, #row>

// 4 sets of 16 lanes, slots of 32 threads, a list of 64, an exchange of 2 warps, and 2 results.
// CHECK-LABEL: llvm.func @warps
// CHECK-SAME: smx.shared_bytes = 2112 : i64
// The number of slots and of candidates, and the bound: of the maxima that fewer than 2 are larger than, the least one.
// CHECK-NOT: nvvm.barrier0
// CHECK: llvm.intr.maximum{{.*}} : {{.*}}vector<2xbf16>
// CHECK-COUNT-4: nvvm.shfl.sync bfly
// CHECK: nvvm.barrier0
// CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> vector<4xi32>
// CHECK-COUNT-4: llvm.icmp "ugt"
// CHECK: nvvm.redux.sync umin
// A thread hands in its registers as they are, if there is a slot.
// CHECK: %[[REACHES:.+]] = llvm.icmp "uge"
// CHECK: scf.if %[[REACHES]]
// CHECK: llvm.atomicrmw uinc_wrap {{.*}} monotonic : !llvm.ptr<3>, i32
// CHECK: %[[HAS_SLOT:.+]] = llvm.icmp "slt" %{{.+}}, %[[SLOTS:.+]] : i32
// CHECK: scf.if %[[HAS_SLOT]]
// CHECK-COUNT-2: llvm.store {{.*}} : vector<8xbf16>, !llvm.ptr<3>
// CHECK: nvvm.barrier0
// CHECK: %[[TOO_MANY:.+]] = llvm.icmp "sgt" %{{.+}}, %[[SLOTS]] : i32
// CHECK: scf.if %[[TOO_MANY]]
// The first run of 8 that has the maximum; k times the largest of the threads.
// CHECK-COUNT-2: llvm.icmp "eq"
// CHECK: scf.for
// CHECK-COUNT-2: nvvm.redux.sync umax
// CHECK: llvm.atomicrmw uinc_wrap
// CHECK: scf.yield
// The list: of runs of 8 elements those that have one not below the bound, and of these one after the other, read again.
// CHECK: scf.for
// CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> vector<8xbf16>
// CHECK: llvm.fcmp "uge"
// CHECK: scf.if
// CHECK-COUNT-8: llvm.fcmp "uge"
// CHECK: %[[LEFT:.+]] = llvm.intr.ctpop
// CHECK: scf.for {{.*}} to %[[LEFT]]
// CHECK: llvm.intr.cttz
// CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> vector<1xbf16>
// CHECK: llvm.icmp "uge" {{.*}} : i64
// CHECK: scf.if
// CHECK: llvm.atomicrmw uinc_wrap
// CHECK: nvvm.barrier0
// CHECK: %[[TOO_LONG:.+]] = llvm.icmp "sgt"
// CHECK: scf.if %[[TOO_LONG]]
// CHECK: scf.for
// CHECK: llvm.icmp "ult"
// CHECK-COUNT-2: nvvm.redux.sync umax
// CHECK-COUNT-2: nvvm.barrier0
// CHECK: } else {
// The ranks.
// CHECK: scf.for
// CHECK: scf.for
// CHECK: llvm.icmp "ugt"
// CHECK: nvvm.barrier0
// CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> i64
smx_gpu.kernel @warps(%x: memref<?x1024xbf16>, %y: memref<?xbf16>, %i: memref<?xindex>) warps(2) {
  %c0 = arith.constant 0 : index
  %t = smx_gpu.load %x[%c0, %c0] dims [-1, 1] {aligned = 16 : i64} : memref<?x1024xbf16> -> tensor<1x1024xbf16, #row>
  %v:2, %c:2 = smx_gpu.largest %t : tensor<1x1024xbf16, #row> -> tensor<1xbf16, #value>, tensor<1xbf16, #value>
      at tensor<1xindex, #value>, tensor<1xindex, #value>
  smx_gpu.store %v#1, %y[%c0] dims [-1] : tensor<1xbf16, #value>, memref<?xbf16>
  smx_gpu.store %c#1, %i[%c0] dims [-1] : tensor<1xindex, #value>, memref<?xindex>
  smx_gpu.return
}

#one = #smx_gpu.striped<rows = 2, columns = 32, vector = 4>
#ones = #smx_gpu.slice<1, #one>

// A warp that holds a row meets nobody, and all of its lanes have a slot.
// CHECK-LABEL: llvm.func @warp
// CHECK-NOT: nvvm.barrier0
// CHECK: llvm.return
smx_gpu.kernel @warp(%x: memref<?x128xf32>, %y: memref<?xf32>) warps(2) {
  %c0 = arith.constant 0 : index
  %t = smx_gpu.load %x[%c0, %c0] dims [0, 1] {aligned = 16 : i64} : memref<?x128xf32> -> tensor<2x128xf32, #one>
  %v, %c = smx_gpu.largest %t : tensor<2x128xf32, #one> -> tensor<2xf32, #ones> at tensor<2xindex, #ones>
  smx_gpu.store %v, %y[%c0] dims [0] : tensor<2xf32, #ones>, memref<?xf32>
  smx_gpu.return
}

#row2 = #smx_gpu.striped<rows = 1, columns = 32, vector = 8>
#rank = #smx_gpu.striped<rows = 1, columns = 32, vector = 1>

// A lane reads what was found for its ranks: 34 of them are two registers, and what is behind reads the last one.
// CHECK-LABEL: llvm.func @ranks
// CHECK: %[[LAST:.+]] = llvm.mlir.constant(33 : i32)
// CHECK-COUNT-2: llvm.intr.umin(%{{.+}}, %[[LAST]])
// CHECK-NOT: llvm.intr.umin(%{{.+}}, %[[LAST]])
// CHECK: llvm.return
smx_gpu.kernel @ranks(%x: memref<?x256xbf16>, %y: memref<?x64xbf16>, %i: memref<?x64xindex>) warps(1) {
  %c0 = arith.constant 0 : index
  %t = smx_gpu.load %x[%c0, %c0] dims [-1, 1] {aligned = 16 : i64} : memref<?x256xbf16> -> tensor<1x256xbf16, #row2>
  %v, %c = smx_gpu.largest %t ranks(34) : tensor<1x256xbf16, #row2> -> tensor<1x64xbf16, #rank> at tensor<1x64xindex, #rank>
  smx_gpu.store %v, %y[%c0, %c0] dims [-1, 1] : tensor<1x64xbf16, #rank>, memref<?x64xbf16>
  smx_gpu.store %c, %i[%c0, %c0] dims [-1, 1] : tensor<1x64xindex, #rank>, memref<?x64xindex>
  smx_gpu.return
}

#wide = #smx_gpu.striped<rows = 1, columns = 128, vector = 8>
#rank128 = #smx_gpu.striped<rows = 1, columns = 128, vector = 1>

// Ranks that a warp has: the others do not wait for them, nor read what it writes. In a loop nobody writes before all have read
// what was there, and what 128 maxima are compared with is cut into warps.
// CHECK-LABEL: llvm.func @first_warp
// CHECK: scf.for
// CHECK-NOT: llvm.store
// CHECK: nvvm.barrier0
// CHECK: llvm.atomicrmw umin
// CHECK: } else {
// CHECK: llvm.icmp "ugt"
// CHECK: nvvm.bar.warp.sync
// CHECK-NOT: nvvm.barrier0
// CHECK: %[[FIRST:.+]] = llvm.icmp "slt"
// CHECK: scf.if %[[FIRST]] -> (i64)
// CHECK: llvm.return
smx_gpu.kernel @first_warp(%x: memref<?x1024xbf16>, %y: memref<?x128xbf16>, %n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %r = %c0 to %n step %c1 {
    %t = smx_gpu.load %x[%r, %c0] dims [-1, 1] {aligned = 16 : i64} : memref<?x1024xbf16> -> tensor<1x1024xbf16, #wide>
    %v, %c = smx_gpu.largest %t ranks(32) : tensor<1x1024xbf16, #wide> -> tensor<1x128xbf16, #rank128> at tensor<1x128xindex, #rank128>
    smx_gpu.store %v, %y[%r, %c0] dims [-1, 1] : tensor<1x128xbf16, #rank128>, memref<?x128xbf16>
  }
  smx_gpu.return
}

// Of a row in memory a slot has the column of a thread only, and what the thread had is read again: to look for the first run of
// a maximum that others have as well, and to list. 16 bytes for each of 32 slots, a list of 64, 2 warps, 2 results.
// CHECK-LABEL: llvm.func @memory
// CHECK-SAME: smx.shared_bytes = 1088 : i64
// CHECK: llvm.atomicrmw uinc_wrap
// CHECK-NOT: llvm.store {{.*}} : vector<8xbf16>
// CHECK: scf.for
// CHECK-COUNT-4: llvm.load {{.*}} : !llvm.ptr<1> -> vector<8xbf16>
// CHECK: scf.for
// CHECK: llvm.load {{.*}} : !llvm.ptr<1> -> vector<8xbf16>
// CHECK-COUNT-9: llvm.fcmp "uge"
smx_gpu.kernel @memory(%x: memref<?x4096xbf16>, %y: memref<?xbf16>, %i: memref<?xindex>) warps(2) {
  %c0 = arith.constant 0 : index
  %t = smx_gpu.load %x[%c0, %c0] dims [-1, 1] {aligned = 16 : i64} : memref<?x4096xbf16> -> tensor<1x4096xbf16, #row>
  %m = smx_gpu.partial_reduce <maximum> %t : tensor<1x4096xbf16, #row> -> tensor<1x512xbf16, #row>
  %v:2, %c:2 = smx_gpu.largest %m of %x[%c0, %c0] extent(4096) {aligned = 16 : i64} : tensor<1x512xbf16, #row>, memref<?x4096xbf16>
      -> tensor<1xbf16, #value>, tensor<1xbf16, #value> at tensor<1xindex, #value>, tensor<1xindex, #value>
  smx_gpu.store %v#1, %y[%c0] dims [-1] : tensor<1xbf16, #value>, memref<?xbf16>
  smx_gpu.store %c#1, %i[%c0] dims [-1] : tensor<1xindex, #value>, memref<?xindex>
  smx_gpu.return
}

// A row that ends within a tile is read up to its end, 4 elements at a time, and what threads have behind is not listed.
// CHECK-LABEL: llvm.func @cut
// CHECK: llvm.atomicrmw uinc_wrap
// CHECK: scf.for
// CHECK: llvm.intr.umin(%{{.+}}, %[[END:.+]]) :
// CHECK: llvm.load {{.*}} : !llvm.ptr<1> -> vector<4xbf16>
// CHECK: scf.for
// CHECK-COUNT-2: llvm.intr.umin(%{{.+}}, %[[END]])
// CHECK: llvm.fcmp "uge"
// CHECK: llvm.icmp "slt" %{{.+}}, %[[EXTENT:.+]] : i32
// CHECK: llvm.and
// CHECK: scf.if
// CHECK: llvm.intr.cttz
// CHECK: llvm.icmp "slt" %{{.+}}, %[[EXTENT]] : i32
// CHECK: scf.if
// CHECK: llvm.atomicrmw uinc_wrap
// CHECK: llvm.return
smx_gpu.kernel @cut(%x: memref<?x4100xbf16>, %y: memref<?xbf16>, %i: memref<?xindex>) warps(2) {
  %c0 = arith.constant 0 : index
  %t = smx_gpu.load %x[%c0, %c0] dims [-1, 1] {aligned = 8 : i64} : memref<?x4100xbf16> -> tensor<1x512xbf16, #row>
  %v:2, %c:2 = smx_gpu.largest %t of %x[%c0, %c0] extent(4100) {aligned = 8 : i64} : tensor<1x512xbf16, #row>, memref<?x4100xbf16>
      -> tensor<1xbf16, #value>, tensor<1xbf16, #value> at tensor<1xindex, #value>, tensor<1xindex, #value>
  smx_gpu.store %v#1, %y[%c0] dims [-1] : tensor<1xbf16, #value>, memref<?xbf16>
  smx_gpu.store %c#1, %i[%c0] dims [-1] : tensor<1xindex, #value>, memref<?xindex>
  smx_gpu.return
}

#rank64 = #smx_gpu.striped<rows = 1, columns = 64, vector = 1>

// For k = 16, 32 of 64 threads have a slot: where more reach the bound, equal ones are told apart.
// CHECK-LABEL: llvm.func @half
// CHECK: llvm.atomicrmw uinc_wrap
// CHECK: llvm.icmp "slt" %{{.+}}, %[[HALF:.+]] : i32
// CHECK: llvm.icmp "sgt" %{{.+}}, %[[HALF]] : i32
// CHECK: scf.if
// CHECK: llvm.return
smx_gpu.kernel @half(%x: memref<?x1024xbf16>, %y: memref<?x64xbf16>) warps(2) {
  %c0 = arith.constant 0 : index
  %t = smx_gpu.load %x[%c0, %c0] dims [-1, 1] {aligned = 16 : i64} : memref<?x1024xbf16> -> tensor<1x1024xbf16, #row>
  %v, %c = smx_gpu.largest %t ranks(16) : tensor<1x1024xbf16, #row> -> tensor<1x64xbf16, #rank64> at tensor<1x64xindex, #rank64>
  smx_gpu.store %v, %y[%c0, %c0] dims [-1, 1] : tensor<1x64xbf16, #rank64>, memref<?x64xbf16>
  smx_gpu.return
}

// More ranks than a warp has lanes: all threads place candidates, which they compare with four at a time, and meet.
// CHECK-LABEL: llvm.func @all_rank
// CHECK: %[[THREADS:.+]] = llvm.mlir.constant(128 : i32)
// CHECK: %[[FOUR:.+]] = llvm.mlir.constant(4 : i32)
// CHECK: } else {
// CHECK-NOT: scf.if
// CHECK: scf.for {{.*}} step %[[THREADS]]
// CHECK: scf.for {{.*}} step %[[FOUR]]
// CHECK-COUNT-2: llvm.load {{.*}} : !llvm.ptr<3> -> vector<2xi64>
// CHECK-COUNT-4: llvm.icmp "ugt"
// CHECK: scf.for
// CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> i64
// CHECK: nvvm.barrier0
// CHECK: llvm.return
smx_gpu.kernel @all_rank(%x: memref<?x1024xbf16>, %y: memref<?x128xbf16>) warps(4) {
  %c0 = arith.constant 0 : index
  %t = smx_gpu.load %x[%c0, %c0] dims [-1, 1] {aligned = 16 : i64} : memref<?x1024xbf16> -> tensor<1x1024xbf16, #wide>
  %v, %c = smx_gpu.largest %t ranks(64) : tensor<1x1024xbf16, #wide> -> tensor<1x128xbf16, #rank128> at tensor<1x128xindex, #rank128>
  smx_gpu.store %v, %y[%c0, %c0] dims [-1, 1] : tensor<1x128xbf16, #rank128>, memref<?x128xbf16>
  smx_gpu.return
}
