// RUN: softmax-opt %s --smx-raise --verify-diagnostics

func.func @on_buffers(%x: memref<8x128xf32>, %y: memref<8x128xf32>) {
  // expected-remark @below {{not raised to smx.softmax: it works on buffers, not on tensors}}
  linalg.softmax dimension(1) ins(%x : memref<8x128xf32>) outs(%y : memref<8x128xf32>)
  return
}

func.func @of_8_bits(%x: tensor<8x128xf8E4M3FN>, %o: tensor<8x128xf8E4M3FN>) -> tensor<8x128xf8E4M3FN> {
  // expected-remark @below {{not raised to smx.softmax: its result has fewer than 16 bits}}
  %y = linalg.softmax dimension(1) ins(%x : tensor<8x128xf8E4M3FN>) outs(%o : tensor<8x128xf8E4M3FN>) -> tensor<8x128xf8E4M3FN>
  return %y : tensor<8x128xf8E4M3FN>
}
