// Registers, then lanes, then warps; the order depends on the layout alone.
// RUN: softmax-opt %s --smx-gpu-to-nvvm | FileCheck %s

#fragment = #smx_gpu.fragment<warps = 4>
#row = #smx_gpu.striped<rows = 1, columns = 128, vector = 2>
#slice = #smx_gpu.slice<1, #fragment>

// The four lanes of a row, two rows of registers.
// CHECK-LABEL: llvm.func @lanes
smx_gpu.kernel @lanes(%x: memref<?x?xf32>, %y: memref<?xf32>) warps(4) {
  %c0 = arith.constant 0 : index
  %t = smx_gpu.load %x[%c0, %c0] dims [0, 1] : memref<?x?xf32> -> tensor<64x16xf32, #fragment>
  // CHECK-COUNT-3: llvm.intr.maxnum
  // CHECK: %[[NEAR:.+]] = nvvm.shfl.sync bfly
  // CHECK: %[[TWO:.+]] = llvm.intr.maxnum(%{{.+}}, %[[NEAR]])
  // CHECK: %[[FAR:.+]] = nvvm.shfl.sync bfly %{{.+}}, %[[TWO]]
  // CHECK: llvm.intr.maxnum(%[[TWO]], %[[FAR]])
  // CHECK-COUNT-3: llvm.intr.maxnum
  // CHECK-COUNT-2: nvvm.shfl.sync bfly
  // CHECK-NOT: nvvm.shfl.sync
  // CHECK-NOT: nvvm.barrier
  %r = smx_gpu.reduce <maxnum> %t dim 1 : tensor<64x16xf32, #fragment> -> tensor<64xf32, #slice>
  smx_gpu.store %r, %y[%c0] dims [0] : tensor<64xf32, #slice>, memref<?xf32>
  smx_gpu.return
}

// A row of four warps: five steps of lanes, one value of each warp through shared memory.
// CHECK-LABEL: llvm.func @warps
// CHECK-SAME: smx.shared_bytes = 16 : i64
smx_gpu.kernel @warps(%x: memref<?x?xf32>, %y: memref<?xf32>) warps(4) {
  %c0 = arith.constant 0 : index
  %t = smx_gpu.load %x[%c0, %c0] dims [0, 1] : memref<?x?xf32> -> tensor<1x256xf32, #row>
  // CHECK: llvm.fadd
  // CHECK-COUNT-5: nvvm.shfl.sync bfly
  // CHECK-NOT: nvvm.barrier0
  // The first lane of each warp.
  // CHECK: %[[C31:.+]] = llvm.mlir.constant(31 : i32)
  // CHECK-NEXT: %[[LANE:.+]] = llvm.and %{{.+}}, %[[C31]]
  // CHECK-NEXT: %[[ZERO:.+]] = llvm.mlir.constant(0 : i32)
  // CHECK-NEXT: %[[IS_FIRST:.+]] = llvm.icmp "eq" %[[LANE]], %[[ZERO]]
  // CHECK: scf.if %[[IS_FIRST]]
  // CHECK: llvm.store %{{.+}}, %{{.+}} {alignment = 4 : i64} : f32, !llvm.ptr<3>
  // CHECK: nvvm.barrier0
  // CHECK: llvm.load %{{.+}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
  // CHECK-COUNT-3: llvm.fadd
  %r = smx_gpu.reduce <add> %t dim 1 : tensor<1x256xf32, #row> -> tensor<1xf32, #smx_gpu.slice<1, #row>>
  smx_gpu.store %r, %y[%c0] dims [0] : tensor<1xf32, #smx_gpu.slice<1, #row>>, memref<?xf32>
  smx_gpu.return
}

// Before the scratch is written again, what was in it has been read: after a barrier of its own where the loop has no
// other reduction.
// CHECK-LABEL: llvm.func @loops
smx_gpu.kernel @loops(%n: index, %y: memref<?xf32>) warps(4) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant dense<1.0> : tensor<1x128xf32, #smx_gpu.striped<rows = 1, columns = 128, vector = 1>>
  // CHECK: scf.for
  scf.for %i = %c0 to %n step %c1 {
    // CHECK: nvvm.barrier0
    // CHECK: llvm.store
    // CHECK: nvvm.barrier0
    %r = smx_gpu.reduce <add> %one dim 1 : tensor<1x128xf32, #smx_gpu.striped<rows = 1, columns = 128, vector = 1>>
        -> tensor<1xf32, #smx_gpu.slice<1, #smx_gpu.striped<rows = 1, columns = 128, vector = 1>>>
  }
  // CHECK: scf.for
  scf.for %i = %c0 to %n step %c1 {
    // CHECK-NOT: nvvm.barrier0
    // CHECK: llvm.store
    // CHECK: nvvm.barrier0
    %r = smx_gpu.reduce <add> %one dim 1 : tensor<1x128xf32, #smx_gpu.striped<rows = 1, columns = 128, vector = 1>>
        -> tensor<1xf32, #smx_gpu.slice<1, #smx_gpu.striped<rows = 1, columns = 128, vector = 1>>>
    // CHECK-NOT: nvvm.barrier0
    // CHECK: llvm.store
    // CHECK: nvvm.barrier0
    %s = smx_gpu.reduce <mul> %one dim 1 : tensor<1x128xf32, #smx_gpu.striped<rows = 1, columns = 128, vector = 1>>
        -> tensor<1xf32, #smx_gpu.slice<1, #smx_gpu.striped<rows = 1, columns = 128, vector = 1>>>
  }
  smx_gpu.return
}

