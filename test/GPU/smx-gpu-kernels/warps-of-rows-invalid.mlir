// RUN: not softmax-opt %s --smx-to-gpu=warps=12 2>&1 | FileCheck %s
// RUN: softmax-opt %s --smx-to-gpu=warps=8

// CHECK: error: a tile of 1 x 1024 elements has no use for all of 12 warps; a power of two of them (warps) would work
func.func @rows(%x: tensor<64x1024xf32>) -> tensor<64x1024xf32> {
  %y = smx.softmax %x axis(1) : tensor<64x1024xf32> -> tensor<64x1024xf32>
  return %y : tensor<64x1024xf32>
}
