// RUN: softmax-opt %s --smx-online --smx-split=parts=3 | FileCheck %s

// Chunks of equal extent, the last one shorter.

// CHECK-LABEL: @ten_in_three
// CHECK: tensor.extract_slice %{{.+}}[0, 0] [4, 4]
// CHECK: tensor.extract_slice %{{.+}}[0, 4] [4, 4]
// CHECK: tensor.extract_slice %{{.+}}[0, 8] [4, 2]
// CHECK-NOT: tensor.extract_slice
// CHECK-COUNT-2: smx.merge
func.func @ten_in_three(%x: tensor<4x10xf32>) -> tensor<4xf32> {
  %y = smx.logsumexp %x axis(1) : tensor<4x10xf32> -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// 4 in chunks of 2: two parts, not three with an empty one.
// CHECK-LABEL: @four_in_three
// CHECK-COUNT-2: tensor.extract_slice
// CHECK-COUNT-1: smx.merge
// CHECK-NOT: smx.merge
func.func @four_in_three(%x: tensor<4x4xf32>) -> tensor<4xf32> {
  %y = smx.logsumexp %x axis(1) : tensor<4x4xf32> -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// The stream is the first axis of the tensor.
// CHECK-LABEL: @first_axis
// CHECK: tensor.extract_slice %{{.+}}[0, 0] [2, 4]
// CHECK: tensor.extract_slice %{{.+}}[2, 0] [2, 4]
// CHECK: tensor.extract_slice %{{.+}}[4, 0] [2, 4]
func.func @first_axis(%x: tensor<6x4xf32>) -> tensor<4xf32> {
  %y = smx.logsumexp %x axis(0) : tensor<6x4xf32> -> tensor<4xf32>
  return %y : tensor<4xf32>
}
