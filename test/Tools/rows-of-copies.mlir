// Rows that are copied on the way to a kernel start where the copy's do: the emulator finds no other promise.
// RUN: softmax-run %s --entry=columns --target=emulator --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=collapsed --target=emulator --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=every_second --target=emulator --repeat=0 | FileCheck %s
// CHECK: against raised: pass

func.func @columns(%x: tensor<64x30x4xf32>) -> tensor<64xf32> {
  %s = tensor.extract_slice %x[0, 0, 0] [64, 30, 1] [1, 1, 1] : tensor<64x30x4xf32> to tensor<64x30xf32>
  %y = smx.logsumexp %s axis(1) : tensor<64x30xf32> -> tensor<64xf32>
  return %y : tensor<64xf32>
}

func.func @collapsed(%x: tensor<8x9x32xf32>) -> tensor<64xf32> {
  %s = tensor.extract_slice %x[0, 0, 0] [8, 8, 30] [1, 1, 1] : tensor<8x9x32xf32> to tensor<8x8x30xf32>
  %c = tensor.collapse_shape %s [[0, 1], [2]] : tensor<8x8x30xf32> into tensor<64x30xf32>
  %y = smx.logsumexp %c axis(1) : tensor<64x30xf32> -> tensor<64xf32>
  return %y : tensor<64xf32>
}

func.func @every_second(%x: tensor<8x24xf32>) -> tensor<8x2xf32> {
  %s = tensor.extract_slice %x[0, 0] [8, 12] [1, 2] : tensor<8x24xf32> to tensor<8x12xf32>
  %c = tensor.expand_shape %s [[0], [1, 2]] output_shape [8, 2, 6] : tensor<8x12xf32> into tensor<8x2x6xf32>
  %y = smx.logsumexp %c axis(2) : tensor<8x2x6xf32> -> tensor<8x2xf32>
  return %y : tensor<8x2xf32>
}
