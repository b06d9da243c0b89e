// The warps of a row meet once: a value of each is written, and every lane reads those that it has of all.
// RUN: softmax-opt %s --smx-gpu-to-nvvm=chip=sm_90a | FileCheck %s

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 4>
#parts = #smx_gpu.striped<rows = 2, columns = 32, vector = 4>
#all = #smx_gpu.striped<rows = 32, columns = 2, vector = 1>
#eight = #smx_gpu.striped<rows = 8, columns = 8, vector = 1>
#four = #smx_gpu.striped<rows = 16, columns = 4, vector = 1>

// CHECK-LABEL: llvm.func @block
// CHECK-SAME: smx.shared_bytes = 32 : i64
smx_gpu.kernel @block(%x: memref<?xf32>, %y: memref<?xf32>) warps(2) {
  %c0 = arith.constant 0 : index
  // CHECK: llvm.load {{.*}} : !llvm.ptr<1> -> vector<4xf32>
  // A warp's maximum needs no other warp.
  // CHECK-COUNT-5: nvvm.shfl.sync bfly
  // CHECK-NOT: nvvm.barrier
  // CHECK: scf.if
  // CHECK-COUNT-2: llvm.store {{.*}} !llvm.ptr<3>
  // CHECK: nvvm.barrier0
  // As many lanes as there are values have all of them.
  // CHECK-NOT: scf.if
  // CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> f32
  // CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> f64
  // CHECK: nvvm.shfl.sync bfly
  // CHECK-NOT: nvvm.shfl
  // CHECK-NOT: nvvm.barrier
  // CHECK: llvm.return
  %t = smx_gpu.load %x[%c0] dims [-1, 0] {aligned = 16 : i64} : memref<?xf32> -> tensor<1x256xf32, #row>
  %p = smx_gpu.parts %t : tensor<1x256xf32, #row> -> tensor<2x128xf32, #parts>
  %m = smx_gpu.reduce <maxnum> %p dim 1 : tensor<2x128xf32, #parts> -> tensor<2xf32, #smx_gpu.slice<1, #parts>>
  %l = arith.extf %m : tensor<2xf32, #smx_gpu.slice<1, #parts>> to tensor<2xf64, #smx_gpu.slice<1, #parts>>
  %ms, %ls = smx_gpu.collect %m, %l fill [0xFF800000 : f32, 0.0 : f64]
      : tensor<2xf32, #smx_gpu.slice<1, #parts>>, tensor<2xf64, #smx_gpu.slice<1, #parts>>
      -> tensor<32x2xf32, #all>, tensor<32x2xf64, #all>
  %a = smx_gpu.reduce <maxnum> %ms dim 1 : tensor<32x2xf32, #all> -> tensor<32xf32, #smx_gpu.slice<1, #all>>
  %r = smx_gpu.agreed %a : tensor<32xf32, #smx_gpu.slice<1, #all>> -> tensor<1xf32, #smx_gpu.slice<1, #row>>
  smx_gpu.store %r, %y[%c0] dims [-1] : tensor<1xf32, #smx_gpu.slice<1, #row>>, memref<?xf32>
  smx_gpu.return
}

// Of a cluster, a lane sends to each block: 4 bytes from 2 warps of 4 blocks.
// CHECK-LABEL: llvm.func @cluster
// CHECK-SAME: nvvm.cluster_dim = array<i32: 4, 1, 1>
// CHECK-SAME: smx.shared_bytes = 48 : i64
smx_gpu.kernel @cluster(%y: memref<?xf32>) warps(2) cluster(4) {
  // CHECK: nvvm.cluster.arrive.relaxed
  %c0 = arith.constant 0 : index
  %m = arith.constant dense<1.0> : tensor<2xf32, #smx_gpu.slice<1, #parts>>
  // CHECK: nvvm.cluster.wait
  // CHECK: %[[BYTES:.+]] = llvm.mlir.constant(32 : i32)
  // CHECK: mbarrier.arrive.expect_tx{{.*}}" %{{.+}}, %[[BYTES]]
  // CHECK: scf.if
  // CHECK: st.async
  // CHECK-NOT: nvvm.cluster
  // CHECK: mbarrier.try_wait.parity.acquire.cluster
  // CHECK-NOT: nvvm.cluster
  // CHECK: llvm.return
  %ms = smx_gpu.collect %m fill [0xFF800000 : f32] : tensor<2xf32, #smx_gpu.slice<1, #parts>> -> tensor<8x8xf32, #eight>
  %a = smx_gpu.reduce <maxnum> %ms dim 1 : tensor<8x8xf32, #eight> -> tensor<8xf32, #smx_gpu.slice<1, #eight>>
  %r = smx_gpu.agreed %a : tensor<8xf32, #smx_gpu.slice<1, #eight>> -> tensor<1xf32, #smx_gpu.slice<1, #row>>
  smx_gpu.store %r, %y[%c0] dims [-1] : tensor<1xf32, #smx_gpu.slice<1, #row>>, memref<?xf32>
  smx_gpu.return
}

