// RUN: softmax-opt %s --smx-online --smx-tile=stream=32 -verify-diagnostics
// RUN: softmax-opt %s --smx-online --smx-tile=stream=12 -o /dev/null

!q = tensor<1x2x1x8xf32>
!p = tensor<9x24x2x8xf32>
!k = tensor<1x2x96x8xf32>
func.func @tile_of_two_pages(%q: !q, %kp: !p, %t: tensor<1x4xi32>, %n: tensor<1xi32>) -> !q {
  %k = smx.paged %kp by(%t, %n : tensor<1x4xi32>, tensor<1xi32>) : !p -> !k
  // expected-error @+1 {{expected tiles of keys that divide a page of 24 keys, got 32; tiles of 24 would work}}
  %o = smx.attention %q, %k, %k scale(1.0) mask(#smx.key_lengths) reads(%n : tensor<1xi32>) : !q, !k, !k -> !q
  return %o : !q
}
