// RUN: softmax-opt %s --smx-pack-heads --remarks-filter=smx-pack-heads 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks

!q = tensor<2x8x4x64xbf16>
!k = tensor<2x2x512x64xbf16>

// CHECK-LABEL: @sinks
// CHECK-NOT: linalg.generic
// REMARK: each head has a sink of its own
func.func @sinks(%q: !q, %k: !k, %v: !k, %s: tensor<8xf32>) -> !q {
  %o = smx.attention %q, %k, %v scale(0.125) sinks(%s : tensor<8xf32>) : !q, !k, !k -> !q
  return %o : !q
}

// CHECK-LABEL: @ranges
// CHECK-NOT: linalg.generic
// REMARK: the mask reads something for each row
func.func @ranges(%q: !q, %k: !k, %v: !k, %n: tensor<2x4xi32>) -> !q {
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.key_ranges) reads(%n, %n : tensor<2x4xi32>, tensor<2x4xi32>) : !q, !k, !k -> !q
  return %o : !q
}

// CHECK-LABEL: @lengths_of_heads
// CHECK-NOT: linalg.generic
// REMARK: the mask reads something for each head
func.func @lengths_of_heads(%q: !q, %k: !k, %v: !k, %n: tensor<2x8xi32>) -> !q {
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.key_lengths) reads(%n : tensor<2x8xi32>) : !q, !k, !k -> !q
  return %o : !q
}

// One query: heads are rows as they are.
// CHECK-LABEL: @one_query
// CHECK-NOT: linalg.generic
// REMARK-NOT: PackHeads
func.func @one_query(%q: tensor<8x1x64xbf16>, %k: tensor<2x512x64xbf16>) -> tensor<8x1x64xbf16> {
  %o = smx.attention %q, %k, %k scale(0.125) : tensor<8x1x64xbf16>, tensor<2x512x64xbf16>, tensor<2x512x64xbf16> -> tensor<8x1x64xbf16>
  return %o : tensor<8x1x64xbf16>
}

// A group of 32 heads as the rows of a tile reads the keys 4 times, 8 tiles of packed heads would do so 8 times.
// CHECK-LABEL: @large_group
// CHECK-NOT: linalg.generic
func.func @large_group(%q: tensor<32x4x64xbf16>, %k: tensor<1x512x64xbf16>) -> tensor<32x4x64xbf16> {
  %o = smx.attention %q, %k, %k scale(0.125) : tensor<32x4x64xbf16>, tensor<1x512x64xbf16>, tensor<1x512x64xbf16> -> tensor<32x4x64xbf16>
  return %o : tensor<32x4x64xbf16>
}

// As many queries as there is room for.
// CHECK-LABEL: @many_queries
// CHECK-NOT: linalg.generic
func.func @many_queries(%q: tensor<8x16x64xbf16>, %k: tensor<2x512x64xbf16>) -> tensor<8x16x64xbf16> {
  %o = smx.attention %q, %k, %k scale(0.125) : tensor<8x16x64xbf16>, tensor<2x512x64xbf16>, tensor<2x512x64xbf16> -> tensor<8x16x64xbf16>
  return %o : tensor<8x16x64xbf16>
}