// Of a block's warps first: they meet in the block. Then one value of each block is sent by the first warp.
// CHECK-LABEL: llvm.func @two_levels
smx_gpu.kernel @two_levels(%y: memref<?xf32>) warps(2) cluster(4) {
  // CHECK: nvvm.cluster.arrive.relaxed
  %c0 = arith.constant 0 : index
  %m = arith.constant dense<1.0> : tensor<2xf32, #smx_gpu.slice<1, #parts>>
  // CHECK: scf.if
  // CHECK: llvm.store {{.*}} !llvm.ptr<3>
  // CHECK: nvvm.barrier0
  // CHECK: nvvm.cluster.wait
  // CHECK: %[[BYTES:.+]] = llvm.mlir.constant(16 : i32)
  // CHECK: mbarrier.arrive.expect_tx{{.*}}" %{{.+}}, %[[BYTES]]
  // CHECK: %[[THREAD:.+]] = nvvm.read.ptx.sreg.tid.x
  // CHECK: %[[BLOCKS:.+]] = llvm.mlir.constant(4 : i32)
  // CHECK: llvm.icmp "slt" %[[THREAD]], %[[BLOCKS]]
  // CHECK: st.async
  // CHECK: mbarrier.try_wait.parity.acquire.cluster
  // CHECK: llvm.return
  %ms = smx_gpu.collect %m in_block fill [0xFF800000 : f32] : tensor<2xf32, #smx_gpu.slice<1, #parts>> -> tensor<32x2xf32, #all>
  %a = smx_gpu.reduce <maxnum> %ms dim 1 : tensor<32x2xf32, #all> -> tensor<32xf32, #smx_gpu.slice<1, #all>>
  %b = smx_gpu.agreed %a : tensor<32xf32, #smx_gpu.slice<1, #all>> -> tensor<1xf32, #smx_gpu.slice<1, #row>>
  %bs = smx_gpu.collect %b fill [0xFF800000 : f32] : tensor<1xf32, #smx_gpu.slice<1, #row>> -> tensor<16x4xf32, #four>
  %c = smx_gpu.reduce <maxnum> %bs dim 1 : tensor<16x4xf32, #four> -> tensor<16xf32, #smx_gpu.slice<1, #four>>
  %r = smx_gpu.agreed %c : tensor<16xf32, #smx_gpu.slice<1, #four>> -> tensor<1xf32, #smx_gpu.slice<1, #row>>
  smx_gpu.store %r, %y[%c0] dims [-1] : tensor<1xf32, #smx_gpu.slice<1, #row>>, memref<?xf32>
  smx_gpu.return
}

// Lanes of which there is no warp have the fill.
#three = #smx_gpu.striped<rows = 3, columns = 32, vector = 4>
#of_three = #smx_gpu.striped<rows = 24, columns = 4, vector = 1>
#row_of_three = #smx_gpu.striped<rows = 1, columns = 96, vector = 4>
// CHECK-LABEL: llvm.func @three_warps
smx_gpu.kernel @three_warps(%y: memref<?xf32>) warps(3) {
  %c0 = arith.constant 0 : index
  %m = arith.constant dense<1.0> : tensor<3xf32, #smx_gpu.slice<1, #three>>
  // CHECK: nvvm.barrier0
  // CHECK: scf.if
  // CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> f32
  // CHECK: else
  // CHECK: llvm.mlir.constant(0xFF800000 : f32)
  // CHECK-COUNT-2: nvvm.shfl.sync bfly
  // CHECK-NOT: nvvm.shfl
  // CHECK: llvm.return
  %ms = smx_gpu.collect %m fill [0xFF800000 : f32] : tensor<3xf32, #smx_gpu.slice<1, #three>> -> tensor<24x4xf32, #of_three>
  %a = smx_gpu.reduce <maxnum> %ms dim 1 : tensor<24x4xf32, #of_three> -> tensor<24xf32, #smx_gpu.slice<1, #of_three>>
  %r = smx_gpu.agreed %a : tensor<24xf32, #smx_gpu.slice<1, #of_three>> -> tensor<1xf32, #smx_gpu.slice<1, #row_of_three>>
  smx_gpu.store %r, %y[%c0] dims [-1] : tensor<1xf32, #smx_gpu.slice<1, #row_of_three>>, memref<?xf32>
  smx_gpu.return
}

// One value is in every lane.
#row_of_warp = #smx_gpu.striped<rows = 1, columns = 32, vector = 4>
#single = #smx_gpu.striped<rows = 32, columns = 1, vector = 1>
// CHECK-LABEL: llvm.func @one_warp
smx_gpu.kernel @one_warp(%y: memref<?xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %m = arith.constant dense<1.0> : tensor<1xf32, #smx_gpu.slice<1, #row_of_warp>>
  // CHECK: nvvm.barrier0
  // CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> f32
  // CHECK-NOT: nvvm.shfl
  // CHECK: llvm.return
  %ms = smx_gpu.collect %m fill [0xFF800000 : f32] : tensor<1xf32, #smx_gpu.slice<1, #row_of_warp>> -> tensor<32x1xf32, #single>
  %a = smx_gpu.reduce <maxnum> %ms dim 1 : tensor<32x1xf32, #single> -> tensor<32xf32, #smx_gpu.slice<1, #single>>
  %r = smx_gpu.agreed %a : tensor<32xf32, #smx_gpu.slice<1, #single>> -> tensor<1xf32, #smx_gpu.slice<1, #row_of_warp>>
  smx_gpu.store %r, %y[%c0] dims [-1] : tensor<1xf32, #smx_gpu.slice<1, #row_of_warp>>, memref<?xf32>
  smx_gpu.return
}
