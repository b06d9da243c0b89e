// RUN: softmax-opt %s -split-input-file -verify-diagnostics

// D1
func.func @integer_values(%s: tensor<4x8xf32>, %v: tensor<4x8x2xi32>) -> tensor<4x2xf32> {
  // expected-error @+1 {{'smx.softmax_dot' op expected floating-point elements and scores of rank at least 1, got 'tensor<4x8xf32>' and 'tensor<4x8x2xi32>'}}
  %0 = smx.softmax_dot %s, %v : tensor<4x8xf32>, tensor<4x8x2xi32> -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// -----

// D1
func.func @scalar_scores(%s: tensor<f32>, %v: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{'smx.softmax_dot' op expected floating-point elements and scores of rank at least 1, got 'tensor<f32>' and 'tensor<2xf32>'}}
  %0 = smx.softmax_dot %s, %v : tensor<f32>, tensor<2xf32> -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// D2
func.func @values_have_other_rows(%s: tensor<4x8xf32>, %v: tensor<5x8x2xf32>) -> tensor<5x2xf32> {
  // expected-error @+1 {{'smx.softmax_dot' op expected the shape of the values to start with that of the scores, got 'tensor<4x8xf32>' and 'tensor<5x8x2xf32>'}}
  %0 = smx.softmax_dot %s, %v : tensor<4x8xf32>, tensor<5x8x2xf32> -> tensor<5x2xf32>
  return %0 : tensor<5x2xf32>
}

// -----

// D2: values that all rows share are a broadcast that the IR must show.
func.func @values_without_rows(%s: tensor<4x8xf32>, %v: tensor<8x2xf32>) -> tensor<4x2xf32> {
  // expected-error @+1 {{'smx.softmax_dot' op expected the shape of the values to start with that of the scores, got 'tensor<4x8xf32>' and 'tensor<8x2xf32>'}}
  %0 = smx.softmax_dot %s, %v : tensor<4x8xf32>, tensor<8x2xf32> -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// -----

// D3
func.func @result_keeps_the_axis(%s: tensor<4x8xf32>, %v: tensor<4x8x2xf32>) -> tensor<4x8x2xf32> {
  // expected-error @+1 {{'smx.softmax_dot' op expected a result of shape [4, 2] with floating-point elements of at least 16 bits, got 'tensor<4x8x2xf32>'}}
  %0 = smx.softmax_dot %s, %v : tensor<4x8xf32>, tensor<4x8x2xf32> -> tensor<4x8x2xf32>
  return %0 : tensor<4x8x2xf32>
}

// -----

// D4
func.func @scale_is_zero(%s: tensor<4x8xf32>, %v: tensor<4x8x2xf32>) -> tensor<4x2xf32> {
  // expected-error @+1 {{'smx.softmax_dot' op expected a finite scale other than 0, got 0}}
  %0 = smx.softmax_dot %s, %v scale(0.0) : tensor<4x8xf32>, tensor<4x8x2xf32> -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}
