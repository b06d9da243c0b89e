// RUN: softmax-opt %s --smx-online --mlir-print-local-scope | FileCheck %s

// CHECK-LABEL: @log_softmax
// CHECK-SAME: %[[X:.+]]: tensor<4x8xf32>
// CHECK: %[[S:.+]]:2 = smx.update
// CHECK: smx.finish #smx.softmax<exp, scale = 2.000000e+00> "log_softmax"(%[[S]]#0, %[[S]]#1 : {{.*}}) with(%[[X]] :
func.func @log_softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %y = smx.log_softmax %x axis(1) scale(2.0) : tensor<4x8xf32> -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// One value per row: the finish reads the state alone.
// CHECK-LABEL: @log_sum_exp
// CHECK: %[[S:.+]]:2 = smx.update
// CHECK: smx.finish #smx.softmax<exp> "logsumexp"(%[[S]]#0, %[[S]]#1 : tensor<4xf32>, tensor<4xf32>)
// CHECK-NOT: with(
// CHECK-SAME: maps [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>] : tensor<4xf32>
func.func @log_sum_exp(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %y = smx.logsumexp %x axis(1) : tensor<4x8xf32> -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// The other family: three components, the same three ops.
// CHECK-LABEL: @layer_norm
// CHECK-SAME: %[[X:.+]]: tensor<4x8xf32>
// CHECK: %[[I:.+]]:3 = smx.identity #[[A:smx.moments<epsilon = 1.000000e-05 : f64>]] -> tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
// CHECK: %[[S:.+]]:3 = smx.update #[[A]](%[[I]]#0, %[[I]]#1, %[[I]]#2 : {{.*}}) with(%[[X]] : tensor<4x8xf32>)
// CHECK: smx.finish #[[A]] "normalized"(%[[S]]#0, %[[S]]#1, %[[S]]#2 : {{.*}}) with(%[[X]] : tensor<4x8xf32>)
func.func @layer_norm(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %y = smx.layer_norm %x axis(1) epsilon(1.0e-5) : tensor<4x8xf32> -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// CHECK-LABEL: @rms_norm
// CHECK-SAME: %[[X:.+]]: tensor<4x8xbf16>
// CHECK: %[[I:.+]]:3 = smx.identity #[[A:smx.mean_square<epsilon = 1.000000e-05 : f64>]] -> tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
// CHECK: %[[S:.+]]:3 = smx.update #[[A]](%[[I]]#0, %[[I]]#1, %[[I]]#2 : {{.*}}) with(%[[X]] : tensor<4x8xbf16>)
// CHECK: smx.finish #[[A]] "normalized"(%[[S]]#0, %[[S]]#1, %[[S]]#2 : {{.*}}) with(%[[X]] : tensor<4x8xbf16>)
func.func @rms_norm(%x: tensor<4x8xbf16>) -> tensor<4x8xbf16> {
  %y = smx.rms_norm %x axis(1) epsilon(1.0e-5) : tensor<4x8xbf16> -> tensor<4x8xbf16>
  return %y : tensor<4x8xbf16>
}

// CHECK-LABEL: @masked_row_is_zero
// CHECK-COUNT-3: #smx.softmax<exp, masked_row = zero>
func.func @masked_row_is_zero(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %y = smx.softmax %x axis(1) {masked_row = #smx.masked_row<zero>} : tensor<4x8xf32> -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
