// RUN: softmax-opt %s --smx-online --smx-split=parts=4 | FileCheck %s
// RUN: softmax-opt %s --smx-online --smx-split=parts=1 | FileCheck %s

// CHECK-NOT: smx.merge
// CHECK-NOT: tensor.extract_slice

// CHECK-LABEL: @shorter_than_its_parts
// CHECK-COUNT-1: smx.update
func.func @shorter_than_its_parts(%x: tensor<8x3xf32>) -> tensor<8xf32> {
  %y = smx.logsumexp %x axis(1) : tensor<8x3xf32> -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// CHECK-LABEL: @extent_is_dynamic
// CHECK-COUNT-1: smx.update
func.func @extent_is_dynamic(%x: tensor<8x?xf32>) -> tensor<8xf32> {
  %y = smx.logsumexp %x axis(1) : tensor<8x?xf32> -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// CHECK-LABEL: @no_rows
// CHECK-COUNT-1: smx.update
func.func @no_rows(%x: tensor<0x128xf32>) -> tensor<0xf32> {
  %y = smx.logsumexp %x axis(1) : tensor<0x128xf32> -> tensor<0xf32>
  return %y : tensor<0xf32>
}

#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
// A state that has already seen something is not the start of a stream.
// CHECK-LABEL: @starts_from_a_state
// CHECK-COUNT-1: smx.update
func.func @starts_from_a_state(%m: tensor<8xf32>, %l: tensor<8xf32>, %x: tensor<8x128xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %s:2 = smx.update #smx.softmax<exp> (%m, %l : tensor<8xf32>, tensor<8xf32>) with (%x : tensor<8x128xf32>) maps [#row, #row, #all]
  return %s#0, %s#1 : tensor<8xf32>, tensor<8xf32>
}
