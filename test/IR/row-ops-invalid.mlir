// RUN: softmax-opt %s -split-input-file -verify-diagnostics

// R1
func.func @integer_elements(%x: tensor<4x8xi32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{'smx.softmax' op expected floating-point elements (f64, f32, f16, bf16 or of 8 bits) and a rank of at least 1, got 'tensor<4x8xi32>'}}
  %0 = smx.softmax %x axis(1) : tensor<4x8xi32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// R1
func.func @scalar(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{'smx.log_softmax' op expected floating-point elements (f64, f32, f16, bf16 or of 8 bits) and a rank of at least 1, got 'tensor<f32>'}}
  %0 = smx.log_softmax %x axis(0) : tensor<f32> -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// R2
func.func @axis_is_rank(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{'smx.softmax' op expected an axis in [0, 2), got 2}}
  %0 = smx.softmax %x axis(2) : tensor<4x8xf32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// R2: an axis is not counted from the back.
func.func @axis_is_negative(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'smx.logsumexp' op expected an axis in [0, 2), got -1}}
  %0 = smx.logsumexp %x axis(-1) : tensor<4x8xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// R2
func.func @layer_norm_axis(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{'smx.layer_norm' op expected an axis in [0, 2), got 7}}
  %0 = smx.layer_norm %x axis(7) epsilon(0.0) : tensor<4x8xf32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// R3
func.func @result_shape(%x: tensor<4x?xf32>) -> tensor<5x8xf32> {
  // expected-error @+1 {{'smx.softmax' op expected a result of shape [4, ?] with floating-point elements of at least 16 bits, got 'tensor<5x8xf32>'}}
  %0 = smx.softmax %x axis(1) : tensor<4x?xf32> -> tensor<5x8xf32>
  return %0 : tensor<5x8xf32>
}

// -----

// R3
func.func @result_elements(%x: tensor<4x8xf32>) -> tensor<4x8xi8> {
  // expected-error @+1 {{'smx.layer_norm' op expected a result of shape [4, 8] with floating-point elements of at least 16 bits, got 'tensor<4x8xi8>'}}
  %0 = smx.layer_norm %x axis(1) epsilon(1.0e-5) : tensor<4x8xf32> -> tensor<4x8xi8>
  return %0 : tensor<4x8xi8>
}

// -----

// R3
func.func @narrow_result(%x: tensor<8x128xf16>) {
  // expected-error @+1 {{'smx.softmax' op expected a result of shape [8, 128] with floating-point elements of at least 16 bits, got 'tensor<8x128xf8E4M3FN>'}}
  %0 = smx.softmax %x axis(1) : tensor<8x128xf16> -> tensor<8x128xf8E4M3FN>
  return
}

// -----

// R4
func.func @scale_is_zero(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{'smx.softmax' op expected a finite scale other than 0, got 0}}
  %0 = smx.softmax %x axis(1) scale(0.0) : tensor<4x8xf32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// R4
func.func @scale_is_infinite(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'smx.logsumexp' op expected a finite scale other than 0, got }}
  %0 = smx.logsumexp %x axis(1) scale(0x7FF0000000000000) : tensor<4x8xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// R4
func.func @scale_is_too_large(%x: tensor<4x8xbf16>) -> tensor<4x8xf64> {
  // expected-error @+1 {{'smx.softmax' op expected a scale of at most 2.358657e+38 for scores that are computed in 'f32', got 3.000000e+38}}
  %0 = smx.softmax %x axis(1) scale(3.0e38) : tensor<4x8xbf16> -> tensor<4x8xf64>
  return %0 : tensor<4x8xf64>
}

// -----

// R4
func.func @scale_is_too_small(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{'smx.softmax' op expected a scale of at least 1.401298e-45 for scores that are computed in 'f32', got 1.000000e-60}}
  %0 = smx.softmax %x axis(1) scale(1.0e-60) : tensor<4x8xf32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// R4
func.func @negative_scale_is_too_small(%x: tensor<4x8xf16>) -> tensor<4x8xf16> {
  // expected-error @+1 {{'smx.log_softmax' op expected a scale of at least 1.401298e-45 for scores that are computed in 'f32', got -1.000000e-60}}
  %0 = smx.log_softmax %x axis(1) scale(-1.0e-60) : tensor<4x8xf16> -> tensor<4x8xf16>
  return %0 : tensor<4x8xf16>
}

// -----

// R5
func.func @logsumexp_keeps_the_axis(%x: tensor<4x8xf32>) -> tensor<4x1xf32> {
  // expected-error @+1 {{'smx.logsumexp' op expected a result of shape [4] with floating-point elements of at least 16 bits, got 'tensor<4x1xf32>'}}
  %0 = smx.logsumexp %x axis(1) : tensor<4x8xf32> -> tensor<4x1xf32>
  return %0 : tensor<4x1xf32>
}

// -----

// R6
func.func @epsilon_is_negative(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{'smx.layer_norm' op expected a finite epsilon of at least 0, got -1}}
  %0 = smx.layer_norm %x axis(1) epsilon(-1.0) : tensor<4x8xf32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// R6
func.func @epsilon_is_nan(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{'smx.layer_norm' op expected a finite epsilon of at least 0, got }}
  %0 = smx.layer_norm %x axis(1) epsilon(0x7FF8000000000000) : tensor<4x8xf32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// R6
func.func @epsilon_of_rms_norm(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{'smx.rms_norm' op expected a finite epsilon of at least 0, got -1}}
  %0 = smx.rms_norm %x axis(1) epsilon(-1.0) : tensor<4x8xf32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// R2
func.func @rms_norm_axis(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{'smx.rms_norm' op expected an axis in [0, 2), got 2}}
  %0 = smx.rms_norm %x axis(2) epsilon(0.0) : tensor<4x8xf32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// R3
func.func @rms_norm_shape(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'smx.rms_norm' op expected a result of shape [4, 8] with floating-point elements of at least 16 bits, got 'tensor<4xf32>'}}
  %0 = smx.rms_norm %x axis(1) epsilon(0.0) : tensor<4x8xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// R1
func.func @rms_norm_of_integers(%x: tensor<4x8xi32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{'smx.rms_norm' op expected floating-point elements (f64, f32, f16, bf16 or of 8 bits) and a rank of at least 1, got 'tensor<4x8xi32>'}}
  %0 = smx.rms_norm %x axis(1) epsilon(0.0) : tensor<4x8xi32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// R1
func.func @tf32(%x: tensor<4x8xtf32>) {
  // expected-error @+1 {{'smx.softmax' op expected floating-point elements (f64, f32, f16, bf16 or of 8 bits) and a rank of at least 1, got 'tensor<4x8xtf32>'}}
  %0 = smx.softmax %x axis(1) : tensor<4x8xtf32> -> tensor<4x8xtf32>
  return
}
