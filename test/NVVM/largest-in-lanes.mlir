// The largest elements of rows that lanes of a warp hold: each lane lists its largest keys.
// RUN: softmax-opt %s --smx-gpu-to-nvvm --canonicalize --cse | FileCheck %s

#pair = #smx_gpu.striped<rows = 16, columns = 2, vector = 4>
#ranks_of_pair = #smx_gpu.striped<rows = 16, columns = 2, vector = 1>

// A key is a word: the order of 16 bits, of two elements at once, and the complement of the column. -0 + 0 is 0, and one NaN.
// CHECK-LABEL: llvm.func @words
// CHECK-DAG: %[[C16:.+]] = llvm.mlir.constant(16 : i32)
// CHECK-DAG: %[[UPPER:.+]] = llvm.mlir.constant(-65536 : i32)
// CHECK-DAG: %[[LAST:.+]] = llvm.mlir.constant(65535 : i32)
// CHECK-DAG: %[[SIGNS:.+]] = llvm.mlir.constant(48025 : i32)
// CHECK-DAG: %[[POSITIVE:.+]] = llvm.mlir.constant(-2147450880 : i32)
// CHECK-NOT: llvm.alloca
// CHECK: %[[SUMS:.+]] = llvm.intr.fma(%{{.+}}, %{{.+}}, %{{.+}}) : (vector<2xbf16>,
// CHECK: %[[BITS:.+]] = llvm.bitcast %[[SUMS]] : vector<2xbf16> to i32
// CHECK: %[[NEGATIVE:.+]] = llvm.call_intrinsic "llvm.nvvm.prmt"(%[[BITS]], %{{.+}}, %[[SIGNS]])
// CHECK: %[[FLIPPED:.+]] = llvm.or %[[NEGATIVE]], %[[POSITIVE]]
// CHECK: %[[ORDERS:.+]] = llvm.xor %[[BITS]], %[[FLIPPED]]
// CHECK: %[[FIRST:.+]] = llvm.shl %[[ORDERS]], %[[C16]]
// CHECK: %[[PLACE:.+]] = llvm.sub %[[LAST]], %{{.+}}
// CHECK: %[[KEY:.+]] = llvm.or %[[FIRST]], %[[PLACE]]
// CHECK: %[[SECOND:.+]] = llvm.and %[[ORDERS]], %[[UPPER]]
// CHECK: llvm.or %[[SECOND]],
// Two keys are sorted, and merged with those before. No f64, no shared memory, and no loop.
// CHECK-DAG: llvm.intr.umin(%[[KEY]],
// CHECK-DAG: llvm.intr.umax(%[[KEY]],
// CHECK-NOT: llvm.ptr<3>
// CHECK-NOT: f64
// CHECK-NOT: scf.
// The larger first key of two lanes; who had it has the next one in its place.
// CHECK: %[[OTHER:.+]] = nvvm.shfl.sync bfly %{{.+}}, %[[MINE:.+]], %{{.+}}, %{{.+}}
// CHECK: %[[LARGEST:.+]] = llvm.intr.umax(%[[MINE]], %[[OTHER]])
// CHECK: %[[IS_MINE:.+]] = llvm.icmp "eq" %[[MINE]], %[[LARGEST]]
// CHECK: %[[NEXT:.+]] = llvm.select %[[IS_MINE]], %{{.+}}, %[[MINE]]
// CHECK: nvvm.shfl.sync bfly %{{.+}}, %[[NEXT]],
// CHECK: %[[SECOND:.+]] = llvm.intr.umax(%[[NEXT]],
// Lane 0 has the first rank, and lane 1 the second.
// CHECK: llvm.select %{{.+}}, %[[LARGEST]], %[[SECOND]]
// CHECK: llvm.return
smx_gpu.kernel @words(%x: memref<?x16xbf16>, %y: memref<?x2xbf16>, %i: memref<?x2xindex>) warps(1) {
  %c0 = arith.constant 0 : index
  %t = smx_gpu.load %x[%c0, %c0] dims [0, 1] {aligned = 16 : i64} : memref<?x16xbf16> -> tensor<16x16xbf16, #pair>
  %v, %c = smx_gpu.largest %t ranks(2) : tensor<16x16xbf16, #pair> -> tensor<16x2xbf16, #ranks_of_pair> at tensor<16x2xindex, #ranks_of_pair>
  smx_gpu.store %v, %y[%c0, %c0] dims [0, 1] : tensor<16x2xbf16, #ranks_of_pair>, memref<?x2xbf16>
  smx_gpu.store %c, %i[%c0, %c0] dims [0, 1] : tensor<16x2xindex, #ranks_of_pair>, memref<?x2xindex>
  smx_gpu.return
}

