// Where all keys are known to be hidden no loop over them is left, and no op that has the rows of both results.
// RUN: softmax-run %s --entry=grouped --target=emulator --check=naive --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=grouped --target=emulator --chip=sm_90a --check=naive --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=grouped --target=emulator --splits=3 --check=naive --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=wide --target=emulator --check=naive --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=lengths --target=emulator --check=naive --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=square --target=emulator --check=naive --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=grouped --check=naive --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=one_left --target=emulator --check=naive --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=one_left --target=emulator --chip=sm_90a --check=naive --repeat=0 | FileCheck %s
// CHECK: output 0
// CHECK: against naive: pass: worst error 0 absolute
// CHECK: output 1
// CHECK: against naive: pass: worst error 0 absolute

!q = tensor<2x8x1x64xbf16>
!k = tensor<2x2x70x64xbf16>
func.func @grouped(%q: !q, %k: !k, %v: !k) -> (!q, tensor<2x8x1xf32>) {
  %o, %l = smx.attention %q, %k, %v scale(0.125) mask(#smx.band<top_left, right = -100>) : !q, !k, !k -> !q, tensor<2x8x1xf32>
  return %o, %l : !q, tensor<2x8x1xf32>
}

!wide = tensor<1x4x1x256xf32>
!k_wide = tensor<1x1x7x256xf32>
func.func @wide(%q: !wide, %k: !k_wide, %v: !k_wide) -> (!wide, tensor<1x4x1xf32>) {
  %o, %l = smx.attention %q, %k, %v scale(0.125) mask(#smx.band<top_left, right = -1>) : !wide, !k_wide, !k_wide -> !wide, tensor<1x4x1xf32>
  return %o, %l : !wide, tensor<1x4x1xf32>
}

func.func @lengths(%q: !wide, %k: !k_wide, %v: !k_wide) -> (!wide, tensor<1x4x1xf32>) {
  %none = arith.constant dense<0> : tensor<1xi32>
  %o, %l = smx.attention %q, %k, %v scale(0.125) mask(#smx.key_lengths) reads(%none : tensor<1xi32>) : !wide, !k_wide, !k_wide -> !wide, tensor<1x4x1xf32>
  return %o, %l : !wide, tensor<1x4x1xf32>
}

// As many heads as columns.
!square = tensor<1x16x1x16xf32>
!k_square = tensor<1x1x70x16xf32>
func.func @square(%q: !square, %k: !k_square, %v: !k_square) -> (!square, tensor<1x16x1xf32>) {
  %o, %l = smx.attention %q, %k, %v scale(0.125) mask(#smx.band<top_left, right = -100>) : !square, !k_square, !k_square -> !square, tensor<1x16x1xf32>
  return %o, %l : !square, tensor<1x16x1xf32>
}

// One key is left of whole tiles: its terms are folded away, and the sum over them gives what it starts from.
!one = tensor<1x4x1x16xf32>
!k_one = tensor<1x4x65x16xf32>
func.func @one_left(%q: !one, %k: !k_one, %v: !k_one) -> (!one, tensor<1x4x1xf32>) {
  %o, %l = smx.attention %q, %k, %v scale(0.25) mask(#smx.band<bottom_right, left = -1>) : !one, !k_one, !k_one -> !one, tensor<1x4x1xf32>
  return %o, %l : !one, tensor<1x4x1xf32>
}
