// A sink is a score that is always seen: of NaN or +inf it leaves no number, of -inf or a finite one the row is 0,
// whether a key is seen beside it or not.
// RUN: rm -rf %t && softmax-run %s --entry=some --output=%t --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=some --target=emulator --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=some --target=emulator --chip=sm_90a --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=none --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=none --target=emulator --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=hidden --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=hidden --target=emulator --repeat=0 | FileCheck %s
// CHECK: output 0
// CHECK: against raised: pass
// CHECK: output 1
// CHECK: against raised: pass

// All of them compute that, and the check is of what they say.
// RUN: softmax-run %s --entry=classes --input=%t/output0.npy --output=%t/classes --repeat=0 | FileCheck %s --check-prefix=PASS
// RUN: od -A n -t x1 -v -w8 -j 128 %t/classes/output0.npy | FileCheck %s --check-prefix=CLASSES
// PASS: pass
// CLASSES: 01 01 00 00 01 01 00 00

!q = tensor<2x4x5x64xbf16>
!k = tensor<2x4x70x64xbf16>
!l = tensor<2x4x5xf32>
func.func @some(%q: !q, %k: !k, %v: !k) -> (!q, !l) {
  %s = arith.constant dense<[0x7FC00000, 0x7F800000, 0xFF800000, 0.5]> : tensor<4xf32>
  %n = arith.constant dense<[0, 3]> : tensor<2xi32>
  %o, %l = smx.attention %q, %k, %v scale(0.125) mask(#smx.key_lengths) reads(%n : tensor<2xi32>) sinks(%s : tensor<4xf32>)
    : !q, !k, !k -> !q, !l
  return %o, %l : !q, !l
}

!k_none = tensor<2x4x0x64xbf16>
func.func @none(%q: !q, %k: !k_none, %v: !k_none) -> (!q, !l) {
  %s = arith.constant dense<[0x7FC00000, 0x7F800000, 0xFF800000, 0.5]> : tensor<4xf32>
  %o, %l = smx.attention %q, %k, %v scale(0.125) sinks(%s : tensor<4xf32>) : !q, !k_none, !k_none -> !q, !l
  return %o, %l : !q, !l
}

func.func @hidden(%q: !q, %k: !k, %v: !k) -> (!q, !l) {
  %s = arith.constant dense<[0x7FC00000, 0x7F800000, 0xFF800000, 0.5]> : tensor<4xf32>
  %o, %l = smx.attention %q, %k, %v scale(0.125) mask(#smx.band<top_left, right = -100>) sinks(%s : tensor<4xf32>)
    : !q, !k, !k -> !q, !l
  return %o, %l : !q, !l
}

// Whether the first number of each head is NaN.
func.func @classes(%o: !q) -> tensor<2x4xi1> {
  %firsts = tensor.extract_slice %o[0, 0, 0, 0] [2, 4, 1, 1] [1, 1, 1, 1] : !q to tensor<2x4xbf16>
  %is = arith.cmpf uno, %firsts, %firsts : tensor<2x4xbf16>
  return %is : tensor<2x4xi1>
}
