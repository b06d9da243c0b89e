// RUN: softmax-opt %s --split-input-file --smx-bufferize -verify-diagnostics

// expected-error @+1 {{takes or gives 'tensor<*xf32>'; expected tensors with a rank, of which any extent may be open (tensor<?x?xf32>)}}
func.func @taken(%x: tensor<*xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  return %y : tensor<4x8xf32>
}

// -----

// expected-error @+1 {{takes or gives 'tensor<*xf32>'; expected tensors with a rank}}
func.func @given(%y: tensor<4x8xf32>) -> tensor<*xf32> {
  %x = tensor.cast %y : tensor<4x8xf32> to tensor<*xf32>
  return %x : tensor<*xf32>
}
