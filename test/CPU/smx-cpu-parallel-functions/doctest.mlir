// RUN: softmax-opt %s --smx-cpu-parallel-functions | FileCheck %s

// Constants come along, and all else is an argument.
// CHECK-LABEL: llvm.func @two(
// CHECK-SAME:    %[[X:.+]]: !llvm.ptr, %[[N:.+]]: i32)
// CHECK:         llvm.call @two.parallel(%[[X]]) : (!llvm.ptr) -> ()
// CHECK-NEXT:    llvm.call @two.parallel_0(%[[N]], %[[X]]) : (i32, !llvm.ptr) -> ()
// CHECK-NEXT:    llvm.return
// CHECK-NEXT:  }
// CHECK-DAG:   llvm.func internal @two.parallel(%[[AT:.+]]: !llvm.ptr)
// CHECK-DAG:   llvm.func internal @two.parallel_0(%[[THREADS:.+]]: i32, %{{.+}}: !llvm.ptr)
// CHECK-DAG:   omp.parallel num_threads(%[[THREADS]] : i32)
llvm.func @two(%x: !llvm.ptr, %n: i32) {
  %one = llvm.mlir.constant(1.0 : f32) : f32
  omp.parallel {
    llvm.store %one, %x : f32, !llvm.ptr
    omp.terminator
  }
  omp.parallel num_threads(%n : i32) {
    llvm.store %n, %x : i32, !llvm.ptr
    omp.terminator
  }
  llvm.return
}

// Translation takes one region out by itself.
// CHECK-LABEL: llvm.func @one(
// CHECK-NEXT:    omp.parallel {
// CHECK-NOT:   one.parallel
llvm.func @one(%x: !llvm.ptr) {
  omp.parallel {
    %zero = llvm.mlir.constant(0.0 : f32) : f32
    llvm.store %zero, %x : f32, !llvm.ptr
    omp.terminator
  }
  llvm.return
}
