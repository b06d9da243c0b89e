// RUN: softmax-opt %s --smx-raise --verify-diagnostics

func.func @on_buffers(%x: memref<8x128xf32>, %y: memref<8x128xf32>) {
  // expected-remark @below {{not raised to smx.softmax: it works on buffers, not on tensors}}
  linalg.softmax dimension(1) ins(%x : memref<8x128xf32>) outs(%y : memref<8x128xf32>)
  return
}
