// RUN: softmax-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: @cross_entropy
func.func @cross_entropy(%x: tensor<4x?xbf16>, %t: tensor<4xi32>, %u: tensor<?xindex>) -> (tensor<4xf32>, tensor<4xf64>, tensor<?xbf16>) {
  // CHECK: smx.cross_entropy %{{.+}}, %{{.+}} axis(1) : tensor<4x?xbf16>, tensor<4xi32> -> tensor<4xf32>{{$}}
  %0 = smx.cross_entropy %x, %t axis(1) : tensor<4x?xbf16>, tensor<4xi32> -> tensor<4xf32>
  // CHECK: smx.cross_entropy %{{.+}}, %{{.+}} axis(1) scale(-2.000000e+00) smoothing(1.000000e-01) ignore(-100) : tensor<4x?xbf16>, tensor<4xi32> -> tensor<4xf32>, tensor<4xf64>
  %1, %2 = smx.cross_entropy %x, %t axis(1) scale(-2.0) smoothing(0.1) ignore(-100) : tensor<4x?xbf16>, tensor<4xi32> -> tensor<4xf32>, tensor<4xf64>
  // CHECK: smx.cross_entropy %{{.+}}, %{{.+}} axis(0) : tensor<4x?xbf16>, tensor<?xindex> -> tensor<?xbf16>
  %3 = smx.cross_entropy %x, %u axis(0) : tensor<4x?xbf16>, tensor<?xindex> -> tensor<?xbf16>
  return %0, %2, %3 : tensor<4xf32>, tensor<4xf64>, tensor<?xbf16>
}

// CHECK-LABEL: @one_row
func.func @one_row(%x: tensor<9xf32>, %t: tensor<i64>) -> tensor<f32> {
  // CHECK: smx.cross_entropy %{{.+}}, %{{.+}} axis(0) : tensor<9xf32>, tensor<i64> -> tensor<f32>
  %0 = smx.cross_entropy %x, %t axis(0) : tensor<9xf32>, tensor<i64> -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: @gradients
func.func @gradients(%x: tensor<4x?xf16>, %t: tensor<4xi64>, %l: tensor<4xf32>, %g: tensor<4xf32>) -> (tensor<4x?xf16>, tensor<4x?xf32>) {
  // CHECK: smx.cross_entropy_backward %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} axis(1) smoothing(2.500000e-01) ignore(0) : tensor<4x?xf16>, tensor<4xi64>, tensor<4xf32>, tensor<4xf32> -> tensor<4x?xf16>
  %0 = smx.cross_entropy_backward %x, %t, %l, %g axis(1) smoothing(0.25) ignore(0) : tensor<4x?xf16>, tensor<4xi64>, tensor<4xf32>, tensor<4xf32> -> tensor<4x?xf16>
  // CHECK: smx.softmax_backward %{{.+}}, %{{.+}} axis(0) scale(5.000000e-01) : tensor<4x?xf16>, tensor<4x?xf16> -> tensor<4x?xf16>
  %1 = smx.softmax_backward %x, %0 axis(0) scale(0.5) : tensor<4x?xf16>, tensor<4x?xf16> -> tensor<4x?xf16>
  // CHECK: smx.log_softmax_backward %{{.+}}, %{{.+}} axis(1) : tensor<4x?xf16>, tensor<4x?xf16> -> tensor<4x?xf32>
  %2 = smx.log_softmax_backward %x, %0 axis(1) : tensor<4x?xf16>, tensor<4x?xf16> -> tensor<4x?xf32>
  return %1, %2 : tensor<4x?xf16>, tensor<4x?xf32>
}
