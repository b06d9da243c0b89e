// Numbers of 16 bits become f32: which instructions do it decides how many registers that takes.
// RUN: softmax-opt %s --smx-gpu-to-nvvm | FileCheck %s

#pairs = #smx_gpu.striped<rows = 1, columns = 32, vector = 2>

// The upper number of a word of two of bf16 stays where it is: all bits but the lower one's.
// CHECK-LABEL: llvm.func @widened
// CHECK: %[[LOWER:.+]] = llvm.fpext %{{.+}} : bf16 to f32
// CHECK: %[[WORD:.+]] = llvm.bitcast %{{.+}} : vector<2xbf16> to i32
// CHECK: %[[UPPER:.+]] = llvm.and %[[WORD]], %{{.+}} : i32
// CHECK: %[[BITS:.+]] = llvm.bitcast %[[UPPER]] : i32 to f32
// CHECK-NOT: arith.extf
smx_gpu.kernel @widened(%x: memref<?x?xbf16>, %y: memref<?x?xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %t = smx_gpu.load %x[%c0, %c0] dims [0, 1] : memref<?x?xbf16> -> tensor<1x64xbf16, #pairs>
  %f = arith.extf %t : tensor<1x64xbf16, #pairs> to tensor<1x64xf32, #pairs>
  smx_gpu.store %f, %y[%c0, %c0] dims [0, 1] : tensor<1x64xf32, #pairs>, memref<?x?xf32>
  smx_gpu.return
}

// In a cluster registers are scarce: LLVM chooses.
// CHECK-LABEL: llvm.func @widened_in_cluster
// CHECK: arith.extf %{{.+}} : vector<2xbf16> to vector<2xf32>
// CHECK-NOT: llvm.fpext
// CHECK: llvm.return
smx_gpu.kernel @widened_in_cluster(%x: memref<?x?xbf16>, %y: memref<?x?xf32>) warps(1) cluster(2) {
  %c0 = arith.constant 0 : index
  %t = smx_gpu.load %x[%c0, %c0] dims [0, 1] : memref<?x?xbf16> -> tensor<1x64xbf16, #pairs>
  %f = arith.extf %t : tensor<1x64xbf16, #pairs> to tensor<1x64xf32, #pairs>
  smx_gpu.store %f, %y[%c0, %c0] dims [0, 1] : tensor<1x64xf32, #pairs>, memref<?x?xf32>
  smx_gpu.return
}

// What is held apart is widened by instructions that ptxas does not know from those before.
// CHECK-LABEL: llvm.func @apart
// CHECK: arith.extf
// CHECK: llvm.inline_asm "prmt.b32 $0, $1, 0, 0x1044;", "=f,r" %[[WORD:.+]] : (i32) -> f32
// CHECK: llvm.inline_asm "prmt.b32 $0, $1, 0, 0x3244;", "=f,r" %[[WORD]] : (i32) -> f32
// CHECK-NOT: arith.extf
smx_gpu.kernel @apart(%x: memref<?x?xbf16>, %y: memref<?x?xf32>) warps(1) cluster(2) {
  %c0 = arith.constant 0 : index
  %t = smx_gpu.load %x[%c0, %c0] dims [0, 1] : memref<?x?xbf16> -> tensor<1x64xbf16, #pairs>
  %f = arith.extf %t : tensor<1x64xbf16, #pairs> to tensor<1x64xf32, #pairs>
  smx_gpu.store %f, %y[%c0, %c0] dims [0, 1] : tensor<1x64xf32, #pairs>, memref<?x?xf32>
  %h = smx_gpu.hold %t apart : tensor<1x64xbf16, #pairs>
  %p = smx_gpu.parts %h : tensor<1x64xbf16, #pairs> -> tensor<1x64xbf16, #pairs>
  %g = arith.extf %p : tensor<1x64xbf16, #pairs> to tensor<1x64xf32, #pairs>
  smx_gpu.store %g, %y[%c0, %c0] dims [0, 1] : tensor<1x64xf32, #pairs>, memref<?x?xf32>
  smx_gpu.return
}

// Of f16 the halves change places, and are converted as before.
// CHECK-LABEL: llvm.func @apart_f16
// CHECK: %[[SWAPPED:.+]] = llvm.inline_asm "prmt.b32 $0, $1, 0, 0x1032;", "=r,r"
// CHECK: %[[HALVES:.+]] = llvm.bitcast %[[SWAPPED]] : i32 to vector<2xf16>
// CHECK: %[[ONE:.+]] = llvm.mlir.constant(1 :
// CHECK: %[[LOWER:.+]] = llvm.extractelement %[[HALVES]][%[[ONE]]
// CHECK: llvm.fpext %[[LOWER]] : f16 to f32
// CHECK: %[[ZERO:.+]] = llvm.mlir.constant(0 :
// CHECK: %[[UPPER:.+]] = llvm.extractelement %[[HALVES]][%[[ZERO]]
// CHECK: llvm.fpext %[[UPPER]] : f16 to f32
smx_gpu.kernel @apart_f16(%x: memref<?x?xf16>, %y: memref<?x?xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %t = smx_gpu.load %x[%c0, %c0] dims [0, 1] : memref<?x?xf16> -> tensor<1x64xf16, #pairs>
  %h = smx_gpu.hold %t apart : tensor<1x64xf16, #pairs>
  %f = arith.extf %h : tensor<1x64xf16, #pairs> to tensor<1x64xf32, #pairs>
  smx_gpu.store %f, %y[%c0, %c0] dims [0, 1] : tensor<1x64xf32, #pairs>, memref<?x?xf32>
  smx_gpu.return
}
