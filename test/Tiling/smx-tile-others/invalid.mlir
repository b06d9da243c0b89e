// What has no form as loops over tiles.
// RUN: softmax-opt %s --smx-tile-others --split-input-file --verify-diagnostics

func.func @convolution(%x: tensor<2x8x40xf32>, %w: tensor<16x8x3xf32>, %f: tensor<2x16x38xf32>) -> tensor<2x16x38xf32> {
  // expected-error @+1 {{is reduced over places that are sums of its loops, as a convolution is, or read backwards, which has no kernel; a product of matrices, of the patches, or a reduction of what an op of its own reads, would work}}
  %y = linalg.conv_1d_ncw_fcw ins(%x, %w : tensor<2x8x40xf32>, tensor<16x8x3xf32>) outs(%f : tensor<2x16x38xf32>) -> tensor<2x16x38xf32>
  return %y : tensor<2x16x38xf32>
}

// -----

func.func @on_memory(%a: memref<24x64xf32>, %b: memref<64x32xf32>, %s: memref<24x32xf32>) {
  // expected-error @+1 {{'linalg.matmul' op writes memory itself, which has no kernel; the same on tensors would work}}
  linalg.matmul ins(%a, %b : memref<24x64xf32>, memref<64x32xf32>) outs(%s : memref<24x32xf32>)
  return
}
