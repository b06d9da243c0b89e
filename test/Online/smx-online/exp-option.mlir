// RUN: softmax-opt %s --smx-online | FileCheck %s --check-prefixes=CHECK,AUTO
// RUN: softmax-opt %s --smx-online=exp=auto | FileCheck %s --check-prefixes=CHECK,AUTO
// RUN: softmax-opt %s --smx-online=exp=exp | FileCheck %s --check-prefixes=CHECK,EXP
// RUN: softmax-opt %s --smx-online=exp=exp2 | FileCheck %s --check-prefixes=CHECK,EXP2

// CHECK-LABEL: @row
// AUTO: smx.identity #smx.softmax<exp>
// EXP: smx.identity #smx.softmax<exp>
// EXP2: smx.identity #smx.softmax<exp2>
func.func @row(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %y = smx.softmax %x axis(1) : tensor<4x8xf32> -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// CHECK-LABEL: @attention_f32
// AUTO: smx.identity #smx.softmax<exp2, scale = 2.500000e-01, masked_row = zero>
// EXP: smx.identity #smx.softmax<exp, scale = 2.500000e-01, masked_row = zero>
// EXP2: smx.identity #smx.softmax<exp2, scale = 2.500000e-01, masked_row = zero>
func.func @attention_f32(%q: tensor<7x16xf32>, %k: tensor<9x16xf32>, %v: tensor<9x4xf32>) -> tensor<7x4xf32> {
  %o = smx.attention %q, %k, %v scale(0.25) : tensor<7x16xf32>, tensor<9x16xf32>, tensor<9x4xf32> -> tensor<7x4xf32>
  return %o : tensor<7x4xf32>
}

// CHECK-LABEL: @attention_f64
// AUTO: smx.identity #smx.softmax<exp, scale = 2.500000e-01, masked_row = zero>
// EXP: smx.identity #smx.softmax<exp, scale = 2.500000e-01, masked_row = zero>
// EXP2: smx.identity #smx.softmax<exp2, scale = 2.500000e-01, masked_row = zero>
func.func @attention_f64(%q: tensor<7x16xf64>, %k: tensor<9x16xf64>, %v: tensor<9x4xf64>) -> tensor<7x4xf64> {
  %o = smx.attention %q, %k, %v scale(0.25) : tensor<7x16xf64>, tensor<9x16xf64>, tensor<9x4xf64> -> tensor<7x4xf64>
  return %o : tensor<7x4xf64>
}
