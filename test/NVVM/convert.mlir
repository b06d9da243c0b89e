// A tile changes its layout through shared memory, between two barriers.
// RUN: softmax-opt %s --smx-gpu-to-nvvm | FileCheck %s

#fragment = #smx_gpu.fragment<warps = 2>
#rows = #smx_gpu.striped<rows = 4, columns = 16, vector = 4>

// Rows of 64 f32 lie 272 bytes apart.
// CHECK-LABEL: llvm.func @fragment_to_rows
// CHECK-SAME: smx.shared_bytes = 8704 : i64
smx_gpu.kernel @fragment_to_rows(%x: memref<?x?xf32>) warps(2) {
  %c0 = arith.constant 0 : index
  %t = smx_gpu.load %x[%c0, %c0] dims [0, 1] : memref<?x?xf32> -> tensor<32x64xf32, #fragment>
  // CHECK: nvvm.barrier0
  // CHECK-COUNT-16: llvm.store %{{.+}}, %{{.+}} {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr<3>
  // CHECK: nvvm.barrier0
  // CHECK-COUNT-8: llvm.load %{{.+}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
  %u = smx_gpu.convert %t : tensor<32x64xf32, #fragment> -> tensor<32x64xf32, #rows>
  smx_gpu.store %u, %x[%c0, %c0] dims [0, 1] : tensor<32x64xf32, #rows>, memref<?x?xf32>
  smx_gpu.return
}

// The same elements in the same registers.
// CHECK-LABEL: llvm.func @nothing_moves
// CHECK-SAME: smx.shared_bytes = 0 : i64
smx_gpu.kernel @nothing_moves(%x: memref<?x?xf32>) warps(2) {
  %c0 = arith.constant 0 : index
  %t = smx_gpu.load %x[%c0, %c0] dims [0, 1]
      : memref<?x?xf32> -> tensor<1x64xf32, #smx_gpu.striped<rows = 1, columns = 64, vector = 1>>
  // CHECK-NOT: nvvm.barrier
  %u = smx_gpu.convert %t : tensor<1x64xf32, #smx_gpu.striped<rows = 1, columns = 64, vector = 1>>
      -> tensor<1x64xf32, #smx_gpu.striped<rows = 1, columns = 64, vector = 1>>
  smx_gpu.return
}
