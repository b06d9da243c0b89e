// Rows that smx-tile gives to several blocks of threads each stay whole: it makes as many parts as they need.
// RUN: softmax-opt %s --smx-online --smx-split='parts=1 longest-bytes=1024 slots=8' | FileCheck %s

// CHECK-LABEL: func @shared
// CHECK-NOT: smx.merge
// CHECK: return
func.func @shared(%x: tensor<2x1024xf32>) -> tensor<2xf32> {
  %y = smx.logsumexp %x axis(1) : tensor<2x1024xf32> -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// CHECK-LABEL: func @longer
// CHECK-NOT: smx.merge
// CHECK: return
func.func @longer(%x: tensor<2x65536xf32>) -> tensor<2xf32> {
  %y = smx.logsumexp %x axis(1) : tensor<2x65536xf32> -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// CHECK-LABEL: func @enough_rows
// CHECK: smx.merge
func.func @enough_rows(%x: tensor<5x1024xf32>) -> tensor<5xf32> {
  %y = smx.logsumexp %x axis(1) : tensor<5x1024xf32> -> tensor<5xf32>
  return %y : tensor<5xf32>
}

// CHECK-LABEL: func @largest
// CHECK-NOT: smx.merge
// CHECK: return
func.func @largest(%x: tensor<2x65536xf32>) -> (tensor<2x8xf32>, tensor<2x8xi64>) {
  %p, %i = smx.topk_softmax %x axis(1) k(8) : tensor<2x65536xf32> -> tensor<2x8xf32>, tensor<2x8xi64>
  return %p, %i : tensor<2x8xf32>, tensor<2x8xi64>
}

// Four blocks would read 128 KiB less than one, which lists are not merged for.
// CHECK-LABEL: func @short_largest
// CHECK: smx.merge
func.func @short_largest(%x: tensor<2x43690xf32>) -> (tensor<2x8xf32>, tensor<2x8xi64>) {
  %p, %i = smx.topk_softmax %x axis(1) k(8) : tensor<2x43690xf32> -> tensor<2x8xf32>, tensor<2x8xi64>
  return %p, %i : tensor<2x8xf32>, tensor<2x8xi64>
}

// No algebra merges parts of it.
// CHECK-LABEL: func @no_parts
// CHECK: smx.merge
func.func @no_parts(%x: tensor<2x1024xf32>) -> (tensor<2x9xf32>, tensor<2x9xi64>) {
  %p, %i = smx.topk_softmax %x axis(1) k(9) : tensor<2x1024xf32> -> tensor<2x9xf32>, tensor<2x9xi64>
  return %p, %i : tensor<2x9xf32>, tensor<2x9xi64>
}

// CHECK-LABEL: func @read_again
// CHECK-NOT: smx.merge
// CHECK: return
func.func @read_again(%x: tensor<2x1024xf32>) -> tensor<2x1024xf32> {
  %y = smx.softmax %x axis(1) : tensor<2x1024xf32> -> tensor<2x1024xf32>
  return %y : tensor<2x1024xf32>
}
