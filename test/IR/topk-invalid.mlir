// RUN: softmax-opt %s -split-input-file -verify-diagnostics

// T1
func.func @none(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'smx.topk_softmax' op expected k in [1, 8], got 0}}
  %p, %i = smx.topk_softmax %x axis(1) k(0) : tensor<4x8xf32> -> tensor<4x0xf32>, tensor<4x0xi64>
  return
}

// -----

// T1
func.func @more_than_there_are(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'smx.topk_softmax' op expected k in [1, 8], got 9}}
  %p, %i = smx.topk_softmax %x axis(1) k(9) : tensor<4x8xf32> -> tensor<4x9xf32>, tensor<4x9xi64>
  return
}

// -----

// T1
func.func @too_many(%x: tensor<4x?xf32>) {
  // expected-error @+1 {{'smx.topk_softmax' op expected k in [1, 64], got 65}}
  %p, %i = smx.topk_softmax %x axis(1) k(65) : tensor<4x?xf32> -> tensor<4x65xf32>, tensor<4x65xi64>
  return
}

// -----

// T2: a key of 64 bits has no room for a place beside such a score.
func.func @doubles(%x: tensor<4x8xf64>) {
  // expected-error @+1 {{'smx.topk_softmax' op expected elements of at most 32 bits and at most 536870912 of them along the axis, got 'tensor<4x8xf64>'}}
  %p, %i = smx.topk_softmax %x axis(1) k(2) : tensor<4x8xf64> -> tensor<4x2xf64>, tensor<4x2xi64>
  return
}

// -----

// T3
func.func @shape_of_probabilities(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'smx.topk_softmax' op expected probabilities of shape [4, 2] with floating-point elements of at least 16 bits, got 'tensor<4x8xf32>'}}
  %p, %i = smx.topk_softmax %x axis(1) k(2) : tensor<4x8xf32> -> tensor<4x8xf32>, tensor<4x2xi64>
  return
}

// -----

// T4
func.func @narrow_places(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'smx.topk_softmax' op expected places of shape [4, 2] with signless integers of at least 32 bits, got 'tensor<4x2xi8>'}}
  %p, %i = smx.topk_softmax %x axis(1) k(2) : tensor<4x8xf32> -> tensor<4x2xf32>, tensor<4x2xi8>
  return
}

// -----

// T3
func.func @probabilities_of_64_bits(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'smx.topk_softmax' op expected probabilities of at most 32 bits, as the scores, got 'tensor<4x2xf64>'}}
  %p, %i = smx.topk_softmax %x axis(1) k(2) : tensor<4x8xf32> -> tensor<4x2xf64>, tensor<4x2xi64>
  return
}

// -----

func.func @axis_without_elements(%x: tensor<4x0xf32>) {
  // expected-error @+1 {{'smx.topk_softmax' op expected an axis with elements, got 'tensor<4x0xf32>'}}
  %p, %i = smx.topk_softmax %x axis(1) k(1) : tensor<4x0xf32> -> tensor<4x1xf32>, tensor<4x1xi64>
  return
}
