// RUN: softmax-opt %s --smx-raise | FileCheck %s

// CHECK-LABEL: @last_axis
// CHECK-SAME: %[[X:.+]]: tensor<8x128xf32>
func.func @last_axis(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {
  // CHECK: %[[Y:.+]] = smx.softmax %[[X]] axis(1) : tensor<8x128xf32> -> tensor<8x128xf32>
  // CHECK: return %[[Y]]
  %e = tensor.empty() : tensor<8x128xf32>
  %y = linalg.softmax dimension(1) ins(%x : tensor<8x128xf32>) outs(%e : tensor<8x128xf32>) -> tensor<8x128xf32>
  return %y : tensor<8x128xf32>
}

// CHECK-LABEL: @dynamic_middle_axis
func.func @dynamic_middle_axis(%x: tensor<?x?x4xf16>, %out: tensor<?x?x4xf16>) -> tensor<?x?x4xf16> {
  // CHECK: smx.softmax %{{.+}} axis(1) : tensor<?x?x4xf16> -> tensor<?x?x4xf16>
  // CHECK-NOT: linalg.softmax
  %y = linalg.softmax dimension(1) ins(%x : tensor<?x?x4xf16>) outs(%out : tensor<?x?x4xf16>) -> tensor<?x?x4xf16>
  return %y : tensor<?x?x4xf16>
}
