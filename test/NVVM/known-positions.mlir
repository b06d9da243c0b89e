// Where what places are compared with is known, so is what most registers get; and places that no thread has one between
// share a comparison.
// RUN: softmax-opt %s --smx-gpu-to-nvvm=chip=sm_90 | FileCheck %s

#S = #smx_gpu.striped<rows = 1, columns = 32, vector = 4>

// A row of 200 elements in two accesses of 4, of which the second one of threads from 18 on is beyond it.
// CHECK-LABEL: llvm.func @row
// CHECK-DAG: %[[TRUE:.+]] = llvm.mlir.constant(true) : i1
// CHECK: %[[IS_IN:.+]] = llvm.icmp "slt"
// CHECK-NOT: llvm.icmp "slt"
// CHECK-COUNT-4: llvm.insertelement %[[TRUE]]
// CHECK-COUNT-4: llvm.insertelement %[[IS_IN]]
// CHECK: llvm.return
smx_gpu.kernel @row(%x: memref<?x?xi1>) warps(1) {
  %c0 = arith.constant 0 : index
  %extent = arith.constant dense<200> : tensor<1x256xindex, #S>
  %place = smx_gpu.position 1 : tensor<1x256xindex, #S>
  %in = arith.cmpi slt, %place, %extent : tensor<1x256xindex, #S>
  smx_gpu.store %in, %x[%c0, %c0] dims [0, 1] : tensor<1x256xi1, #S>, memref<?x?xi1>
  smx_gpu.return
}

// A row that ends within an access has two: for what is in front of its end and what is behind it.
// CHECK-LABEL: llvm.func @cut_access
// CHECK-COUNT-2: llvm.icmp "slt"
// CHECK-NOT: llvm.icmp "slt"
// CHECK: llvm.return
smx_gpu.kernel @cut_access(%x: memref<?x?xi1>) warps(1) {
  %c0 = arith.constant 0 : index
  %extent = arith.constant dense<202> : tensor<1x256xindex, #S>
  %place = smx_gpu.position 1 : tensor<1x256xindex, #S>
  %in = arith.cmpi slt, %place, %extent : tensor<1x256xindex, #S>
  smx_gpu.store %in, %x[%c0, %c0] dims [0, 1] : tensor<1x256xi1, #S>, memref<?x?xi1>
  smx_gpu.return
}

// All and nothing.
// CHECK-LABEL: llvm.func @no_comparison
// CHECK-NOT: llvm.icmp
// CHECK: llvm.return
smx_gpu.kernel @no_comparison(%x: memref<?x?xi1>) warps(1) {
  %c0 = arith.constant 0 : index
  %last = arith.constant dense<255> : tensor<1x256xindex, #S>
  %none = arith.constant dense<-1> : tensor<1x256xindex, #S>
  %place = smx_gpu.position 1 : tensor<1x256xindex, #S>
  %all = arith.cmpi sle, %place, %last : tensor<1x256xindex, #S>
  %nothing = arith.cmpi eq, %place, %none : tensor<1x256xindex, #S>
  smx_gpu.store %all, %x[%c0, %c0] dims [0, 1] : tensor<1x256xi1, #S>, memref<?x?xi1>
  smx_gpu.store %nothing, %x[%c0, %c0] dims [0, 1] : tensor<1x256xi1, #S>, memref<?x?xi1>
  smx_gpu.return
}

// One of two blocks has 256 elements, the other 200: its second access is asked for in both.
// CHECK-LABEL: llvm.func @cluster
// CHECK-COUNT-1: llvm.icmp "slt"
// CHECK-NOT: llvm.icmp "slt"
// CHECK: llvm.return
smx_gpu.kernel @cluster(%x: memref<?x?xi1>) warps(1) cluster(2) {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %c456 = arith.constant 456 : index
  %rank = smx_gpu.cluster_rank
  %first = arith.muli %rank, %c256 : index
  %left = arith.subi %c456, %first : index
  %extent = tensor.splat %left : tensor<1x256xindex, #S>
  %place = smx_gpu.position 1 : tensor<1x256xindex, #S>
  %in = arith.cmpi slt, %place, %extent : tensor<1x256xindex, #S>
  smx_gpu.store %in, %x[%c0, %c0] dims [0, 1] : tensor<1x256xi1, #S>, memref<?x?xi1>
  smx_gpu.return
}
