// Stage cpu: a tile of memory counts once for each time it is taken, however often vector code reads it.

// RUN: softmax-opt %s -o /dev/null --smx-report | FileCheck %s

// CHECK: @twice cpu 4096 64 0 2048
func.func @twice(%x: memref<16x64xf32>, %y: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.000000e+00> : vector<16xf32>
  scf.forall (%i) in (16) {
    %row = memref.subview %x[%i, 0] [1, 64] [1, 1] : memref<16x64xf32> to memref<64xf32, strided<[1], offset: ?>>
    %out = memref.subview %y[%i] [1] [1] : memref<16xf32> to memref<1xf32, strided<[1], offset: ?>>
    %s = scf.for %j = %c0 to %c64 step %c16 iter_args(%a = %zero) -> (vector<16xf32>) {
      %v = vector.load %row[%j] : memref<64xf32, strided<[1], offset: ?>>, vector<16xf32>
      %b = arith.addf %a, %v : vector<16xf32>
      scf.yield %b : vector<16xf32>
    }
    %t = scf.for %j = %c0 to %c64 step %c16 iter_args(%a = %s) -> (vector<16xf32>) {
      %v = vector.load %row[%j] : memref<64xf32, strided<[1], offset: ?>>, vector<16xf32>
      %b = arith.mulf %a, %v : vector<16xf32>
      scf.yield %b : vector<16xf32>
    }
    %r = vector.extract %t[0] : f32 from vector<16xf32>
    memref.store %r, %out[%c0] : memref<1xf32, strided<[1], offset: ?>>
  }
  return
}