#lane = #smx_gpu.striped<rows = 32, columns = 1, vector = 3>
#ranks_of_lane = #smx_gpu.striped<rows = 32, columns = 1, vector = 1>

// A lane that has a row to itself asks no other one. The last of an odd number of elements is in both halves of a word.
// CHECK-LABEL: llvm.func @lane
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.nvvm.prmt"
// CHECK-NOT: llvm.call_intrinsic "llvm.nvvm.prmt"
// CHECK-NOT: nvvm.shfl
// CHECK: llvm.return
smx_gpu.kernel @lane(%x: memref<?x3xf16>, %y: memref<?x2xf16>, %i: memref<?x2xindex>) warps(1) {
  %c0 = arith.constant 0 : index
  %t = smx_gpu.load %x[%c0, %c0] dims [0, 1] : memref<?x3xf16> -> tensor<32x3xf16, #lane>
  %v, %c = smx_gpu.largest %t ranks(2) : tensor<32x3xf16, #lane> -> tensor<32x2xf16, #ranks_of_lane> at tensor<32x2xindex, #ranks_of_lane>
  smx_gpu.store %v, %y[%c0, %c0] dims [0, 1] : tensor<32x2xf16, #ranks_of_lane>, memref<?x2xf16>
  smx_gpu.store %c, %i[%c0, %c0] dims [0, 1] : tensor<32x2xindex, #ranks_of_lane>, memref<?x2xindex>
  smx_gpu.return
}

#warp = #smx_gpu.striped<rows = 1, columns = 32, vector = 8>
#ranks_of_warp = #smx_gpu.striped<rows = 1, columns = 32, vector = 1>

// Of 5 results a lane of 32 lists 3. Each round gives one; where a list is out of keys all are made again, of those below.
// CHECK-LABEL: llvm.func @warp
// CHECK: %[[ROUNDS:.+]]:4 = scf.for %[[ROUND:.+]] = {{.*}} iter_args(%[[A:.+]] = %{{.+}}, %[[B:.+]] = %{{.+}}, %[[C:.+]] = %{{.+}}, %[[FOUND:.+]] = %{{.+}})
// CHECK: %[[FIRST:.+]] = nvvm.redux.sync umax %[[A]],
// CHECK: %[[IS_MINE:.+]] = llvm.icmp "eq" %[[A]], %[[FIRST]]
// CHECK: %[[NEXT:.+]] = llvm.select %[[IS_MINE]], %[[B]], %[[A]]
// CHECK: %[[IS_OUT:.+]] = llvm.icmp "eq" %[[NEXT]], %{{.+}} : i32
// CHECK: %[[IS_ONE_OUT:.+]] = nvvm.vote.sync {{.*}}any {{.*}}%[[IS_OUT]]
// CHECK: scf.if %[[IS_ONE_OUT]]
// CHECK-COUNT-16: llvm.icmp "ult" %{{.+}}, %[[FIRST]]
// CHECK: } else {
// CHECK: scf.yield %[[NEXT]],
// Behind the last rank a lane has the last one.
// CHECK: %[[IS_BEFORE:.+]] = llvm.icmp "slt" %{{.+}}, %[[ROUND]]
// CHECK: %[[KEPT:.+]] = llvm.select %[[IS_BEFORE]], %[[FOUND]], %[[FIRST]]
// CHECK: scf.yield {{.*}}, %[[KEPT]]
// CHECK: llvm.return
smx_gpu.kernel @warp(%x: memref<?x512xbf16>, %y: memref<?x5xbf16>, %i: memref<?x5xindex>) warps(1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %t = smx_gpu.load %x[%c0, %c0] dims [-1, 1] {aligned = 16 : i64} : memref<?x512xbf16> -> tensor<1x512xbf16, #warp>
  %v, %c = smx_gpu.largest %t ranks(5) : tensor<1x512xbf16, #warp> -> tensor<1x32xbf16, #ranks_of_warp> at tensor<1x32xindex, #ranks_of_warp>
  smx_gpu.store %v, %y[%c0, %c0] valid(%c1, %c5) dims [-1, 1] : tensor<1x32xbf16, #ranks_of_warp>, memref<?x5xbf16>
  smx_gpu.store %c, %i[%c0, %c0] valid(%c1, %c5) dims [-1, 1] : tensor<1x32xindex, #ranks_of_warp>, memref<?x5xindex>
  smx_gpu.return
}

