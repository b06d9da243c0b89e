// RUN: softmax-opt %s --smx-gpu-to-nvvm | FileCheck %s

// The text and its place go to the driver's handler, from the thread that sees it; equal texts are there once.
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT:assert_message_.+]]("out of range\00")
// CHECK-DAG: llvm.func @__assertfail(!llvm.ptr, !llvm.ptr, i32, !llvm.ptr, i64)
// CHECK-LABEL: llvm.func @checks
// CHECK: scf.if
// CHECK: llvm.mlir.addressof @[[TEXT]]
// CHECK: llvm.call @__assertfail
// CHECK: llvm.mlir.addressof @[[TEXT]]
// CHECK: llvm.call @__assertfail
smx_gpu.kernel @checks(%n: index) warps(1) {
  %i = smx_gpu.position 0 : tensor<32xindex, #smx_gpu.slice<1, #smx_gpu.striped<rows = 32, columns = 1, vector = 1>>>
  %m = tensor.splat %n : tensor<32xindex, #smx_gpu.slice<1, #smx_gpu.striped<rows = 32, columns = 1, vector = 1>>>
  %inside = arith.cmpi slt, %i, %m : tensor<32xindex, #smx_gpu.slice<1, #smx_gpu.striped<rows = 32, columns = 1, vector = 1>>>
  smx_gpu.assert %inside, "out of range" : tensor<32xi1, #smx_gpu.slice<1, #smx_gpu.striped<rows = 32, columns = 1, vector = 1>>>
  smx_gpu.assert %inside, "out of range" : tensor<32xi1, #smx_gpu.slice<1, #smx_gpu.striped<rows = 32, columns = 1, vector = 1>>>
  smx_gpu.return
}
