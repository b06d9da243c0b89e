// RUN: softmax-opt %s --smx-bufferize --verify-diagnostics

// Tensors of the dialect become arithmetic first.
func.func @not_expanded(%x: tensor<8x128xf32>) -> tensor<8xf32> {
  // expected-error @below {{op was not bufferized}}
  %y = smx.logsumexp %x axis(1) : tensor<8x128xf32> -> tensor<8xf32>
  return %y : tensor<8xf32>
}
