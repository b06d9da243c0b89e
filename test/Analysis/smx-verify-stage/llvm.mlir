// RUN: softmax-opt %s --smx-verify-stage=stage=llvm | FileCheck %s

// CHECK-LABEL: @body
llvm.func @body(%x: !llvm.ptr) {
  // CHECK: omp.parallel
  omp.parallel {
    %v = llvm.load %x : !llvm.ptr -> f32
    llvm.store %v, %x : f32, !llvm.ptr
    omp.terminator
  }
  llvm.return
}
