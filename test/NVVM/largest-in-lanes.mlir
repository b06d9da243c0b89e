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
// CHECK-COUNT-32: llvm.icmp "ult" %{{.+}}, %[[FIRST]]
// CHECK: } else {
// CHECK: scf.yield %[[NEXT]],
// Behind the last rank a lane has the last one.
// CHECK: %[[IS_BEFORE:.+]] = llvm.icmp "slt" %{{.+}}, %[[ROUND]]
// CHECK: %[[KEPT:.+]] = llvm.select %[[IS_BEFORE]], %[[FOUND]], %[[FIRST]]
// CHECK: scf.yield {{.*}}, %[[KEPT]]
// CHECK: llvm.return
smx_gpu.kernel @warp(%x: memref<?x1024xbf16>, %y: memref<?x5xbf16>, %i: memref<?x5xindex>) warps(1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %t = smx_gpu.load %x[%c0, %c0] dims [-1, 1] {aligned = 16 : i64} : memref<?x1024xbf16> -> tensor<1x1024xbf16, #warp>
  %v, %c = smx_gpu.largest %t ranks(5) : tensor<1x1024xbf16, #warp> -> tensor<1x32xbf16, #ranks_of_warp> at tensor<1x32xindex, #ranks_of_warp>
  smx_gpu.store %v, %y[%c0, %c0] valid(%c1, %c5) dims [-1, 1] : tensor<1x32xbf16, #ranks_of_warp>, memref<?x5xbf16>
  smx_gpu.store %c, %i[%c0, %c0] valid(%c1, %c5) dims [-1, 1] : tensor<1x32xindex, #ranks_of_warp>, memref<?x5xindex>
  smx_gpu.return
}

#four = #smx_gpu.striped<rows = 8, columns = 4, vector = 4>
#value_of_four = #smx_gpu.slice<1, #four>

// An f32 and its column take two words. Without ranks all lanes have all results.
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
