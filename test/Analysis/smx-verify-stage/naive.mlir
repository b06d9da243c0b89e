// RUN: softmax-opt %s --smx-verify-stage=stage=naive | FileCheck %s
// RUN: softmax-opt %s --smx-verify-stage=stage=input | FileCheck %s

// Stage naive allows specification ops and linalg that sees whole rows.

// CHECK-LABEL: @specification
func.func @specification(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {
  // CHECK: smx.softmax
  %y = smx.softmax %x axis(1) : tensor<8x128xf32> -> tensor<8x128xf32>
  return %y : tensor<8x128xf32>
}

// CHECK-LABEL: @upstream
func.func @upstream(%x: tensor<8x128xf32>, %o: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %y = linalg.softmax dimension(1) ins(%x : tensor<8x128xf32>) outs(%o : tensor<8x128xf32>) -> tensor<8x128xf32>
  return %y : tensor<8x128xf32>
}