#four = #smx_gpu.striped<rows = 8, columns = 4, vector = 4>
#value_of_four = #smx_gpu.slice<1, #four>

// An f32 and its column take two words. Without ranks all lanes have all results; of one or two, nothing is cut.
// CHECK-LABEL: llvm.func @wide
// CHECK-NOT: llvm.ptr<3>
// CHECK: llvm.intr.umax(%{{.+}}, %{{.+}}) : (i64, i64)
// CHECK-COUNT-8: nvvm.shfl.sync bfly
// CHECK-NOT: nvvm.shfl.sync bfly
// CHECK: llvm.return
smx_gpu.kernel @wide(%x: memref<?x16xf32>, %y: memref<?xf32>, %i: memref<?xindex>) warps(1) {
  %c0 = arith.constant 0 : index
  %t = smx_gpu.load %x[%c0, %c0] dims [0, 1] {aligned = 16 : i64} : memref<?x16xf32> -> tensor<8x16xf32, #four>
  %v:2, %c:2 = smx_gpu.largest %t : tensor<8x16xf32, #four> -> tensor<8xf32, #value_of_four>, tensor<8xf32, #value_of_four>
      at tensor<8xindex, #value_of_four>, tensor<8xindex, #value_of_four>
  smx_gpu.store %v#1, %y[%c0] dims [0] : tensor<8xf32, #value_of_four>, memref<?xf32>
  smx_gpu.store %c#1, %i[%c0] dims [0] : tensor<8xindex, #value_of_four>, memref<?xindex>
  smx_gpu.return
}

