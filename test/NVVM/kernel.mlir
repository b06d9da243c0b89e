// A kernel becomes a function of scalars: per memref a pointer, the offset, sizes and strides.
// RUN: softmax-opt %s --smx-gpu-to-nvvm=chip=sm_90a | FileCheck %s

// CHECK: gpu.module @kernels [#nvvm.target<O = 3, chip = "sm_90a", features = "+ptx81">]
// CHECK: llvm.mlir.global external @smem() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>

// CHECK-LABEL: llvm.func @arguments(
// CHECK-SAME: %[[POINTER:[a-z0-9]+]]: !llvm.ptr<1>, %[[OFFSET:[a-z0-9]+]]: i64, %[[ROWS:[a-z0-9]+]]: i64, %[[COLUMNS:[a-z0-9]+]]: i64, %{{[a-z0-9]+}}: i64, %{{[a-z0-9]+}}: i64,
// CHECK-SAME: %[[FACTOR:[a-z0-9]+]]: f32, %[[COUNT:[a-z0-9]+]]: i64)
// CHECK-SAME: gpu.kernel, nvvm.cluster_dim = array<i32: 2, 1, 1>, nvvm.kernel, nvvm.minctasm = 2 : i32, nvvm.reqntid = array<i32: 256, 1, 1>, smx.shared_bytes = 0 : i64
smx_gpu.kernel @arguments(%x: memref<?x?xf32, strided<[?, 1], offset: ?>>, %factor: f32, %count: index) warps(8) cluster(2) min_blocks(2) {
  %c1 = arith.constant 1 : index
  // CHECK: %[[X:.+]] = nvvm.read.ptx.sreg.ctaid.x
  // CHECK: %[[BLOCK:.+]] = llvm.zext %[[X]] : i32 to i64
  %b = gpu.block_id x
  // CHECK: %[[N:.+]] = llvm.extractvalue %{{.+}}[3, 1]
  %n = memref.dim %x, %c1 : memref<?x?xf32, strided<[?, 1], offset: ?>>
  // CHECK: arith.addi %[[BLOCK]], %[[N]] : i64
  %i = arith.addi %b, %n : index
  %in = arith.cmpi slt, %i, %count : index
  // CHECK: scf.if
  scf.if %in {
    // CHECK: nvvm.barrier0
    smx_gpu.barrier
  }
  // CHECK: nvvm.cluster.arrive {aligned}
  // CHECK: nvvm.cluster.wait {aligned}
  smx_gpu.cluster_barrier
  // CHECK: nvvm.read.ptx.sreg.cluster.ctarank
  %rank = smx_gpu.cluster_rank
  // CHECK: llvm.return
  smx_gpu.return
}

// Tiles from multiples of 1 KiB (1 and 3), then scratch of the reduction: one f32 of each warp.
// CHECK-LABEL: llvm.func @shared_memory
// CHECK-SAME: smx.shared_bytes = 4112 : i64
smx_gpu.kernel @shared_memory() warps(4) {
  %s = smx_gpu.alloc : !smx_gpu.shared<8x32xf32, swizzle = 0>
  %t = smx_gpu.alloc : !smx_gpu.shared<8x33xf64, swizzle = 0>
  %x = arith.constant dense<1.0> : tensor<1x128xf32, #smx_gpu.striped<rows = 1, columns = 128, vector = 1>>
  %r = smx_gpu.reduce <add> %x dim 1 : tensor<1x128xf32, #smx_gpu.striped<rows = 1, columns = 128, vector = 1>>
      -> tensor<1xf32, #smx_gpu.slice<1, #smx_gpu.striped<rows = 1, columns = 128, vector = 1>>>
  smx_gpu.return
}

// What launches on the host is not part of the device's code.
// CHECK-NOT: func.func
func.func @host(%x: memref<?x?xf32, strided<[?, 1], offset: ?>>, %f: f32, %n: index) {
  smx_gpu.launch @arguments grid(%n, %n, %n) (%x, %f, %n : memref<?x?xf32, strided<[?, 1], offset: ?>>, f32, index)
  return
}
