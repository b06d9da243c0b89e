// RUN: softmax-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: @softmax_every_axis
func.func @softmax_every_axis(%x: tensor<2x3x5xf32>) -> (tensor<2x3x5xf32>, tensor<2x3x5xf32>, tensor<2x3x5xf32>) {
  // CHECK: smx.softmax %{{.+}} axis(0) : tensor<2x3x5xf32> -> tensor<2x3x5xf32>
  %0 = smx.softmax %x axis(0) : tensor<2x3x5xf32> -> tensor<2x3x5xf32>
  // CHECK: smx.softmax %{{.+}} axis(1) :
  %1 = smx.softmax %x axis(1) : tensor<2x3x5xf32> -> tensor<2x3x5xf32>
  // CHECK: smx.softmax %{{.+}} axis(2) :
  %2 = smx.softmax %x axis(2) : tensor<2x3x5xf32> -> tensor<2x3x5xf32>
  return %0, %1, %2 : tensor<2x3x5xf32>, tensor<2x3x5xf32>, tensor<2x3x5xf32>
}

// CHECK-LABEL: @softmax_scale_and_masked_row
func.func @softmax_scale_and_masked_row(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // A scale of 1 and a masked row of NaN are what is meant when nothing is said.
  // CHECK: smx.softmax %{{.+}} axis(1) scale(-2.500000e-01) {masked_row = #smx.masked_row<zero>} :
  %0 = smx.softmax %x axis(1) scale(-0.25) {masked_row = #smx.masked_row<zero>} : tensor<4x8xf32> -> tensor<4x8xf32>
  // CHECK: smx.softmax %{{.+}} axis(1) : tensor
  %1 = smx.softmax %0 axis(1) scale(1.0) : tensor<4x8xf32> -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// CHECK-LABEL: @softmax_element_types
func.func @softmax_element_types(%a: tensor<8xf64>, %b: tensor<8xf16>, %c: tensor<?x8xbf16>) {
  // CHECK: tensor<8xf64> -> tensor<8xf64>
  %0 = smx.softmax %a axis(0) : tensor<8xf64> -> tensor<8xf64>
  // CHECK: tensor<8xf16> -> tensor<8xf32>
  %1 = smx.softmax %b axis(0) : tensor<8xf16> -> tensor<8xf32>
  // CHECK: tensor<?x8xbf16> -> tensor<?x8xbf16>
  %2 = smx.softmax %c axis(0) : tensor<?x8xbf16> -> tensor<?x8xbf16>
  return
}

// CHECK-LABEL: @row_ops
func.func @row_ops(%x: tensor<?x7xf32>) -> (tensor<?x7xf32>, tensor<?xf32>, tensor<7xf64>, tensor<?x7xf32>, tensor<?x7xbf16>) {
  // CHECK: smx.log_softmax %{{.+}} axis(1) scale(2.000000e+00) : tensor<?x7xf32> -> tensor<?x7xf32>
  %0 = smx.log_softmax %x axis(1) scale(2.0) : tensor<?x7xf32> -> tensor<?x7xf32>
  // CHECK: smx.logsumexp %{{.+}} axis(1) : tensor<?x7xf32> -> tensor<?xf32>
  %1 = smx.logsumexp %x axis(1) : tensor<?x7xf32> -> tensor<?xf32>
  // CHECK: smx.logsumexp %{{.+}} axis(0) : tensor<?x7xf32> -> tensor<7xf64>
  %2 = smx.logsumexp %x axis(0) : tensor<?x7xf32> -> tensor<7xf64>
  // CHECK: smx.layer_norm %{{.+}} axis(1) epsilon(1.000000e-05) : tensor<?x7xf32> -> tensor<?x7xf32>
  %3 = smx.layer_norm %x axis(1) epsilon(1.0e-05) : tensor<?x7xf32> -> tensor<?x7xf32>
  // CHECK: smx.rms_norm %{{.+}} axis(0) epsilon(9.9999999999999995E-7) : tensor<?x7xf32> -> tensor<?x7xbf16>
  %4 = smx.rms_norm %x axis(0) epsilon(1.0e-06) : tensor<?x7xf32> -> tensor<?x7xbf16>
  return %0, %1, %2, %3, %4 : tensor<?x7xf32>, tensor<?xf32>, tensor<7xf64>, tensor<?x7xf32>, tensor<?x7xbf16>
}

// CHECK-LABEL: @softmax_dot
func.func @softmax_dot(%s: tensor<4x?xf32>, %v: tensor<4x9x3x2xbf16>, %w: tensor<4x?xf32>) -> tensor<4x3x2xbf16> {
  // CHECK: smx.softmax_dot %{{.+}}, %{{.+}} scale(5.000000e-01) : tensor<4x?xf32>, tensor<4x9x3x2xbf16> -> tensor<4x3x2xbf16>
  %0 = smx.softmax_dot %s, %v scale(0.5) : tensor<4x?xf32>, tensor<4x9x3x2xbf16> -> tensor<4x3x2xbf16>
  // One value per score: the average of a row is a scalar.
  // CHECK: smx.softmax_dot %{{.+}}, %{{.+}} : tensor<4x?xf32>, tensor<4x?xf32> -> tensor<4xf32>
  %1 = smx.softmax_dot %s, %w : tensor<4x?xf32>, tensor<4x?xf32> -> tensor<4xf32>
  return %0 : tensor<4x3x2xbf16>
}
