// The largest of a row that a warp holds: a bound that k sets of elements reach, a list of what reaches it, and a sort.
// RUN: softmax-opt %s --smx-gpu-to-nvvm=chip=sm_90 --canonicalize --cse | FileCheck %s
// RUN: softmax-opt %s --smx-gpu-to-nvvm=chip=sm_80 --canonicalize --cse | FileCheck %s --check-prefix=OLD

#row = #smx_gpu.striped<rows = 1, columns = 32, vector = 8>
#ranks = #smx_gpu.striped<rows = 1, columns = 32, vector = 1>

// A row of 2 KiB and a list of 32 words. For k = 5 a lane has one set: the maxima of pairs, then of both.
// CHECK-LABEL: llvm.func @narrow
// CHECK-SAME: smx.shared_bytes = 2176 : i64
// CHECK-COUNT-4: llvm.store {{.*}} : vector<8xbf16>, !llvm.ptr<3>
// CHECK-COUNT-15: llvm.intr.maximum{{.*}} : (vector<2xbf16>, vector<2xbf16>)
// CHECK: llvm.intr.maximum{{.*}} : (bf16, bf16)
// Its order, which is not above that of infinity.
// CHECK: %[[ORDER:.+]] = llvm.intr.umin({{.*}}) : (i32, i32)
// CHECK: %[[LOWEST:.+]] = nvvm.redux.sync umin %[[ORDER]],
// CHECK: %[[HIGHEST:.+]] = nvvm.redux.sync umax %[[ORDER]],
// CHECK: %[[END:.+]] = llvm.add %[[HIGHEST]],
// Orders between are halved until the sets that reach one are few enough.
// CHECK: %[[BOUND:.+]]:3 = scf.while (%[[LOW:.+]] = %[[LOWEST]], %[[REACHED:.+]] = %{{.+}}, %[[HIGH:.+]] = %[[END]])
// CHECK: scf.condition
// CHECK: %[[WIDTH:.+]] = llvm.sub %[[UPPER:.+]], %[[LOWER:.+]] : i32
// CHECK: %[[HALF:.+]] = llvm.lshr %[[WIDTH]],
// CHECK: %[[MIDDLE:.+]] = llvm.add %[[LOWER]], %[[HALF]]
// CHECK: llvm.icmp "uge" %[[ORDER]], %[[MIDDLE]]
// CHECK: nvvm.redux.sync add
// Pairs of elements are compared at once, and marked in one word.
// CHECK-COUNT-16: set.geu.u32.bf16x2
// CHECK-NOT: set.geu
// CHECK: %[[MARKED:.+]] = llvm.intr.ctpop
// CHECK: %[[ALL:.+]] = nvvm.redux.sync add %[[MARKED]],
// Where these are more than the list holds, a bound of all elements; of equal ones, greater ones and the first columns.
// CHECK: %[[TOO_MANY:.+]] = llvm.icmp "slt" %{{.+}}, %[[ALL]]
// CHECK: %[[MARKS:.+]] = scf.if %[[TOO_MANY]] -> (i32)
// CHECK: scf.while
// CHECK-COUNT-16: set.geu.u32.bf16x2
// CHECK-COUNT-16: set.geu.u32.bf16x2
// CHECK-COUNT-16: set.gtu.u32.bf16x2
// CHECK: scf.while
// CHECK: scf.yield
// CHECK: } else {
// A lane lists its elements behind those of the lanes before.
// CHECK: nvvm.bar.warp.sync
// CHECK-COUNT-5: nvvm.shfl.sync up
// CHECK: scf.for
// CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> vector<1xbf16>
// CHECK: llvm.store {{.*}} : i32, !llvm.ptr<3>
// CHECK: nvvm.bar.warp.sync
// A word of each lane is sorted: 15 exchanges.
// CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> vector<1xi32>
// CHECK-COUNT-15: nvvm.shfl.sync bfly
// CHECK-NOT: nvvm.shfl.sync
// CHECK: nvvm.bar.warp.sync
// CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> i32
// CHECK: llvm.return
// Before sm_90 bf16 is compared as f32.
// OLD-LABEL: llvm.func @narrow
// OLD-NOT: bf16x2
// OLD: llvm.fcmp "uge" {{.*}} : f32
// OLD: llvm.return
smx_gpu.kernel @narrow(%x: memref<?x1024xbf16>, %y: memref<?x32xbf16>, %i: memref<?x32xindex>) warps(1) {
  %c0 = arith.constant 0 : index
  %t = smx_gpu.load %x[%c0, %c0] dims [-1, 1] {aligned = 16 : i64} : memref<?x1024xbf16> -> tensor<1x1024xbf16, #row>
  %v, %c = smx_gpu.largest %t ranks(5) : tensor<1x1024xbf16, #row> -> tensor<1x32xbf16, #ranks> at tensor<1x32xindex, #ranks>
  smx_gpu.store %v, %y[%c0, %c0] dims [-1, 1] : tensor<1x32xbf16, #ranks>, memref<?x32xbf16>
  smx_gpu.store %c, %i[%c0, %c0] dims [-1, 1] : tensor<1x32xindex, #ranks>, memref<?x32xindex>
  smx_gpu.return
}

