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

// -----

!numbers = !smx_gpu.channel<1x2xi32, swizzle = 0, depth = 2>

// P37
smx_gpu.kernel @two_numbers(%counts: memref<1xi32>) warps(4) {
  %c0 = arith.constant 0 : index
  %numbers = smx_gpu.make_channel : !numbers
  // expected-error @+1 {{'smx_gpu.draw' op expected a channel of 1x1xi32 that is not dealt, got '!smx_gpu.channel<1x2xi32, swizzle = 0, depth = 2>'}}
  %n = smx_gpu.draw %counts[%c0] into %numbers : memref<1xi32>, !numbers
  %tile = smx_gpu.get %numbers : !numbers -> !smx_gpu.shared<1x2xi32, swizzle = 0>
  smx_gpu.release %numbers : !numbers
  smx_gpu.return
}

// -----

!numbers = !smx_gpu.channel<1x1xi32, swizzle = 0, depth = 2>

// P35
smx_gpu.kernel @no_place_to_draw_from(%counts: memref<1xi32>) warps(4) {
  %numbers = smx_gpu.make_channel : !numbers
  // expected-error @+1 {{'smx_gpu.draw' op expected 1 indices for 'memref<1xi32>', got 0}}
  %n = smx_gpu.draw %counts[] into %numbers : memref<1xi32>, !numbers
  %tile = smx_gpu.get %numbers : !numbers -> !smx_gpu.shared<1x1xi32, swizzle = 0>
  smx_gpu.release %numbers : !numbers
  smx_gpu.return
}

// -----

// P38
smx_gpu.kernel @nobody_drew() warps(4) {
  %tile = smx_gpu.alloc : !smx_gpu.shared<1x1xi32, swizzle = 0>
  // expected-error @+1 {{'smx_gpu.number_in' op expected a tile of 1x1xi32 that was got from a channel, got '!smx_gpu.shared<1x1xi32, swizzle = 0>'}}
  %n = smx_gpu.number_in %tile : !smx_gpu.shared<1x1xi32, swizzle = 0>
  smx_gpu.return
}