// Keys of a few f32 elements are cut: below 28 bits of an order is the complement of one of 16 columns. Lanes take elements from shared
// memory.
// CHECK-LABEL: llvm.func @cut
// CHECK-DAG: %[[C4:.+]] = llvm.mlir.constant(4 : i32)
// CHECK-DAG: %[[PLACES:.+]] = llvm.mlir.constant(16 : i32)
// CHECK-DAG: %[[LAST:.+]] = llvm.mlir.constant(15 : i32)
// CHECK-DAG: %[[UPPER:.+]] = llvm.mlir.constant(-16 : i32)
// CHECK: llvm.store %[[ELEMENTS:.+]], %[[OF_LANE:.+]] {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<3>
// CHECK: nvvm.bar.warp.sync
// CHECK: %[[BITS:.+]] = llvm.and %{{.+}}, %[[UPPER]]
// CHECK: %[[PLACE:.+]] = llvm.sub %[[LAST]], %{{.+}}
// CHECK: %[[KEY:.+]] = llvm.or %[[BITS]], %[[PLACE]]
// CHECK: llvm.intr.umax(%[[KEY]], %{{.+}}) : (i32, i32)
// Three results, and in each lane the key behind them.
// CHECK-COUNT-4: nvvm.shfl.sync bfly
// CHECK: llvm.intr.umax
// CHECK-COUNT-2: nvvm.shfl.sync bfly
// CHECK: %[[THIRD:.+]] = llvm.intr.umax
// CHECK-NEXT: %[[IS_MINE:.+]] = llvm.icmp "eq" %[[MINE:.+]], %[[THIRD]]
// CHECK-NEXT: %[[NEXT:.+]] = llvm.select %[[IS_MINE]], %{{.+}}, %[[MINE]]
// Do two of them agree in their upper bits?
// CHECK-NEXT: %[[DIFFERENT:.+]] = llvm.xor %[[NEXT]], %[[THIRD]]
// CHECK-NEXT: llvm.icmp "ult" %[[DIFFERENT]], %[[PLACES]]
// CHECK-COUNT-2: llvm.icmp "ult" %{{.+}}, %[[PLACES]]
// CHECK-NOT: llvm.icmp
// CHECK: %[[ARE_CLOSE:.+]] = nvvm.vote.sync {{.*}}any
// Then whole elements are compared, of results and of a lane.
// CHECK-NEXT: %[[IS_WRONG:.+]] = scf.if %[[ARE_CLOSE]] -> (i1)
// CHECK-COUNT-3: llvm.load %{{.+}} {alignment = 4 : i64} : !llvm.ptr<3> -> f32
// CHECK: llvm.load %[[OF_LANE]] {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
// CHECK: %[[IS_NONE:.+]] = llvm.icmp "ult" %{{.+}}, %[[THIRD]]
// CHECK-NEXT: %[[IS_LARGER:.+]] = llvm.icmp "ult" %{{.+}}, %{{.+}}
// CHECK-NEXT: llvm.and %[[IS_NONE]], %[[IS_LARGER]]
// CHECK: nvvm.vote.sync {{.*}}any
// CHECK: } else {
// CHECK-NEXT: scf.yield %{{.+}} : i1
// And where they are in another order, keys of two words.
// CHECK: scf.if %[[IS_WRONG]] -> (f32, i64)
// CHECK: llvm.load %[[OF_LANE]] {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
// CHECK: scf.for {{.*}} -> (i64, i64,
// CHECK: llvm.icmp "eq" %{{.+}}, %{{.+}} : i64
// CHECK: %[[OF_THIRD:.+]] = llvm.and %[[THIRD]], %[[LAST]]
// CHECK-NEXT: %[[COLUMN:.+]] = llvm.sub %[[LAST]], %[[OF_THIRD]]
// CHECK: %[[BYTES:.+]] = llvm.mul %{{.+}}, %[[C4]]
// CHECK-NEXT: %[[AT:.+]] = llvm.getelementptr %{{.+}}[%[[BYTES]]]
// CHECK-NEXT: %[[ELEMENT:.+]] = llvm.load %[[AT]] {alignment = 4 : i64} : !llvm.ptr<3> -> f32
// CHECK-NEXT: scf.yield %[[ELEMENT]], %{{.+}} : f32, i64
// CHECK: llvm.return
smx_gpu.kernel @cut(%x: memref<?x16xf32>, %y: memref<?xf32>, %i: memref<?xindex>) warps(1) {
  %c0 = arith.constant 0 : index
  %t = smx_gpu.load %x[%c0, %c0] dims [0, 1] {aligned = 16 : i64} : memref<?x16xf32> -> tensor<8x16xf32, #four>
  %v:3, %c:3 = smx_gpu.largest %t : tensor<8x16xf32, #four> -> tensor<8xf32, #value_of_four>, tensor<8xf32, #value_of_four>, tensor<8xf32, #value_of_four>
      at tensor<8xindex, #value_of_four>, tensor<8xindex, #value_of_four>, tensor<8xindex, #value_of_four>
  smx_gpu.store %v#2, %y[%c0] dims [0] : tensor<8xf32, #value_of_four>, memref<?xf32>
  smx_gpu.store %c#2, %i[%c0] dims [0] : tensor<8xindex, #value_of_four>, memref<?xindex>
  smx_gpu.return
}
