// A slice keeps the dimensions that it drops when its bounds become constants: upstream drops the first ones of one element.
// RUN: softmax-opt %s --canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: @constant_offset
// CHECK: %[[S:.+]] = tensor.extract_slice %{{.+}}[1, 0, 3] [1, 4, 1] [1, 1, 1] : tensor<2x4x8xf32> to tensor<4xf32>
// CHECK: tensor.expand_shape %[[S]] {{\[}}[0, 1]] output_shape [1, 4] : tensor<4xf32> into tensor<1x4xf32>
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

// -----

// Of two dimensions of one element the first is kept: memory with open strides would drop that one.
// CHECK-LABEL: @keeps_the_first
// CHECK: %[[S:.+]] = tensor.extract_slice %{{.+}}[0, 0, 1, 0] [1, 16, 1, 8] [1, 1, 1, 1] : tensor<1x16x3x8xf32> to tensor<16x8xf32>
// CHECK: tensor.expand_shape %[[S]] {{\[}}[0, 1], [2]] output_shape [1, 16, 8] : tensor<16x8xf32> into tensor<1x16x8xf32>
func.func @keeps_the_first(%x: tensor<1x16x3x8xf32>) -> tensor<1x16x8xf32> {
  %s = tensor.extract_slice %x[0, 0, 1, 0] [1, 16, 1, 8] [1, 1, 1, 1] : tensor<1x16x3x8xf32> to tensor<1x16x8xf32>
  %r = smx.softmax %s axis(2) : tensor<1x16x8xf32> -> tensor<1x16x8xf32>
  return %r : tensor<1x16x8xf32>
}

// -----

// CHECK-LABEL: @keeps_the_first_of_open_sizes
// CHECK: %[[S:.+]] = tensor.extract_slice %{{.+}}[0, 0, 1, 0] [1, %[[N:.+]], 1, 8] [1, 1, 1, 1] : tensor<?x?x3x8xf32> to tensor<?x8xf32>
// CHECK: tensor.expand_shape %[[S]] {{\[}}[0, 1], [2]] output_shape [1, %[[N]], 8]
func.func @keeps_the_first_of_open_sizes(%x: tensor<?x?x3x8xf32>, %n: index) -> tensor<1x?x8xf32> {
  %s = tensor.extract_slice %x[0, 0, 1, 0] [1, %n, 1, 8] [1, 1, 1, 1] : tensor<?x?x3x8xf32> to tensor<1x?x8xf32>
  %r = smx.softmax %s axis(2) : tensor<1x?x8xf32> -> tensor<1x?x8xf32>
  return %r : tensor<1x?x8xf32>
}

// -----

// Nor does memory tell of slices with steps.
// CHECK-LABEL: @steps
// CHECK: %[[S:.+]] = tensor.extract_slice %{{.+}}[4, 0, 3] [2, 1, 1] [2, 1, 1] : tensor<8x1x40xf32> to tensor<2xf32>
// CHECK: tensor.expand_shape %[[S]] {{\[}}[0, 1]] output_shape [2, 1] : tensor<2xf32> into tensor<2x1xf32>
func.func @steps(%x: tensor<8x1x40xf32>) -> tensor<2x1xf32> {
  %s = tensor.extract_slice %x[4, 0, 3] [2, 1, 1] [2, 1, 1] : tensor<8x1x40xf32> to tensor<2x1xf32>
  %r = smx.softmax %s axis(0) : tensor<2x1xf32> -> tensor<2x1xf32>
  return %r : tensor<2x1xf32>
}

// -----

// Nothing is between them: which one is kept makes no difference.
// CHECK-LABEL: @one_of_neighbours
// CHECK: tensor.extract_slice %{{.+}} : tensor<8x1x40xf32> to tensor<1x8xf32>
func.func @one_of_neighbours(%x: tensor<8x1x40xf32>) -> tensor<1x8xf32> {
  %s = tensor.extract_slice %x[4, 0, 3] [1, 1, 8] [1, 1, 1] : tensor<8x1x40xf32> to tensor<1x8xf32>
  %r = smx.softmax %s axis(1) : tensor<1x8xf32> -> tensor<1x8xf32>
  return %r : tensor<1x8xf32>
}

// -----

// CHECK-LABEL: @inserts_the_first
// CHECK: %[[S:.+]] = tensor.collapse_shape %{{.+}} {{\[}}[0, 1], [2]] : tensor<1x16x8xf32> into tensor<16x8xf32>
// CHECK: tensor.insert_slice %[[S]] into %{{.+}}[0, 0, 1, 0] [1, 16, 1, 8] [1, 1, 1, 1] : tensor<16x8xf32> into tensor<1x16x3x8xf32>
func.func @inserts_the_first(%x: tensor<1x16x8xf32>, %y: tensor<1x16x3x8xf32>) -> tensor<1x16x3x8xf32> {
  %r = smx.softmax %x axis(2) : tensor<1x16x8xf32> -> tensor<1x16x8xf32>
  %s = tensor.insert_slice %r into %y[0, 0, 1, 0] [1, 16, 1, 8] [1, 1, 1, 1] : tensor<1x16x8xf32> into tensor<1x16x3x8xf32>
  return %s : tensor<1x16x3x8xf32>
}

// -----

// A later one that is kept is one that memory keeps, too.
// CHECK-LABEL: @keeps_the_last
// CHECK: tensor.extract_slice %{{.+}} : tensor<3x16x8x1xf32> to tensor<16x8x1xf32>
func.func @keeps_the_last(%x: tensor<3x16x8x1xf32>) -> tensor<16x8x1xf32> {
  %s = tensor.extract_slice %x[1, 0, 0, 0] [1, 16, 8, 1] [1, 1, 1, 1] : tensor<3x16x8x1xf32> to tensor<16x8x1xf32>
  %r = smx.softmax %s axis(1) : tensor<16x8x1xf32> -> tensor<16x8x1xf32>
  return %r : tensor<16x8x1xf32>
}
