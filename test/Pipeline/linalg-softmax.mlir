// RUN: softmax-opt %s --smx-to-tiled='rows=4 stream=32' | FileCheck %s

// Upstream's op is recognised whatever its axis, its elements and its extents are: no stage after the first has it.

// CHECK-NOT: linalg.softmax

// CHECK-LABEL: @last_axis
// CHECK: smx.finish {{.*}} "weights"
// CHECK: smx.finish {{.*}} "softmax_of_weights"
func.func @last_axis(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %e = tensor.empty() : tensor<8x128xf32>
  %y = linalg.softmax dimension(1) ins(%x : tensor<8x128xf32>) outs(%e : tensor<8x128xf32>) -> tensor<8x128xf32>
  return %y : tensor<8x128xf32>
}

// CHECK-LABEL: @first_axis_dynamic_half
// CHECK: smx.finish {{.*}} "softmax"
func.func @first_axis_dynamic_half(%x: tensor<?x128xf16>, %e: tensor<?x128xf16>) -> tensor<?x128xf16> {
  %y = linalg.softmax dimension(0) ins(%x : tensor<?x128xf16>) outs(%e : tensor<?x128xf16>) -> tensor<?x128xf16>
  return %y : tensor<?x128xf16>
}

// CHECK-LABEL: @middle_axis_double
// CHECK: smx.finish {{.*}} "softmax_of_weights"
func.func @middle_axis_double(%x: tensor<3x128x5xf64>) -> tensor<3x128x5xf64> {
  %e = tensor.empty() : tensor<3x128x5xf64>
  %y = linalg.softmax dimension(1) ins(%x : tensor<3x128x5xf64>) outs(%e : tensor<3x128x5xf64>) -> tensor<3x128x5xf64>
  return %y : tensor<3x128x5xf64>
}
