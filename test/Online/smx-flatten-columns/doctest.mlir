// RUN: softmax-opt %s --smx-flatten-columns | FileCheck %s

// CHECK-LABEL: func.func @two_dimensions
// CHECK: %[[C:.*]] = tensor.collapse_shape %arg1 {{\[}}[0], [1], [2, 3]] : tensor<8x128x4x16xf32> into tensor<8x128x64xf32>
// CHECK: %[[F:.*]] = smx.softmax_dot %arg0, %[[C]] scale(5.000000e-01) {masked_row = #smx.masked_row<zero>} : tensor<8x128xf32>, tensor<8x128x64xf32> -> tensor<8x64xf16>
// CHECK: %[[Y:.*]] = tensor.expand_shape %[[F]] {{\[}}[0], [1, 2]] output_shape [8, 4, 16] : tensor<8x64xf16> into tensor<8x4x16xf16>
// CHECK: return %[[Y]]
func.func @two_dimensions(%x: tensor<8x128xf32>, %v: tensor<8x128x4x16xf32>) -> tensor<8x4x16xf16> {
  %y = smx.softmax_dot %x, %v scale(0.5) {masked_row = #smx.masked_row<zero>} : tensor<8x128xf32>, tensor<8x128x4x16xf32> -> tensor<8x4x16xf16>
  return %y : tensor<8x4x16xf16>
}

// An only row, and extents that one of the types leaves open.
// CHECK-LABEL: func.func @open
// CHECK: %[[C:.*]] = tensor.collapse_shape %arg1 {{\[}}[0], [1, 2, 3]] : tensor<128x?x4x?xf32> into tensor<128x?xf32>
// CHECK: %[[F:.*]] = smx.softmax_dot %arg0, %[[C]] : tensor<128xf32>, tensor<128x?xf32> -> tensor<?xf32>
// CHECK: %[[E:.*]] = tensor.expand_shape %[[F]] {{\[}}[0, 1, 2]] output_shape [%{{.*}}, 4, %{{.*}}] : tensor<?xf32> into tensor<?x4x?xf32>
// CHECK: %[[Y:.*]] = tensor.cast %[[E]] : tensor<?x4x?xf32> to tensor<7x?x?xf32>
// CHECK: return %[[Y]]
func.func @open(%x: tensor<128xf32>, %v: tensor<128x?x4x?xf32>) -> tensor<7x?x?xf32> {
  %y = smx.softmax_dot %x, %v : tensor<128xf32>, tensor<128x?x4x?xf32> -> tensor<7x?x?xf32>
  return %y : tensor<7x?x?xf32>
}

// CHECK-LABEL: func.func @one_dimension
// CHECK-NOT: collapse_shape
// CHECK: smx.softmax_dot %arg0, %arg1
func.func @one_dimension(%x: tensor<8x128xf32>, %v: tensor<8x128x16xf32>) -> tensor<8x16xf32> {
  %y = smx.softmax_dot %x, %v : tensor<8x128xf32>, tensor<8x128x16xf32> -> tensor<8x16xf32>
  return %y : tensor<8x16xf32>
}
