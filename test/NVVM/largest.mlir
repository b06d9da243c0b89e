// The largest elements: a bound from the maxima of lanes, elements of the threads that reach it, a list of those elements, and
// their ranks; where more threads reach the bound than there are slots, a bound of maxima with their places first; where
// these have more elements than the list takes, the largest that is left, again and again.
// RUN: softmax-opt %s --smx-gpu-to-nvvm --canonicalize --cse | FileCheck %s

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 8>
#value = #smx_gpu.slice<1, #row>

// 4 sets of 16 lanes, slots of 32 threads, a list of 64, an exchange of 2 warps, and 2 results.
// CHECK-LABEL: llvm.func @warps
// CHECK-SAME: smx.shared_bytes = 2112 : i64
// CHECK-DAG: %[[NOTHING:.+]] = llvm.mlir.constant(0 : i64)
// CHECK-DAG: %[[ZERO:.+]] = llvm.mlir.constant(0 : i32)
// CHECK-DAG: %[[TWO:.+]] = llvm.mlir.constant(2 : i32)
// CHECK-DAG: %[[LAST_SET:.+]] = llvm.mlir.constant(3 : i32)
// CHECK-DAG: %[[C15:.+]] = llvm.mlir.constant(15 : i32)
// CHECK-DAG: %[[C31:.+]] = llvm.mlir.constant(31 : i32)
// CHECK-DAG: %[[LIST:.+]] = llvm.mlir.constant(64 : i32)
// CHECK-DAG: %[[ONES:.+]] = llvm.mlir.constant(-1 : i32)
// CHECK-DAG: %[[SIGN:.+]] = llvm.mlir.constant(-2147483648 : i32)
// CHECK-DAG: %[[MOST:.+]] = llvm.mlir.constant(2147483647 : i32)
// The number of slots and of candidates, and the bound: of the maxima that fewer than 2 are larger than, the least one.
// CHECK-NOT: nvvm.barrier0
// CHECK: llvm.intr.maximum{{.*}} : {{.*}}vector<2xbf16>
// The order of a number is an unsigned word: the bits of negative ones are inverted, the sign of others is, and NaN, whose sum has
// no sign, is above all.
// CHECK: %[[NUMBER:.+]] = llvm.fadd %{{.+}}, %{{.+}} : f32
// CHECK: %[[BITS:.+]] = llvm.bitcast %[[NUMBER]] : f32 to i32
// CHECK: %[[SIGNS:.+]] = llvm.ashr %[[BITS]], %[[C31]]
// CHECK: %[[FLIPPED:.+]] = llvm.or %[[SIGNS]], %[[SIGN]]
// CHECK: %[[ORDER:.+]] = llvm.xor %[[BITS]], %[[FLIPPED]]
// The largest of 16 lanes, which the first of them writes.
// CHECK: %[[OTHER:.+]] = nvvm.shfl.sync bfly %{{.+}}, %[[ORDER]],
// CHECK: %[[OF_TWO:.+]] = llvm.intr.umax(%[[ORDER]], %[[OTHER]])
// CHECK: %[[OTHER:.+]] = nvvm.shfl.sync bfly %{{.+}}, %[[OF_TWO]],
// CHECK: %[[OF_FOUR:.+]] = llvm.intr.umax(%[[OF_TWO]], %[[OTHER]])
// CHECK: %[[OTHER:.+]] = nvvm.shfl.sync bfly %{{.+}}, %[[OF_FOUR]],
// CHECK: %[[OF_EIGHT:.+]] = llvm.intr.umax(%[[OF_FOUR]], %[[OTHER]])
// CHECK: %[[OTHER:.+]] = nvvm.shfl.sync bfly %{{.+}}, %[[OF_EIGHT]],
// CHECK: %[[OF_SET:.+]] = llvm.intr.umax(%[[OF_EIGHT]], %[[OTHER]])
// CHECK: %[[IN_SET:.+]] = llvm.and %{{.+}}, %[[C15]]
// CHECK: %[[IS_FIRST:.+]] = llvm.icmp "eq" %[[IN_SET]], %[[ZERO]]
// CHECK: scf.if %[[IS_FIRST]]
// CHECK: llvm.store %[[OF_SET]],
// CHECK: nvvm.barrier0
// CHECK: %[[SET:.+]] = llvm.intr.umin(%{{.+}}, %[[LAST_SET]])
// CHECK: %[[MINE:.+]] = llvm.load {{.*}} : !llvm.ptr<3> -> i32
// CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> vector<4xi32>
// CHECK-COUNT-4: llvm.icmp "ugt" %{{.+}}, %[[MINE]] : i32
// CHECK: %[[FEW:.+]] = llvm.icmp "slt" %{{.+}}, %[[TWO]]
// CHECK: %[[OF_FEW:.+]] = llvm.select %[[FEW]], %[[MINE]], %[[ONES]]
// CHECK: %[[LEAST:.+]] = nvvm.redux.sync umin %[[OF_FEW]],
// A thread hands in its registers as they are, if there is a slot. Its candidate has the order in the upper word.
// CHECK: %[[LOW:.+]] = llvm.insertelement %[[ONES]],
// CHECK: %[[PAIR:.+]] = llvm.insertelement %[[ORDER]], %[[LOW]]
// CHECK: %[[HIGHEST:.+]] = llvm.bitcast %[[PAIR]] : vector<2xi32> to i64
// CHECK: %[[PAIR:.+]] = llvm.insertelement %[[LEAST]],
// CHECK: %[[BOUND:.+]] = llvm.bitcast %[[PAIR]] : vector<2xi32> to i64
// CHECK: %[[REACHES:.+]] = llvm.icmp "uge" %[[HIGHEST]], %[[BOUND]]
// CHECK: scf.if %[[REACHES]]
// CHECK: llvm.atomicrmw uinc_wrap {{.*}} monotonic : !llvm.ptr<3>, i32
// CHECK: %[[HAS_SLOT:.+]] = llvm.icmp "slt" %{{.+}}, %[[SLOTS:.+]] : i32
// CHECK: scf.if %[[HAS_SLOT]]
// CHECK-COUNT-2: llvm.store {{.*}} : vector<8xbf16>, !llvm.ptr<3>
// CHECK: nvvm.barrier0
// CHECK: %[[TOO_MANY:.+]] = llvm.icmp "sgt" %{{.+}}, %[[SLOTS]] : i32
// CHECK: scf.if %[[TOO_MANY]]
// The first run of 8 that has the maximum; k times the largest of the threads.
// CHECK: %[[IN_SECOND:.+]] = llvm.icmp "eq" %{{.+}}, %[[ORDER]]
// CHECK: %[[SECOND:.+]] = llvm.select %[[IN_SECOND]], %{{.+}}, %[[ZERO]]
// CHECK: %[[IN_FIRST:.+]] = llvm.icmp "eq" %{{.+}}, %[[ORDER]]
// CHECK: %[[PART:.+]] = llvm.select %[[IN_FIRST]], %[[ZERO]], %[[SECOND]]
// CHECK: %[[START:.+]] = llvm.add %{{.+}}, %[[PART]]
// CHECK: %[[END:.+]] = llvm.add %[[START]], %{{.+}}
// Of equal ones the candidate with the lower column is larger.
// CHECK: %[[LOW:.+]] = llvm.sub %[[MOST]], %[[END]] : i32
// CHECK: %[[PAIR:.+]] = llvm.insertelement %[[LOW]],
// CHECK: %[[BOTH:.+]] = llvm.insertelement %[[ORDER]], %[[PAIR]]
// CHECK: %[[MINE:.+]] = llvm.bitcast %[[BOTH]] : vector<2xi32> to i64
// Of those below the one before, the highest word of the warp, then the highest lower word beside it.
// CHECK: scf.for {{.*}} iter_args(%[[BEFORE:.+]] =
// CHECK: %[[IS_LEFT:.+]] = llvm.icmp "ult" %[[MINE]], %[[BEFORE]]
// CHECK: %[[LEFT:.+]] = llvm.select %[[IS_LEFT]], %[[MINE]], %[[NOTHING]]
// CHECK: %[[WORDS:.+]] = llvm.bitcast %[[LEFT]]
// CHECK: %[[HIGH:.+]] = llvm.extractelement %[[WORDS]]
// CHECK: %[[WARPS_HIGH:.+]] = nvvm.redux.sync umax %[[HIGH]],
// CHECK: %[[IS_HIGH:.+]] = llvm.icmp "eq" %[[HIGH]], %[[WARPS_HIGH]]
// CHECK: %[[LOW:.+]] = llvm.extractelement %[[WORDS]]
// CHECK: %[[OF_HIGH:.+]] = llvm.select %[[IS_HIGH]], %[[LOW]], %[[ZERO]]
// CHECK: nvvm.redux.sync umax %[[OF_HIGH]],
// The first lane writes it, and all take the largest of the warps.
// CHECK: %[[LANE:.+]] = llvm.and %{{.+}}, %[[C31]]
// CHECK: %[[IS_FIRST:.+]] = llvm.icmp "eq" %[[LANE]], %[[ZERO]]
// CHECK: scf.if %[[IS_FIRST]]
// CHECK: scf.for {{.*}} iter_args(%[[SO_FAR:.+]] =
// CHECK: %[[OF_WARP:.+]] = llvm.load
// CHECK: llvm.intr.umax(%[[SO_FAR]], %[[OF_WARP]]) : (i64, i64)
// CHECK: llvm.atomicrmw uinc_wrap
// CHECK: scf.yield
// The list: of runs of 8 elements those that have one not below the bound, and of these one after the other.
// The number that the bound is the order of.
// CHECK: %[[IS_POSITIVE:.+]] = llvm.icmp "slt" %[[WORD:.+]], %[[ZERO]]
// CHECK: %[[FLIPPED:.+]] = llvm.select %[[IS_POSITIVE]], %[[SIGN]], %[[ONES]]
// CHECK: %[[BITS:.+]] = llvm.xor %[[WORD]], %[[FLIPPED]]
// CHECK: %[[NUMBER:.+]] = llvm.bitcast %[[BITS]] : i32 to f32
// CHECK: llvm.intr.umin(%{{.+}}, %[[SLOTS]])
// CHECK: scf.for
// CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> vector<8xbf16>
// CHECK: llvm.fcmp "uge" %{{.+}}, %[[NUMBER]]
// CHECK: scf.if
// CHECK: %[[IS_IT:.+]] = llvm.fcmp "uge" %{{.+}}, %[[NUMBER]]
// CHECK: llvm.select %[[IS_IT]], %{{.+}}, %[[ZERO]]
// CHECK-COUNT-7: llvm.fcmp "uge" %{{.+}}, %[[NUMBER]]
// CHECK: %[[LEFT:.+]] = llvm.intr.ctpop
// CHECK: scf.for {{.*}} to %[[LEFT]]
// CHECK: %[[BIT:.+]] = "llvm.intr.cttz"
// CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> vector<1xbf16>
// CHECK: %[[COLUMN:.+]] = llvm.add %{{.+}}, %[[BIT]]
// CHECK: llvm.sub %[[MOST]], %[[COLUMN]] : i32
// CHECK: llvm.icmp "uge" {{.*}} : i64
// CHECK: scf.if
// CHECK: %[[PLACE:.+]] = llvm.atomicrmw uinc_wrap
// CHECK: llvm.icmp "slt" %[[PLACE]], %[[LIST]]
// CHECK: nvvm.barrier0
// CHECK: %[[TOO_LONG:.+]] = llvm.icmp "sgt" %{{.+}}, %[[LIST]]
// CHECK: scf.if %[[TOO_LONG]]
// CHECK: scf.for {{.*}} iter_args(%[[BEFORE:.+]] =
// CHECK: scf.for {{.*}} iter_args(%[[SO_FAR:.+]] =
// CHECK: %[[IS_LEFT:.+]] = llvm.icmp "ult" %[[CANDIDATE:.+]], %[[BEFORE]]
// CHECK: %[[LEFT:.+]] = llvm.select %[[IS_LEFT]], %[[CANDIDATE]], %[[NOTHING]]
// CHECK: llvm.intr.umax(%[[SO_FAR]], %[[LEFT]])
// CHECK-COUNT-2: nvvm.redux.sync umax
// CHECK-COUNT-2: nvvm.barrier0
// CHECK: } else {
// The ranks.
// CHECK: scf.for
// CHECK: scf.for
// CHECK: %[[IS_LARGER:.+]] = llvm.icmp "ugt"
// CHECK: %[[ONE:.+]] = llvm.zext %[[IS_LARGER]] : i1 to i32
// CHECK: llvm.add %{{.+}}, %[[ONE]]
// CHECK: nvvm.barrier0
// CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> i64
// A candidate's column comes back as it went.
// CHECK: %[[LOW:.+]] = llvm.extractelement %{{.+}}[%[[ZERO]] : i32] : vector<2xi32>
// CHECK: %[[COLUMN:.+]] = llvm.sub %[[MOST]], %[[LOW]] : i32
// CHECK: llvm.zext %[[COLUMN]] : i32 to i64
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

