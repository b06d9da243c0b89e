// RUN: softmax-opt %s --smx-to-gpu -split-input-file -verify-diagnostics

// Blocks are numbered along ten dimensions at most.
!t = tensor<1x2x1x2x1x2x1x2x1x2x1x3xf32>
func.func @rows(%x: !t) -> !t {
  // expected-error @+1 {{'smx.finish' op has 11 dimensions of rows, and kernels have at most 9; tensor.collapse_shape in front of it would work}}
  %y = smx.softmax %x axis(11) : !t -> !t
  return %y : !t
}

// -----

!t = tensor<1x2x1x2x1x2x1x2x1x2x1x3xf32>
func.func @elements(%x: !t) -> !t {
  // expected-error @+1 {{'linalg.generic' op has 12 parallel dimensions, and kernels have at most 10; tensor.collapse_shape in front of it would work}}
  %y = math.tanh %x : !t
  return %y : !t
}
