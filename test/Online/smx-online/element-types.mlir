// RUN: softmax-opt %s --smx-online | FileCheck %s

// States are f32, and f64 for f64 scores; the scores have the result's type where it has more bits.

// CHECK-LABEL: @half
// CHECK: smx.identity {{.*}} -> tensor<4xf32>, tensor<4xf32>
// CHECK: smx.update {{.*}} with(%{{.+}} : tensor<4x8xf16>)
// CHECK: smx.finish {{.*}} : tensor<4x8xf16>
func.func @half(%x: tensor<4x8xf16>) -> tensor<4x8xf16> {
  %y = smx.softmax %x axis(1) : tensor<4x8xf16> -> tensor<4x8xf16>
  return %y : tensor<4x8xf16>
}

// A result with more bits than the scores has weights of as many.
// CHECK-LABEL: @bfloat_to_single
// CHECK: %[[X:.+]] = linalg.generic {{.*}} ins(%{{.+}} : tensor<4x8xbf16>) outs(%{{.+}} : tensor<4x8xf32>)
// CHECK: arith.extf %{{.+}} : bf16 to f32
// CHECK: smx.identity {{.*}} -> tensor<4xf32>, tensor<4xf32>
// CHECK: smx.update {{.*}} with(%[[X]] : tensor<4x8xf32>)
// CHECK: smx.finish {{.*}} with(%[[X]] : tensor<4x8xf32>) {{.*}} : tensor<4x8xf32>
func.func @bfloat_to_single(%x: tensor<4x8xbf16>) -> tensor<4x8xf32> {
  %y = smx.softmax %x axis(1) : tensor<4x8xbf16> -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// CHECK-LABEL: @single_to_double
// CHECK: arith.extf %{{.+}} : f32 to f64
// CHECK: arith.negf %{{.+}} : f64
// CHECK: smx.identity {{.*}} -> tensor<4xf64>, tensor<4xf64>
func.func @single_to_double(%x: tensor<4x8xf32>) -> tensor<4xf64> {
  %y = smx.logsumexp %x axis(1) scale(-1.0) : tensor<4x8xf32> -> tensor<4xf64>
  return %y : tensor<4xf64>
}

// CHECK-LABEL: @double
// CHECK: smx.identity {{.*}} -> tensor<4xf64>, tensor<4xf64>
func.func @double(%x: tensor<4x8xf64>) -> tensor<4x8xf64> {
  %y = smx.softmax %x axis(1) : tensor<4x8xf64> -> tensor<4x8xf64>
  return %y : tensor<4x8xf64>
}

// CHECK-LABEL: @attention_in_bfloat
// CHECK: linalg.generic {{.*}} ins(%{{.+}}, %{{.+}} : tensor<7x16xbf16>, tensor<9x16xbf16>) outs(%{{.+}} : tensor<7x9xf32>)
// CHECK-COUNT-2: arith.extf %{{.+}} : bf16 to f32
// CHECK: arith.mulf %{{.+}}, %{{.+}} : f32
// CHECK: smx.identity {{.*}} -> tensor<7xf32>, tensor<7xf32>, tensor<7x4xf32>
// CHECK: smx.finish {{.*}} : tensor<7x4xbf16>
func.func @attention_in_bfloat(%q: tensor<7x16xbf16>, %k: tensor<9x16xbf16>, %v: tensor<9x4xbf16>) -> tensor<7x4xbf16> {
  %o = smx.attention %q, %k, %v scale(0.25) : tensor<7x16xbf16>, tensor<9x16xbf16>, tensor<9x4xbf16> -> tensor<7x4xbf16>
  return %o : tensor<7x4xbf16>
}

// A result in f64 is computed in f64 from what there is.
// CHECK-LABEL: @norm_in_f64
// CHECK-SAME: %[[X:.+]]: tensor<4x8xf32>
// CHECK: %[[W:.+]] = linalg.generic {{.*}} ins(%[[X]] : tensor<4x8xf32>)
// CHECK: smx.update {{.*}} tensor<4xf64>) with(%[[W]] :
// CHECK: smx.finish {{.*}} with(%[[W]] :
func.func @norm_in_f64(%x: tensor<4x8xf32>) -> tensor<4x8xf64> {
  %y = smx.layer_norm %x axis(1) epsilon(1.0e-5) : tensor<4x8xf32> -> tensor<4x8xf64>
  return %y : tensor<4x8xf64>
}

// One operand in f64 is enough.
// CHECK-LABEL: @gradient_in_f64
// CHECK-SAME: %[[Y:.+]]: tensor<4x8xf32>, %[[G:.+]]: tensor<4x8xf64>
// CHECK: %[[W:.+]] = linalg.generic {{.*}} ins(%[[Y]] : tensor<4x8xf32>)
// CHECK: smx.update {{.*}} tensor<4xf64>) with(%[[W]], %[[G]] :
func.func @gradient_in_f64(%y: tensor<4x8xf32>, %g: tensor<4x8xf64>) -> tensor<4x8xf32> {
  %0 = smx.softmax_backward %y, %g axis(1) : tensor<4x8xf32>, tensor<4x8xf64> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