#row2 = #smx_gpu.striped<rows = 1, columns = 32, vector = 4>
#rank = #smx_gpu.striped<rows = 1, columns = 32, vector = 1>

// A lane reads what was found for its ranks: 34 of them are two registers, and what is behind reads the last one.
// CHECK-LABEL: llvm.func @ranks
// CHECK: %[[LAST:.+]] = llvm.mlir.constant(33 : i32)
// CHECK-COUNT-2: llvm.intr.umin(%{{.+}}, %[[LAST]])
// CHECK-NOT: llvm.intr.umin(%{{.+}}, %[[LAST]])
// CHECK: llvm.return
smx_gpu.kernel @ranks(%x: memref<?x256xf32>, %y: memref<?x64xf32>, %i: memref<?x64xindex>) warps(1) {
  %c0 = arith.constant 0 : index
  %t = smx_gpu.load %x[%c0, %c0] dims [-1, 1] {aligned = 16 : i64} : memref<?x256xf32> -> tensor<1x256xf32, #row2>
  %v, %c = smx_gpu.largest %t ranks(34) : tensor<1x256xf32, #row2> -> tensor<1x64xf32, #rank> at tensor<1x64xindex, #rank>
  smx_gpu.store %v, %y[%c0, %c0] dims [-1, 1] : tensor<1x64xf32, #rank>, memref<?x64xf32>
  smx_gpu.store %c, %i[%c0, %c0] dims [-1, 1] : tensor<1x64xindex, #rank>, memref<?x64xindex>
  smx_gpu.return
}

