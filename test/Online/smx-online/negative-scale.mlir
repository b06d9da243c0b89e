// RUN: softmax-opt %s --smx-online | FileCheck %s

// max(scale*s) = scale*max(s) for positive scales only: the sign goes into the scores, exactly.

// CHECK-LABEL: @softmin
// CHECK-SAME: %[[X:.+]]: tensor<4x8xf16>
// CHECK: %[[S:.+]] = linalg.generic {{.*}} ins(%[[X]] : tensor<4x8xf16>)
// CHECK: ^bb0(%[[IN:.+]]: f16, %{{.+}}: f16):
// CHECK: %[[NEGATED:.+]] = arith.negf %[[IN]]
// CHECK: linalg.yield %[[NEGATED]]
// CHECK: smx.update #smx.softmax<exp, scale = 5.000000e-01>({{.*}}) with(%[[S]] : tensor<4x8xf16>)
// CHECK: smx.finish #smx.softmax<exp, scale = 5.000000e-01> "softmax"({{.*}}) with(%[[S]] : tensor<4x8xf16>)
func.func @softmin(%x: tensor<4x8xf16>) -> tensor<4x8xf16> {
  %y = smx.softmax %x axis(1) scale(-0.5) : tensor<4x8xf16> -> tensor<4x8xf16>
  return %y : tensor<4x8xf16>
}

// CHECK-LABEL: @dot
// CHECK: arith.negf
// CHECK: smx.identity #smx.softmax<exp, scale = 2.000000e+00> ->
func.func @dot(%x: tensor<4x8xf32>, %v: tensor<4x8xf32>) -> tensor<4xf32> {
  %y = smx.softmax_dot %x, %v scale(-2.0) : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// The scores of an attention are made here: they are made with their scale.
// CHECK-LABEL: @attention
// CHECK: %[[C:.+]] = arith.constant -2.500000e-01 : f32
// CHECK: arith.mulf %{{.+}}, %[[C]] : f32
// CHECK: smx.identity #smx.softmax<exp2, masked_row = zero> ->
func.func @attention(%q: tensor<7x16xf32>, %k: tensor<9x16xf32>, %v: tensor<9x4xf32>) -> tensor<7x4xf32> {
  %o = smx.attention %q, %k, %v scale(-0.25) : tensor<7x16xf32>, tensor<9x16xf32>, tensor<9x4xf32> -> tensor<7x4xf32>
  return %o : tensor<7x4xf32>
}
