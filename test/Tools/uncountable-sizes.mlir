// Sizes that 64 bits do not count are refused where they stand, not wrapped.
// RUN: not softmax-compile %s --entry=argument --emit=online 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// RUN: not softmax-compile %s --entry=argument --emit=asm 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// RUN: not softmax-compile %s --entry=argument --emit=ptx 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// RUN: not softmax-compile %s --entry=argument --explain 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// RUN: not softmax-run %s --entry=argument 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// ARGUMENT: uncountable-sizes.mlir:[[#@LINE+19]]:21: {{.*}}'tensor<1099511627776x1099511627776xf32>' has more than 2^63 bytes, which can not be counted; smaller extents would work

// RUN: not softmax-run %s --entry=inside --repeat=0 2>&1 | FileCheck %s --check-prefix=INSIDE
// RUN: not softmax-run %s --entry=inside --repeat=0 --target=emulator 2>&1 | FileCheck %s --check-prefix=INSIDE
// INSIDE: uncountable-sizes.mlir:[[#@LINE+23]]:12: {{.*}}'tensor<2147483648x2147483648xf64>' has more than 2^63 bytes

// An extent that is open does not help the others.
// RUN: not softmax-compile %s --entry=open --emit=naive 2>&1 | FileCheck %s --check-prefix=OPEN
// OPEN: 'tensor<?x2147483648x4294967296xf32>' has more than

// Only when a module's numbers are known is one of its types too large.
// RUN: not softmax-compile %s --entry=folded --emit=asm 2>&1 | FileCheck %s --check-prefix=FOLDED
// FOLDED: uncountable-sizes.mlir:[[#@LINE+30]]:8: {{.*}}'tensor<4294967296x4294967296xf32>' has more than
// FOLDED: stage 'online' was not begun

// RUN: softmax-run %s --entry=none --repeat=0 | FileCheck %s --check-prefix=NONE
// NONE: against {{.*}}: pass

!huge = tensor<1099511627776x1099511627776xf32>
func.func @argument(%x: !huge) -> !huge {
  %y = smx.softmax %x axis(1) : !huge -> !huge
  return %y : !huge
}

// Less than 2^63 elements.
!doubles = tensor<2147483648x2147483648xf64>
func.func @inside(%x: tensor<4xf64>) -> tensor<4xf64> {
  %empty = tensor.empty() : !doubles
  %zero = arith.constant 0.0 : f64
  %zeros = linalg.fill ins(%zero : f64) outs(%empty : !doubles) -> !doubles
  %y = smx.softmax %zeros axis(1) : !doubles -> !doubles
  %four = tensor.extract_slice %y[0, 0] [1, 4] [1, 1] : !doubles to tensor<4xf64>
  return %four : tensor<4xf64>
}

func.func @open(%x: tensor<?x2147483648x4294967296xf32>) -> tensor<?x2147483648xf32> {
  %y = smx.logsumexp %x axis(2) : tensor<?x2147483648x4294967296xf32> -> tensor<?x2147483648xf32>
  return %y : tensor<?x2147483648xf32>
}

func.func @folded(%x: f32) -> tensor<f32> {
  %n = arith.constant 4294967296 : index
  %e = tensor.empty(%n, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%x : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = smx.softmax %f axis(1) : tensor<?x?xf32> -> tensor<?x?xf32>
  %c0 = arith.constant 0 : index
  %r = tensor.extract %y[%c0, %c0] : tensor<?x?xf32>
  %t = tensor.from_elements %r : tensor<f32>
  return %t : tensor<f32>
}

func.func @none(%x: tensor<0x1099511627776x1099511627776xf32>) -> tensor<0x1099511627776xf32> {
  %y = smx.logsumexp %x axis(2) : tensor<0x1099511627776x1099511627776xf32> -> tensor<0x1099511627776xf32>
  return %y : tensor<0x1099511627776xf32>
}
