// A slice keeps the dimensions that it drops when its bounds become constants: upstream drops the first ones of one element.
// RUN: softmax-opt %s --canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: @constant_offset
// CHECK: tensor.extract_slice %{{.+}}[1, 0, 3] [1, 4, 1] [1, 1, 1] : tensor<2x4x8xf32> to tensor<1x4xf32>
func.func @constant_offset(%x: tensor<2x4x8xf32>) -> tensor<1x4xf32> {
  %c1 = arith.constant 1 : index
  %s = tensor.extract_slice %x[%c1, 0, 3] [1, 4, 1] [1, 1, 1] : tensor<2x4x8xf32> to tensor<1x4xf32>
  %r = smx.softmax %s axis(1) : tensor<1x4xf32> -> tensor<1x4xf32>
  return %r : tensor<1x4xf32>
}

// -----

// A size that becomes known is told to what reads the slice.
// CHECK-LABEL: @constant_size
// CHECK: %[[S:.+]] = tensor.extract_slice %{{.+}}[0, 0, %{{.+}}] [2, 4, 1] [1, 1, 1] : tensor<2x4x8xf32> to tensor<2x4xf32>
// CHECK: tensor.cast %[[S]] : tensor<2x4xf32> to tensor<?x4xf32>
func.func @constant_size(%x: tensor<2x4x8xf32>, %at: index) -> tensor<?x4xf32> {
  %c2 = arith.constant 2 : index
  %s = tensor.extract_slice %x[0, 0, %at] [%c2, 4, 1] [1, 1, 1] : tensor<2x4x8xf32> to tensor<?x4xf32>
  %r = smx.softmax %s axis(1) : tensor<?x4xf32> -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// -----

// One element has no step.
// CHECK-LABEL: @step_of_one
// CHECK: tensor.extract_slice %{{.+}} [1, 3, 1, 3] [1, 1, 1, 1]
// CHECK: tensor.insert_slice %{{.+}} [1, 3, 1, 3] [1, 1, 1, 1]
func.func @step_of_one(%x: tensor<1x3x2x3xf32>) -> tensor<1x3x2x3xf32> {
  %s = tensor.extract_slice %x[0, 0, 0, 0] [1, 3, 1, 3] [1, 1, 2, 1] : tensor<1x3x2x3xf32> to tensor<3x1x3xf32>
  %r = smx.softmax %s axis(2) : tensor<3x1x3xf32> -> tensor<3x1x3xf32>
  %y = tensor.insert_slice %r into %x[0, 0, 0, 0] [1, 3, 1, 3] [1, 1, 2, 1] : tensor<3x1x3xf32> into tensor<1x3x2x3xf32>
  return %y : tensor<1x3x2x3xf32>
}