// f64 goes between lanes in two halves; maximum keeps NaN, in 32 bits by one instruction.
// CHECK-LABEL: llvm.func @double
smx_gpu.kernel @double(%t: f64) warps(1) {
  %x = tensor.splat %t : tensor<16x8xf64, #smx_gpu.fragment<warps = 1>>
  // CHECK: llvm.intr.maximum
  // CHECK: llvm.bitcast %{{.+}} : f64 to vector<2xi32>
  // CHECK-COUNT-2: nvvm.shfl.sync bfly {{.+}} : i32 -> i32
  // CHECK: llvm.bitcast %{{.+}} : vector<2xi32> to f64
  %r = smx_gpu.reduce <maximum> %x dim 1 : tensor<16x8xf64, #smx_gpu.fragment<warps = 1>>
      -> tensor<16xf64, #smx_gpu.slice<1, #smx_gpu.fragment<warps = 1>>>
  smx_gpu.return
}

// A broadcast moves nothing.
// CHECK-LABEL: llvm.func @broadcast
smx_gpu.kernel @broadcast(%x: memref<?xf32>) warps(4) {
  %c0 = arith.constant 0 : index
  %r = smx_gpu.load %x[%c0] dims [0] : memref<?xf32> -> tensor<64xf32, #slice>
  // CHECK: %[[ROWS:.+]] = llvm.insertelement %{{.+}} : vector<2xf32>
  // CHECK: %[[UPPER:.+]] = llvm.extractelement
  // CHECK: %[[LOWER:.+]] = llvm.extractelement
  // CHECK: llvm.insertelement %[[UPPER]]
  // CHECK: llvm.insertelement %[[UPPER]]
  // CHECK: llvm.insertelement %[[LOWER]]
  // CHECK: llvm.insertelement %[[LOWER]], %{{.+}} : vector<4xf32>
  %t = smx_gpu.broadcast %r : tensor<64xf32, #slice> -> tensor<64x8xf32, #fragment>
  smx_gpu.return
}

// Where a thread has many elements of one row, values are computed when they are needed.
// CHECK-LABEL: llvm.func @long
// CHECK-SAME: passthrough = ["smx-demand-order"]
smx_gpu.kernel @long(%t: f32, %y: memref<?xf32>) warps(4) {
  %c0 = arith.constant 0 : index
  %x = tensor.splat %t : tensor<1x4096xf32, #row>
  // CHECK-COUNT-31: llvm.fadd
  // CHECK-NOT: llvm.fadd
  // CHECK: nvvm.shfl.sync
  %r = smx_gpu.reduce <add> %x dim 1 : tensor<1x4096xf32, #row> -> tensor<1xf32, #smx_gpu.slice<1, #row>>
  smx_gpu.store %r, %y[%c0] dims [0] : tensor<1xf32, #smx_gpu.slice<1, #row>>, memref<?xf32>
  smx_gpu.return
}

// 32 registers have no room for the values of 32 warps: a lane reads one.
// CHECK-LABEL: llvm.func @few_registers
smx_gpu.kernel @few_registers(%x: memref<?x?xf32>, %y: memref<?xf32>) warps(32) min_blocks(2) {
  %c0 = arith.constant 0 : index
  %t = smx_gpu.load %x[%c0, %c0] dims [0, 1] : memref<?x?xf32> -> tensor<1x1024xf32, #smx_gpu.striped<rows = 1, columns = 1024, vector = 1>>
  // CHECK: nvvm.barrier0
  // CHECK: llvm.load %{{.+}} {alignment = 4 : i64} : !llvm.ptr<3> -> f32
  // CHECK-COUNT-5: nvvm.shfl.sync bfly
  // CHECK-NOT: nvvm.shfl.sync
  %r = smx_gpu.reduce <add> %t dim 1 : tensor<1x1024xf32, #smx_gpu.striped<rows = 1, columns = 1024, vector = 1>>
      -> tensor<1xf32, #smx_gpu.slice<1, #smx_gpu.striped<rows = 1, columns = 1024, vector = 1>>>
  smx_gpu.store %r, %y[%c0] dims [0] : tensor<1xf32, #smx_gpu.slice<1, #smx_gpu.striped<rows = 1, columns = 1024, vector = 1>>>, memref<?xf32>
  smx_gpu.return
}

// 64 have.
// CHECK-LABEL: llvm.func @more_registers
smx_gpu.kernel @more_registers(%x: memref<?x?xf32>, %y: memref<?xf32>) warps(32) {
  %c0 = arith.constant 0 : index
  %t = smx_gpu.load %x[%c0, %c0] dims [0, 1] : memref<?x?xf32> -> tensor<1x1024xf32, #smx_gpu.striped<rows = 1, columns = 1024, vector = 1>>
  // CHECK: nvvm.barrier0
  // CHECK-COUNT-8: llvm.load %{{.+}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
  // CHECK-NOT: nvvm.shfl.sync
  %r = smx_gpu.reduce <add> %t dim 1 : tensor<1x1024xf32, #smx_gpu.striped<rows = 1, columns = 1024, vector = 1>>
      -> tensor<1xf32, #smx_gpu.slice<1, #smx_gpu.striped<rows = 1, columns = 1024, vector = 1>>>
  smx_gpu.store %r, %y[%c0] dims [0] : tensor<1xf32, #smx_gpu.slice<1, #smx_gpu.striped<rows = 1, columns = 1024, vector = 1>>>, memref<?xf32>
  smx_gpu.return
}
