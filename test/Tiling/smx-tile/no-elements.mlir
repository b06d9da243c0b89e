// RUN: softmax-run %s --repeat=0 | FileCheck %s
// RUN: softmax-run %s --repeat=0 --target=emulator | FileCheck %s
// CHECK: against raised: pass
// Rows that are none have no state, and no kernel.
func.func @no_rows(%x: tensor<0x5xf32>) -> tensor<0x1xf32> {
  %l = smx.logsumexp %x axis(1) : tensor<0x5xf32> -> tensor<0xf32>
  %r = tensor.expand_shape %l [[0, 1]] output_shape [0, 1] : tensor<0xf32> into tensor<0x1xf32>
  return %r : tensor<0x1xf32>
}
