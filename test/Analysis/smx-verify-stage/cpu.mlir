// RUN: softmax-opt %s --smx-verify-stage=stage=cpu | FileCheck %s
// RUN: softmax-opt %s --smx-verify-stage=stage=input | FileCheck %s

// CHECK-LABEL: @copy
func.func @copy(%x: memref<64xf32>, %y: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c16 {
    // CHECK: vector.load
    %v = vector.load %x[%i] : memref<64xf32>, vector<16xf32>
    vector.store %v, %y[%i] : memref<64xf32>, vector<16xf32>
  }
  return
}
