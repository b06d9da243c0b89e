// RUN: softmax-opt %s --pass-pipeline='builtin.module(func.func(smx-cpu-small-loops{most-elements=64}))' | FileCheck %s

// A function that is given few elements has no threads; one that is given many, or as many as a call says, has.

// CHECK-LABEL: func.func @few
// CHECK-NOT: scf.forall
// CHECK: scf.for
// CHECK: memref.store
func.func @few(%x: memref<32xf32>, %y: memref<32xf32>) {
  scf.forall (%i) in (32) {
    %v = memref.load %x[%i] : memref<32xf32>
    memref.store %v, %y[%i] : memref<32xf32>
  }
  return
}

// CHECK-LABEL: func.func @many
// CHECK: scf.forall
func.func @many(%x: memref<33xf32>, %y: memref<32xf32>) {
  scf.forall (%i) in (32) {
    %v = memref.load %x[%i] : memref<33xf32>
    memref.store %v, %y[%i] : memref<32xf32>
  }
  return
}

// CHECK-LABEL: func.func @open
// CHECK: scf.forall
func.func @open(%x: memref<?xf32>, %y: memref<32xf32>) {
  scf.forall (%i) in (32) {
    %v = memref.load %x[%i] : memref<?xf32>
    memref.store %v, %y[%i] : memref<32xf32>
  }
  return
}

// CHECK-LABEL: func.func @nothing
// CHECK: scf.forall
func.func @nothing(%n: index) {
  %y = memref.alloc() : memref<32xindex>
  scf.forall (%i) in (32) {
    memref.store %n, %y[%i] : memref<32xindex>
  }
  memref.dealloc %y : memref<32xindex>
  return
}
