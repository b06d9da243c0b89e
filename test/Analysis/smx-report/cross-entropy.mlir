// What moves for M x N = 64 x 8192 in f32 (2097152 bytes): one read of the logits for a loss, with a target and its logit for each row;
// two reads and a write for a gradient.

// RUN: softmax-opt %s -o /dev/null --smx-report | FileCheck %s --check-prefix=NAIVE
// RUN: softmax-opt %s -o /dev/null --pass-pipeline='builtin.module(smx-online,func.func(smx-tile{rows=4 stream=8192}),canonicalize,cse,smx-report)' | FileCheck %s --check-prefix=RESIDENT

// NAIVE: @loss naive 2097664 256 0 1572864 524288
// NAIVE: @gradient naive 4194304 2097152 0 2097152
// RESIDENT: @loss tiled 2097920 256 0
// RESIDENT: @gradient tiled 4194304 2097152

func.func @loss(%x: tensor<64x8192xf32>, %t: tensor<64xi64>) -> tensor<64xf32> {
  %y = smx.cross_entropy %x, %t axis(1) : tensor<64x8192xf32>, tensor<64xi64> -> tensor<64xf32>
  return %y : tensor<64xf32>
}
func.func @gradient(%y: tensor<64x8192xf32>, %g: tensor<64x8192xf32>) -> tensor<64x8192xf32> {
  %0 = smx.softmax_backward %y, %g axis(1) : tensor<64x8192xf32>, tensor<64x8192xf32> -> tensor<64x8192xf32>
  return %0 : tensor<64x8192xf32>
}
