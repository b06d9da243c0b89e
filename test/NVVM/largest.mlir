// The largest elements: a bound from the maxima of lanes, elements of the threads that reach it, one warp that lists and
// ranks those; where equal elements do not fit the list, the largest that is left, again and again.
// RUN: softmax-opt %s --smx-gpu-to-nvvm --canonicalize --cse | FileCheck %s

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 8>
#value = #smx_gpu.slice<1, #row>

// 4 sets of 16 lanes, slots of 64 threads, a list of 64, an exchange of 2 warps, and 2 results.
// CHECK-LABEL: llvm.func @warps
// CHECK-SAME: smx.shared_bytes = 3648 : i64
// The number of slots, and the bound.
// CHECK: nvvm.barrier0
// CHECK: llvm.intr.maximum{{.*}} : {{.*}}vector<2xbf16>
// CHECK-COUNT-4: nvvm.shfl.sync bfly
// CHECK: nvvm.barrier0
// CHECK: scf.while
// CHECK: nvvm.redux.sync umax
// CHECK: nvvm.vote.sync ballot
// CHECK: llvm.intr.ctpop
// A thread hands in its registers as they are.
// CHECK: %[[REACHES:.+]] = llvm.icmp "uge"
// CHECK: scf.if %[[REACHES]]
// CHECK: llvm.atomicrmw add {{.*}} monotonic : !llvm.ptr<3>, i32
// CHECK-COUNT-2: llvm.store {{.*}} : vector<8xbf16>, !llvm.ptr<3>
// CHECK: nvvm.barrier0
// The list, and the ranks.
// CHECK: scf.for
// CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> bf16
// CHECK: nvvm.vote.sync ballot
// CHECK: scf.for
// CHECK: scf.for
// CHECK: llvm.icmp "ugt"
// CHECK: nvvm.barrier0
// CHECK: %[[FITS:.+]] = llvm.icmp "sle"
// CHECK: %[[TOO_LONG:.+]] = llvm.xor %[[FITS]]
// CHECK: scf.if %[[TOO_LONG]]
// CHECK: scf.for
// CHECK: llvm.icmp "ult"
// CHECK-COUNT-2: nvvm.redux.sync umax
// CHECK-COUNT-2: nvvm.barrier0
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

// A warp that holds a row meets nobody while it looks.
// CHECK-LABEL: llvm.func @warp
// CHECK: nvvm.barrier0
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

// A lane reads what was found for its ranks: 33 of them are two registers, and what is behind reads the last one.
// CHECK-LABEL: llvm.func @ranks
// CHECK: %[[LAST:.+]] = llvm.mlir.constant(32 : i32)
// CHECK-COUNT-2: llvm.intr.umin(%{{.+}}, %[[LAST]])
// CHECK-NOT: llvm.intr.umin
// CHECK: llvm.return
smx_gpu.kernel @ranks(%x: memref<?x256xbf16>, %y: memref<?x64xbf16>, %i: memref<?x64xindex>) warps(1) {
  %c0 = arith.constant 0 : index
  %t = smx_gpu.load %x[%c0, %c0] dims [-1, 1] {aligned = 16 : i64} : memref<?x256xbf16> -> tensor<1x256xbf16, #row2>
  %v, %c = smx_gpu.largest %t ranks(33) : tensor<1x256xbf16, #row2> -> tensor<1x64xbf16, #rank> at tensor<1x64xindex, #rank>
  smx_gpu.store %v, %y[%c0, %c0] dims [-1, 1] : tensor<1x64xbf16, #rank>, memref<?x64xbf16>
  smx_gpu.store %c, %i[%c0, %c0] dims [-1, 1] : tensor<1x64xindex, #rank>, memref<?x64xindex>
  smx_gpu.return
}
