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

// No smx op rounds to 8 bits: what does stays behind the softmax.
// CHECK-LABEL: @rounded_to_8_bits
// CHECK: %[[Y:.+]] = smx.softmax
// CHECK: arith.truncf %[[Y]] : tensor<8x128xf32> to tensor<8x128xf8E4M3FN>
func.func @rounded_to_8_bits(%x: tensor<8x128xf32>) -> tensor<8x128xf8E4M3FN> {
  %e = tensor.empty() : tensor<8x128xf32>
  %y = linalg.softmax dimension(1) ins(%x : tensor<8x128xf32>) outs(%e : tensor<8x128xf32>) -> tensor<8x128xf32>
  %z = arith.truncf %y : tensor<8x128xf32> to tensor<8x128xf8E4M3FN>
  return %z : tensor<8x128xf8E4M3FN>
}
