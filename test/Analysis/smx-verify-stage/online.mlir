// RUN: softmax-opt %s --smx-online --smx-verify-stage=stage=online | FileCheck %s

// CHECK-LABEL: @row
func.func @row(%x: tensor<8x?xf32>) -> tensor<8x?xf32> {
  // CHECK: smx.identity
  // CHECK: smx.update
  // CHECK: smx.finish
  %y = smx.softmax %x axis(1) : tensor<8x?xf32> -> tensor<8x?xf32>
  return %y : tensor<8x?xf32>
}

// CHECK-LABEL: @attention
func.func @attention(%q: tensor<2x64x32xf32>, %k: tensor<2x96x32xf32>, %v: tensor<2x96x16xf32>) -> tensor<2x64x16xf32> {
  // CHECK: smx.mask
  // CHECK: smx.finish
  %o = smx.attention %q, %k, %v scale(1.250000e-01) mask(#smx.band<bottom_right, right = 0>)
     : tensor<2x64x32xf32>, tensor<2x96x32xf32>, tensor<2x96x16xf32> -> tensor<2x64x16xf32>
  return %o : tensor<2x64x16xf32>
}
