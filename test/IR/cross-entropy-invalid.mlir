// RUN: softmax-opt %s -split-input-file -verify-diagnostics

// R1
func.func @integer_logits(%x: tensor<4x8xi32>, %t: tensor<4xi64>) -> tensor<4xf32> {
  // expected-error @+1 {{'smx.cross_entropy' op expected floating-point elements (f64, f32, f16, bf16 or of 8 bits) and a rank of at least 1, got 'tensor<4x8xi32>'}}
  %0 = smx.cross_entropy %x, %t axis(1) : tensor<4x8xi32>, tensor<4xi64> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// R2
func.func @axis(%x: tensor<4x8xf32>, %t: tensor<4xi64>) -> tensor<4xf32> {
  // expected-error @+1 {{'smx.cross_entropy' op expected an axis in [0, 2), got 2}}
  %0 = smx.cross_entropy %x, %t axis(2) : tensor<4x8xf32>, tensor<4xi64> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// R4
func.func @scale(%x: tensor<4x8xf32>, %t: tensor<4xi64>) -> tensor<4xf32> {
  // expected-error @+1 {{'smx.cross_entropy' op expected a finite scale other than 0, got 0}}
  %0 = smx.cross_entropy %x, %t axis(1) scale(0.0) : tensor<4x8xf32>, tensor<4xi64> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// C1
func.func @shape_of_targets(%x: tensor<4x?xf32>, %t: tensor<8xi64>) -> tensor<4xf32> {
  // expected-error @+1 {{'smx.cross_entropy' op expected targets of shape [4] with signless integers of more than 1 bit or index, got 'tensor<8xi64>'}}
  %0 = smx.cross_entropy %x, %t axis(1) : tensor<4x?xf32>, tensor<8xi64> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// C1: 1 would be -1.
func.func @targets_of_one_bit(%x: tensor<4x2xf32>, %t: tensor<4xi1>) -> tensor<4xf32> {
  // expected-error @+1 {{'smx.cross_entropy' op expected targets of shape [4] with signless integers of more than 1 bit or index, got 'tensor<4xi1>'}}
  %0 = smx.cross_entropy %x, %t axis(1) : tensor<4x2xf32>, tensor<4xi1> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// C1: probabilities are no targets.
func.func @elements_of_targets(%x: tensor<4x8xf32>, %t: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'smx.cross_entropy' op expected targets of shape [4] with signless integers of more than 1 bit or index, got 'tensor<4xf32>'}}
  %0 = smx.cross_entropy %x, %t axis(1) : tensor<4x8xf32>, tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// C2
func.func @shape_of_loss(%x: tensor<4x8xf32>, %t: tensor<4xi64>) -> tensor<8xf32> {
  // expected-error @+1 {{'smx.cross_entropy' op expected a loss of shape [4] with floating-point elements of at least 16 bits, got 'tensor<8xf32>'}}
  %0 = smx.cross_entropy %x, %t axis(1) : tensor<4x8xf32>, tensor<4xi64> -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// C2
func.func @elements_of_log_sum_exp(%x: tensor<4x8xf32>, %t: tensor<4xi64>) -> tensor<4xf32> {
  // expected-error @+1 {{'smx.cross_entropy' op expected a log-sum-exp of shape [4] with floating-point elements of at least 16 bits, got 'tensor<4xi32>'}}
  %0, %1 = smx.cross_entropy %x, %t axis(1) : tensor<4x8xf32>, tensor<4xi64> -> tensor<4xf32>, tensor<4xi32>
  return %0 : tensor<4xf32>
}

// -----

// C3
func.func @smoothing(%x: tensor<4x8xf32>, %t: tensor<4xi64>) -> tensor<4xf32> {
  // expected-error @+1 {{'smx.cross_entropy' op expected a smoothing in [0, 1), got 1}}
  %0 = smx.cross_entropy %x, %t axis(1) smoothing(1.0) : tensor<4x8xf32>, tensor<4xi64> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// C4
func.func @ignored(%x: tensor<4x8xf32>, %t: tensor<4xi8>) -> tensor<4xf32> {
  // expected-error @+1 {{'smx.cross_entropy' op expected an ignored index that 'i8' holds, got -200}}
  %0 = smx.cross_entropy %x, %t axis(1) ignore(-200) : tensor<4x8xf32>, tensor<4xi8> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// C5
func.func @log_sum_exp(%x: tensor<4x8xf32>, %t: tensor<4xi64>, %l: tensor<8xf32>, %g: tensor<4xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{'smx.cross_entropy_backward' op expected a log-sum-exp of shape [4] with floating-point elements of at least 16 bits, got 'tensor<8xf32>'}}
  %0 = smx.cross_entropy_backward %x, %t, %l, %g axis(1)
      : tensor<4x8xf32>, tensor<4xi64>, tensor<8xf32>, tensor<4xf32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// C5
func.func @gradient_of_loss(%x: tensor<4x8xf32>, %t: tensor<4xi64>, %l: tensor<4xf32>, %g: tensor<f32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{'smx.cross_entropy_backward' op expected a gradient of shape [4] with floating-point elements of at least 16 bits, got 'tensor<f32>'}}
  %0 = smx.cross_entropy_backward %x, %t, %l, %g axis(1)
      : tensor<4x8xf32>, tensor<4xi64>, tensor<4xf32>, tensor<f32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// R3
func.func @result_of_cross_entropy(%x: tensor<4x8xf32>, %t: tensor<4xi64>, %l: tensor<4xf32>, %g: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'smx.cross_entropy_backward' op expected a result of shape [4, 8] with floating-point elements of at least 16 bits, got 'tensor<4xf32>'}}
  %0 = smx.cross_entropy_backward %x, %t, %l, %g axis(1)
      : tensor<4x8xf32>, tensor<4xi64>, tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// G1
func.func @gradient_of_softmax(%y: tensor<4x8xf32>, %g: tensor<4x9xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{'smx.softmax_backward' op expected a gradient of shape [4, 8] with floating-point elements of at least 16 bits, got 'tensor<4x9xf32>'}}
  %0 = smx.softmax_backward %y, %g axis(1) : tensor<4x8xf32>, tensor<4x9xf32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// R3
func.func @result_of_log_softmax(%y: tensor<4x8xf32>, %g: tensor<4x8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'smx.log_softmax_backward' op expected a result of shape [4, 8] with floating-point elements of at least 16 bits, got 'tensor<8xf32>'}}
  %0 = smx.log_softmax_backward %y, %g axis(1) : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
