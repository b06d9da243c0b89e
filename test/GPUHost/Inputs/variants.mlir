// A row for the blocks of a cluster; a row for the parts of a kernel; asynchronous copies without roles; few queries; the largest
// elements; keys and values in pages.

func.func @cluster(%x: tensor<2x262144xf32>) -> tensor<2x262144xf32> {
  %o = smx.softmax %x axis(1) : tensor<2x262144xf32> -> tensor<2x262144xf32>
  return %o : tensor<2x262144xf32>
}
func.func @split(%x: tensor<4x5000xf32>) -> tensor<4x5000xf32> {
  %o = smx.softmax %x axis(1) : tensor<4x5000xf32> -> tensor<4x5000xf32>
  return %o : tensor<4x5000xf32>
}

!causal = tensor<2x200x64xbf16>
func.func @causal(%q: !causal, %k: !causal, %v: !causal) -> !causal {
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.band<bottom_right, right = 0>) : !causal, !causal, !causal -> !causal
  return %o : !causal
}

!query = tensor<1x8x1x128xbf16>
!keys = tensor<1x2x1000x128xbf16>
func.func @decode(%q: !query, %k: !keys, %v: !keys) -> !query {
  %o = smx.attention %q, %k, %v scale(0.125) : !query, !keys, !keys -> !query
  return %o : !query
}

!rows = tensor<4x5000xf32>
func.func @largest(%x: !rows) -> (tensor<4x4xf32>, tensor<4x4xi64>) {
  %p, %i = smx.topk_softmax %x axis(1) k(4) : !rows -> tensor<4x4xf32>, tensor<4x4xi64>
  return %p, %i : tensor<4x4xf32>, tensor<4x4xi64>
}

!q = tensor<2x4x1x64xf16>
!p = tensor<11x16x2x64xf16>
!k = tensor<2x2x80x64xf16>
func.func @paged(%q: !q, %k_pages: !p, %v_pages: !p, %table: tensor<2x5xi32>, %lengths: tensor<2xi32>) -> !q {
  %k = smx.paged %k_pages by(%table, %lengths : tensor<2x5xi32>, tensor<2xi32>) : !p -> !k
  %v = smx.paged %v_pages by(%table, %lengths : tensor<2x5xi32>, tensor<2xi32>) : !p -> !k
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.key_lengths) reads(%lengths : tensor<2xi32>) : !q, !k, !k -> !q
  return %o : !q
}
