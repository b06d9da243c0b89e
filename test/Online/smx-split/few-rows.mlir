// Rows that smx-tile gives to several blocks of threads each stay whole, unless a block's part is too long as well.
// RUN: softmax-opt %s --smx-online --smx-split='parts=1 longest-bytes=1024 slots=8' | FileCheck %s

// CHECK-LABEL: func @shared
// CHECK-NOT: smx.merge
// CHECK: return
func.func @shared(%x: tensor<2x1024xf32>) -> tensor<2xf32> {
  %y = smx.logsumexp %x axis(1) : tensor<2x1024xf32> -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// CHECK-LABEL: func @parts_too_long
// CHECK: smx.merge
func.func @parts_too_long(%x: tensor<2x1028xf32>) -> tensor<2xf32> {
  %y = smx.logsumexp %x axis(1) : tensor<2x1028xf32> -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// CHECK-LABEL: func @enough_rows
// CHECK: smx.merge
func.func @enough_rows(%x: tensor<5x1024xf32>) -> tensor<5xf32> {
  %y = smx.logsumexp %x axis(1) : tensor<5x1024xf32> -> tensor<5xf32>
  return %y : tensor<5xf32>
}

// No algebra merges parts of it.
// CHECK-LABEL: func @no_parts
// CHECK: smx.merge
func.func @no_parts(%x: tensor<2x1024xf32>, %t: tensor<2xi64>) -> tensor<2xf32> {
  %y = smx.cross_entropy %x, %t axis(1) : tensor<2x1024xf32>, tensor<2xi64> -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// CHECK-LABEL: func @read_again
// CHECK: smx.merge
func.func @read_again(%x: tensor<2x1024xf32>) -> tensor<2x1024xf32> {
  %y = smx.softmax %x axis(1) : tensor<2x1024xf32> -> tensor<2x1024xf32>
  return %y : tensor<2x1024xf32>
}
