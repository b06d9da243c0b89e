// RUN: softmax-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: @topk
func.func @topk(%x: tensor<?x7xbf16>) -> (tensor<?x3xf32>, tensor<2x7xi32>) {
  // CHECK: smx.topk_softmax %{{.+}} axis(1) k(3) : tensor<?x7xbf16> -> tensor<?x3xf32>, tensor<?x3xi64>
  %p, %i = smx.topk_softmax %x axis(1) k(3) : tensor<?x7xbf16> -> tensor<?x3xf32>, tensor<?x3xi64>
  // CHECK: smx.topk_softmax %{{.+}} axis(0) k(2) scale(-2.000000e+00) : tensor<?x7xbf16> -> tensor<2x7xbf16>, tensor<2x7xi32>
  %q, %j = smx.topk_softmax %x axis(0) k(2) scale(-2.0) : tensor<?x7xbf16> -> tensor<2x7xbf16>, tensor<2x7xi32>
  return %p, %j : tensor<?x3xf32>, tensor<2x7xi32>
}