#wide = #smx_gpu.striped<rows = 1, columns = 128, vector = 8>
#rank128 = #smx_gpu.striped<rows = 1, columns = 128, vector = 1>

// Ranks that a warp has: the others do not wait for them, nor read what it writes. In a loop nobody writes before all have read
// what was there, and two lanes look at each of 64 maxima.
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

#of_threads = #smx_gpu.slice<1, #smx_gpu.striped<rows = 64, columns = 1, vector = 8>>

// A thread whose other rounds have nothing that reaches the bound hands in that of its maximum, 2 of 8 runs. NaN is in no round.
// CHECK-LABEL: llvm.func @rounds
// CHECK: %[[LEAST:.+]] = nvvm.redux.sync umin
// CHECK: %[[IS_BELOW:.+]] = llvm.icmp "ult" %[[SECOND:.+]], %[[LEAST]] : i32
// CHECK: %[[IS_NUMBER:.+]] = llvm.icmp "ne" %{{.+}}, %[[ONES:.+]] : i32
// CHECK: %[[IS_ALONE:.+]] = llvm.and %[[IS_BELOW]], %[[IS_NUMBER]]
// CHECK: %[[FIRST:.+]] = llvm.lshr %{{.+}}, %{{.+}} : i32
// CHECK: %[[BEHIND:.+]] = llvm.add %[[FIRST]], %{{.+}}
// The last round may be shorter.
// CHECK: %[[END:.+]] = llvm.intr.umin(%[[BEHIND]], %{{.+}})
// CHECK: llvm.select %[[IS_ALONE]], %[[FIRST]],
// CHECK: llvm.select %[[IS_ALONE]], %[[END]],
// Of what was handed in only these runs are read, four of a thread at a time; those that reach the bound are read again.
// CHECK: scf.for
// CHECK-COUNT-4: ld.global
// CHECK-COUNT-4: llvm.fcmp "uge"
// CHECK: llvm.intr.ctpop
// CHECK: scf.for
// CHECK: llvm.load {{.*}} : !llvm.ptr<1> -> vector<8xbf16>
// The element of such a run: its word, then its half.
// CHECK: %[[BIT:.+]] = "llvm.intr.cttz"
// CHECK: llvm.and %[[BIT]],
// CHECK-COUNT-4: llvm.select
// CHECK: %[[ELEMENT:.+]] = llvm.trunc %{{.+}} : i32 to i16
// CHECK: llvm.bitcast %[[ELEMENT]] : i16 to bf16
// CHECK: llvm.return
smx_gpu.kernel @rounds(%x: memref<?x4096xbf16>, %y: memref<?xbf16>, %i: memref<?xindex>, %start: i32, %second: f32) warps(2) {
  %c0 = arith.constant 0 : index
  %t = smx_gpu.load %x[%c0, %c0] dims [-1, 1] {aligned = 16 : i64} : memref<?x4096xbf16> -> tensor<1x4096xbf16, #row>
  %m = smx_gpu.partial_reduce <maximum> %t : tensor<1x4096xbf16, #row> -> tensor<1x512xbf16, #row>
  %starts = tensor.splat %start : tensor<64xi32, #of_threads>
  %narrow = arith.truncf %second : f32 to bf16
  %seconds = tensor.splat %narrow : tensor<64xbf16, #of_threads>
  %v:2, %c:2 = smx_gpu.largest %m of %x[%c0, %c0] extent(4096) rounds(%starts, %seconds span 1024) {aligned = 16 : i64}
      : tensor<1x512xbf16, #row>, memref<?x4096xbf16> rounds tensor<64xi32, #of_threads>, tensor<64xbf16, #of_threads>
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

// Of a row of which not all may be there the end is known when it runs, a multiple of the alignment; and what is not found has no
// order.
// CHECK-LABEL: llvm.func @valid
// CHECK-SAME: (%{{[^,]+}}: !llvm.ptr{{.*}}, %[[N:[a-z0-9]+]]: i64)
// CHECK-DAG: %[[NOTHING:.+]] = llvm.mlir.constant(0 : i64)
// CHECK-DAG: %[[BEFORE:.+]] = llvm.mlir.constant(-8 : i32)
// CHECK: %[[CLAMPED:.+]] = llvm.intr.smin(
// CHECK: %[[VALID:.+]] = llvm.trunc %[[CLAMPED]]
// CHECK-COUNT-3: llvm.store %[[NOTHING]], %{{.+}} : i64, !llvm.ptr<3>
// CHECK: llvm.atomicrmw uinc_wrap
// CHECK: %[[END:.+]] = llvm.add %[[VALID]], %[[BEFORE]]
// CHECK: llvm.intr.umin(%{{.+}}, %[[END]])
// CHECK: llvm.load {{.*}} : !llvm.ptr<1> -> vector<8xbf16>
// CHECK: llvm.icmp "slt" %{{.+}}, %[[VALID]] : i32
// CHECK: llvm.and
// CHECK: scf.if
// CHECK: llvm.intr.cttz
// CHECK-NOT: llvm.icmp "slt" %{{.+}}, %[[VALID]] : i32
// CHECK: llvm.atomicrmw uinc_wrap
// CHECK: llvm.return
smx_gpu.kernel @valid(%x: memref<?x4096xbf16>, %y: memref<?xbf16>, %i: memref<?xindex>, %n: index) warps(2) {
  %c0 = arith.constant 0 : index
  %t = smx_gpu.load %x[%c0, %c0] dims [-1, 1] {aligned = 16 : i64} : memref<?x4096xbf16> -> tensor<1x512xbf16, #row>
  %v:2, %c:2 = smx_gpu.largest %t of %x[%c0, %c0] extent(4096) valid(%n) {aligned = 16 : i64} : tensor<1x512xbf16, #row>, memref<?x4096xbf16>
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
// CHECK-DAG: %[[THREADS:.+]] = llvm.mlir.constant(128 : i32)
// CHECK-DAG: %[[FOUR:.+]] = llvm.mlir.constant(4 : i32)
// CHECK: } else {
// CHECK-NOT: scf.if
// CHECK: scf.for {{.*}} step %[[THREADS]]
// CHECK: scf.for {{.*}} step %[[FOUR]]
// CHECK-COUNT-2: llvm.load {{.*}} : !llvm.ptr<3> -> vector<2xi64>
// CHECK-COUNT-4: llvm.icmp "ugt"
// CHECK-NOT: scf.for
// CHECK: nvvm.barrier0
// CHECK: llvm.return
smx_gpu.kernel @all_rank(%x: memref<?x1024xbf16>, %y: memref<?x128xbf16>) warps(4) {
  %c0 = arith.constant 0 : index
  %t = smx_gpu.load %x[%c0, %c0] dims [-1, 1] {aligned = 16 : i64} : memref<?x1024xbf16> -> tensor<1x1024xbf16, #wide>
  %v, %c = smx_gpu.largest %t ranks(64) : tensor<1x1024xbf16, #wide> -> tensor<1x128xbf16, #rank128> at tensor<1x128xindex, #rank128>
  smx_gpu.store %v, %y[%c0, %c0] dims [-1, 1] : tensor<1x128xbf16, #rank128>, memref<?x128xbf16>
  smx_gpu.return
}
