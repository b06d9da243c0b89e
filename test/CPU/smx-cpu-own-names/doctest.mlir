// RUN: softmax-opt %s --smx-cpu-own-names | FileCheck %s
// RUN: softmax-opt %s --smx-cpu-own-names --convert-func-to-llvm --finalize-memref-to-llvm --reconcile-unrealized-casts --smx-cpu-own-names | FileCheck %s --check-prefix=LLVM

// CHECK:      memref.global "private" constant @own.free
// CHECK:      func.func @own.malloc(
// CHECK-NEXT:   memref.get_global @own.free
// CHECK-NEXT:   call @own.own.malloc(
// CHECK:      func.func private @own.own.malloc(

// What C calls has the name that was asked for, and memory is C's.
// LLVM-DAG: llvm.func @malloc(i64) -> !llvm.ptr
// LLVM-DAG: llvm.func internal @own.malloc(
// LLVM-DAG: llvm.func @_mlir_ciface_malloc(
// LLVM-DAG: llvm.func internal @own.own.malloc(
// LLVM-DAG: llvm.call @malloc(
memref.global "private" constant @free : memref<4xf32> = dense<1.0>
func.func @malloc(%x: memref<4xf32>) attributes {llvm.emit_c_interface} {
  %ones = memref.get_global @free : memref<4xf32>
  call @own.malloc(%x, %ones) : (memref<4xf32>, memref<4xf32>) -> ()
  return
}
// The new name of one function is the old one of another.
func.func private @own.malloc(%x: memref<4xf32>, %y: memref<4xf32>) {
  %scratch = memref.alloc() : memref<4xf32>
  %c0 = arith.constant 0 : index
  %v = memref.load %y[%c0] : memref<4xf32>
  memref.store %v, %scratch[%c0] : memref<4xf32>
  return
}
