// RUN: softmax-opt %s --smx-online --smx-split='parts=1 longest-bytes=1024' | FileCheck %s

// 600 elements of 4 bytes are three parts of at most 1024 bytes.
// CHECK-LABEL: @longer
// CHECK-COUNT-3: smx.update {{.+}} : tensor<8x200xf32>)
// CHECK-COUNT-2: smx.merge
func.func @longer(%x: tensor<8x600xf32>) -> tensor<8xf32> {
  %y = smx.logsumexp %x axis(1) : tensor<8x600xf32> -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// Of 2 bytes, two.
// CHECK-LABEL: @narrower
// CHECK-COUNT-2: smx.update {{.+}} : tensor<8x300xbf16>)
func.func @narrower(%x: tensor<8x600xbf16>) -> tensor<8xbf16> {
  %y = smx.logsumexp %x axis(1) : tensor<8x600xbf16> -> tensor<8xbf16>
  return %y : tensor<8xbf16>
}

// What a row is widened to is in no memory: two, of the widened row's parts.
// CHECK-LABEL: @widened
// CHECK-COUNT-2: smx.update {{.+}} : tensor<8x300xf32>)
// CHECK-NOT: smx.update
func.func @widened(%x: tensor<8x600xbf16>) -> tensor<8xf32> {
  %y = smx.logsumexp %x axis(1) : tensor<8x600xbf16> -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// CHECK-LABEL: @as_long
// CHECK-COUNT-1: smx.update
// CHECK-NOT: smx.merge
func.func @as_long(%x: tensor<8x256xf32>) -> tensor<8xf32> {
  %y = smx.logsumexp %x axis(1) : tensor<8x256xf32> -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// The products of an accumulator are worth more than a bit of its sum.
// CHECK-LABEL: @has_an_accumulator
// CHECK-COUNT-1: smx.update
// CHECK-NOT: smx.merge
func.func @has_an_accumulator(%x: tensor<8x600xf32>, %v: tensor<8x600x16xf32>) -> tensor<8x16xf32> {
  %y = smx.softmax_dot %x, %v : tensor<8x600xf32>, tensor<8x600x16xf32> -> tensor<8x16xf32>
  return %y : tensor<8x16xf32>
}
