// RUN: softmax-opt %s --smx-online --smx-split="parts=2 accumulators=false" | FileCheck %s

// What has an accumulator is cut for blocks of threads, by smx-tile.
// CHECK-LABEL: @average
// CHECK-COUNT-1: smx.update
// CHECK-NOT: smx.merge
func.func @average(%s: tensor<8x128xf32>, %v: tensor<8x128x4xf32>) -> tensor<8x4xf32> {
  %y = smx.softmax_dot %s, %v : tensor<8x128xf32>, tensor<8x128x4xf32> -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// CHECK-LABEL: @sum
// CHECK: smx.merge
func.func @sum(%x: tensor<8x128xf32>) -> tensor<8xf32> {
  %y = smx.logsumexp %x axis(1) : tensor<8x128xf32> -> tensor<8xf32>
  return %y : tensor<8xf32>
}
