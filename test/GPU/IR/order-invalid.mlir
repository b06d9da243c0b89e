// RUN: softmax-opt %s -split-input-file -verify-diagnostics

// P35
smx_gpu.kernel @other_counts(%counts: memref<8xi64>) warps(4) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{'smx_gpu.announce' op expected counts of i32, got 'memref<8xi64>'}}
  smx_gpu.announce %counts[%c0] : memref<8xi64>
  smx_gpu.return
}

// -----

// P35
smx_gpu.kernel @no_place(%counts: memref<8x2xi32>) warps(4) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{'smx_gpu.await' op expected 2 indices for 'memref<8x2xi32>', got 1}}
  smx_gpu.await %counts[%c0] reaches 4 : memref<8x2xi32>
  smx_gpu.return
}

// -----

// P36
smx_gpu.kernel @for_nobody(%counts: memref<8xi32>) warps(4) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{'smx_gpu.await' op waits for a count of 0, which is always there; expected a positive one}}
  smx_gpu.await %counts[%c0] reaches 0 : memref<8xi32>
  smx_gpu.return
}
