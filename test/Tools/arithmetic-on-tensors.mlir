// RUN: softmax-run %s --check=naive --repeat=0
// RUN: softmax-run %s --check=naive --repeat=0 --target=emulator

// Arithmetic on whole tensors, in front of a softmax and behind it, runs on either target.
func.func @scaled_softmax(%x: tensor<4x40xf32>, %w: tensor<4x40xf32>) -> tensor<4x40xf32> {
  %e = tensor.empty() : tensor<4x40xf32>
  %s = math.tanh %x : tensor<4x40xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<4x40xf32>) outs(%e : tensor<4x40xf32>) -> tensor<4x40xf32>
  %y = arith.mulf %p, %w : tensor<4x40xf32>
  return %y : tensor<4x40xf32>
}
