// Rows that are columns of a tile: values of a warp lie side by side, and of many warps each combines some columns for all.
// RUN: softmax-opt %s --smx-gpu-to-nvvm | FileCheck %s

#few = #smx_gpu.striped<rows = 4, columns = 32, vector = 2>
#many = #smx_gpu.striped<rows = 8, columns = 32, vector = 2>
#ten = #smx_gpu.striped<rows = 10, columns = 32, vector = 2>

// Four warps: 64 columns of each, one after the other, two of a lane at a time.
// CHECK-LABEL: llvm.func @few
// CHECK-SAME: smx.shared_bytes = 1024 : i64
smx_gpu.kernel @few(%x: memref<?x?xf32>, %y: memref<?xf32>) warps(4) {
  %c0 = arith.constant 0 : index
  %t = smx_gpu.load %x[%c0, %c0] dims [0, 1] : memref<?x?xf32> -> tensor<8x64xf32, #few>
  // CHECK-COUNT-2: llvm.fadd
  // CHECK-NOT: nvvm.shfl.sync
  // CHECK: llvm.store %{{.+}}, %{{.+}} {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr<3>
  // CHECK: nvvm.barrier0
  // CHECK-COUNT-4: llvm.load %{{.+}} {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xf32>
  // CHECK-COUNT-6: llvm.fadd
  // CHECK-NOT: nvvm.barrier0
  %r = smx_gpu.reduce <add> %t dim 0 : tensor<8x64xf32, #few> -> tensor<64xf32, #smx_gpu.slice<0, #few>>
  smx_gpu.store %r, %y[%c0] dims [0] : tensor<64xf32, #smx_gpu.slice<0, #few>>, memref<?xf32>
  smx_gpu.return
}

// Eight: a lane has the value of one warp, for eight columns of this one, four at a time; three steps combine them.
// CHECK-LABEL: llvm.func @many
// CHECK-SAME: smx.shared_bytes = 2176 : i64
smx_gpu.kernel @many(%x: memref<?x?xf32>, %y: memref<?xf32>) warps(8) {
  %c0 = arith.constant 0 : index
  %t = smx_gpu.load %x[%c0, %c0] dims [0, 1] : memref<?x?xf32> -> tensor<16x64xf32, #many>
  // CHECK: llvm.store %{{.+}}, %{{.+}} {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr<3>
  // CHECK: nvvm.barrier0
  // CHECK: llvm.load %{{.+}} {alignment = 4 : i64} : !llvm.ptr<3> -> f32
  // CHECK-COUNT-3: nvvm.shfl.sync bfly
  // CHECK: llvm.load %{{.+}} {alignment = 4 : i64} : !llvm.ptr<3> -> f32
  // CHECK-COUNT-3: nvvm.shfl.sync bfly
  // CHECK-NOT: nvvm.shfl.sync
  // CHECK-COUNT-2: llvm.store %{{.+}}, %{{.+}} {alignment = 4 : i64} : f32, !llvm.ptr<3>
  // CHECK: nvvm.barrier0
  // CHECK: llvm.load %{{.+}} {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xf32>
  // CHECK-NOT: nvvm.barrier0
  %r = smx_gpu.reduce <add> %t dim 0 : tensor<16x64xf32, #many> -> tensor<64xf32, #smx_gpu.slice<0, #many>>
  smx_gpu.store %r, %y[%c0] dims [0] : tensor<64xf32, #smx_gpu.slice<0, #many>>, memref<?xf32>
  smx_gpu.return
}

// Ten are not a power of two: of 16 lanes six have nothing, and what they hold is not added. Two columns at a time are 32
// groups for ten warps; in the last round two warps have one.
// CHECK-LABEL: llvm.func @ten
// CHECK-SAME: smx.shared_bytes = 2720 : i64
smx_gpu.kernel @ten(%x: memref<?x?xf32>, %y: memref<?xf32>) warps(10) {
  %c0 = arith.constant 0 : index
  %t = smx_gpu.load %x[%c0, %c0] dims [0, 1] : memref<?x?xf32> -> tensor<20x64xf32, #ten>
  // CHECK: nvvm.barrier0
  // CHECK: %[[WARPS:.+]] = llvm.mlir.constant(10 : i32)
  // CHECK: llvm.icmp "ult" %{{.+}}, %[[WARPS]]
  // CHECK: nvvm.shfl.sync bfly
  // CHECK: %[[SUM:.+]] = llvm.fadd
  // CHECK: %[[IS:.+]] = llvm.icmp "ult"
  // CHECK: llvm.select %[[IS]], %[[SUM]]
  // CHECK-COUNT-3: nvvm.shfl.sync bfly
  // CHECK-COUNT-12: nvvm.shfl.sync bfly
  // CHECK-NOT: nvvm.shfl.sync
  // CHECK-COUNT-4: llvm.store %{{.+}}, %{{.+}} {alignment = 4 : i64} : f32, !llvm.ptr<3>
  // CHECK: nvvm.barrier0
  %r = smx_gpu.reduce <add> %t dim 0 : tensor<20x64xf32, #ten> -> tensor<64xf32, #smx_gpu.slice<0, #ten>>
  smx_gpu.store %r, %y[%c0] dims [0] : tensor<64xf32, #smx_gpu.slice<0, #ten>>, memref<?xf32>
  smx_gpu.return
}

#narrow = #smx_gpu.striped<rows = 16, columns = 16, vector = 1>

// Of 16 columns two lanes share one: they meet first, and each thread reads what eight warps have.
// CHECK-LABEL: llvm.func @narrow
// CHECK-SAME: smx.shared_bytes = 1024 : i64
smx_gpu.kernel @narrow(%x: memref<?x?xf64>, %y: memref<?xf64>) warps(8) {
  %c0 = arith.constant 0 : index
  %t = smx_gpu.load %x[%c0, %c0] dims [0, 1] : memref<?x?xf64> -> tensor<32x16xf64, #narrow>
  // CHECK: llvm.fadd
  // CHECK-COUNT-2: nvvm.shfl.sync bfly
  // CHECK-NOT: nvvm.shfl.sync
  // CHECK: llvm.store %{{.+}}, %{{.+}} {alignment = 8 : i64} : {{.*}}f64{{.*}}, !llvm.ptr<3>
  // CHECK: nvvm.barrier0
  // CHECK-COUNT-8: llvm.load %{{.+}} {alignment = 8 : i64} : !llvm.ptr<3> -> {{.*}}f64
  // CHECK-NOT: nvvm.barrier0
  %r = smx_gpu.reduce <add> %t dim 0 : tensor<32x16xf64, #narrow> -> tensor<16xf64, #smx_gpu.slice<0, #narrow>>
  smx_gpu.store %r, %y[%c0] dims [0] : tensor<16xf64, #smx_gpu.slice<0, #narrow>>, memref<?xf64>
  smx_gpu.return
}