#words = #smx_gpu.striped<rows = 1, columns = 32, vector = 4>

// Of f32 a lane has 4 sets of 8 for k = 50, and sorts 4 keys of two words.
// CHECK-LABEL: llvm.func @wide
// CHECK-SAME: smx.shared_bytes = 5120 : i64
// CHECK-COUNT-28: llvm.intr.maximum{{.*}} : (f32, f32)
// CHECK: scf.while
// CHECK-COUNT-4: llvm.icmp "uge"
// CHECK-COUNT-32: llvm.fcmp "uge"
// CHECK: llvm.store {{.*}} : i64, !llvm.ptr<3>
// CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> vector<4xi64>
// CHECK-COUNT-120: nvvm.shfl.sync bfly
// CHECK-NOT: nvvm.shfl.sync
// CHECK: llvm.return
smx_gpu.kernel @wide(%x: memref<?x1024xf32>, %y: memref<?x64xf32>, %i: memref<?x64xindex>) warps(1) {
  %c0 = arith.constant 0 : index
  %t = smx_gpu.load %x[%c0, %c0] dims [-1, 1] {aligned = 16 : i64} : memref<?x1024xf32> -> tensor<1x1024xf32, #words>
  %v, %c = smx_gpu.largest %t ranks(50) : tensor<1x1024xf32, #words> -> tensor<1x64xf32, #ranks> at tensor<1x64xindex, #ranks>
  smx_gpu.store %v, %y[%c0, %c0] dims [-1, 1] : tensor<1x64xf32, #ranks>, memref<?x64xf32>
  smx_gpu.store %c, %i[%c0, %c0] dims [-1, 1] : tensor<1x64xindex, #ranks>, memref<?x64xindex>
  smx_gpu.return
}

// Of a short row all keys are sorted, 4 of a lane: there is no bound.
// CHECK-LABEL: llvm.func @short
// CHECK-SAME: smx.shared_bytes = 512 : i64
// CHECK-NOT: scf.
// CHECK-COUNT-60: nvvm.shfl.sync bfly
// CHECK: llvm.return
smx_gpu.kernel @short(%x: memref<?x128xbf16>, %y: memref<?x64xbf16>) warps(1) {
  %c0 = arith.constant 0 : index
  %t = smx_gpu.load %x[%c0, %c0] dims [-1, 1] {aligned = 8 : i64} : memref<?x128xbf16> -> tensor<1x128xbf16, #words>
  %v, %c = smx_gpu.largest %t ranks(64) : tensor<1x128xbf16, #words> -> tensor<1x64xbf16, #ranks> at tensor<1x64xindex, #ranks>
  smx_gpu.store %v, %y[%c0, %c0] dims [-1, 1] : tensor<1x64xbf16, #ranks>, memref<?x64xbf16>
  smx_gpu.return
}

// One result equals the maximum: no bound, no list. NaN, which infinity does not say, is looked for apart. Of 64 elements of a lane
// the first of two words that has a mark counts, and of all lanes the first column.
// CHECK-LABEL: llvm.func @one
// CHECK-SAME: smx.shared_bytes = 0 : i64
// CHECK: %[[MOST:.+]] = nvvm.redux.sync umax
// CHECK: %[[MAY_BE_NAN:.+]] = llvm.icmp "eq" %[[MOST]], %{{.+}} : i32
// CHECK: %[[OF_NAN:.+]] = scf.if %[[MAY_BE_NAN]] -> (i32)
// CHECK-COUNT-32: set.gtu.u32.bf16x2
// CHECK: nvvm.redux.sync umin
// CHECK: } else {
// CHECK-COUNT-32: set.geu.u32.bf16x2
// CHECK-NOT: set.geu
// CHECK: %[[SECOND:.+]] = llvm.select
// CHECK: %[[FIRST:.+]] = llvm.select %{{.+}}, %{{.+}}, %[[SECOND]]
// CHECK: %[[COLUMN:.+]] = nvvm.redux.sync umin %[[FIRST]],
// CHECK: llvm.select %{{.+}}, %[[OF_NAN]], %[[COLUMN]] : i1, i32
// CHECK-NOT: !llvm.ptr<3>
// CHECK: llvm.return
smx_gpu.kernel @one(%x: memref<?x2048xbf16>, %y: memref<?x1xbf16>, %i: memref<?x1xindex>) warps(1) {
  %c0 = arith.constant 0 : index
  %t = smx_gpu.load %x[%c0, %c0] dims [-1, 1] {aligned = 16 : i64} : memref<?x2048xbf16> -> tensor<1x2048xbf16, #row>
  %v, %c = smx_gpu.largest %t : tensor<1x2048xbf16, #row> -> tensor<1xbf16, #smx_gpu.slice<1, #row>> at tensor<1xindex, #smx_gpu.slice<1, #row>>
  smx_gpu.store %v, %y[%c0, %c0] dims [-1] : tensor<1xbf16, #smx_gpu.slice<1, #row>>, memref<?x1xbf16>
  smx_gpu.store %c, %i[%c0, %c0] dims [-1] : tensor<1xindex, #smx_gpu.slice<1, #row>>, memref<?x1xindex>
  smx_gpu.return
}
