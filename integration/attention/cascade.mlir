// One prompt for all sequences, and a suffix of each: two attentions, merged by their log-sum-exp. The queries of all
// sequences and of the heads that share keys are rows beside each other in front of the prompt, which is read once.

!q = tensor<?x4x4x128xbf16>                  // sequence, head of keys, head that shares it
!suffix = tensor<?x4x?x128xbf16>
!prompt = tensor<4x?x128xbf16>
!rows = tensor<4x?x128xbf16>
#heads = affine_map<(b, h, g, d) -> (b, h, g)>
#all = affine_map<(b, h, g, d) -> (b, h, g, d)>
#front_heads = affine_map<(b, h, g, d) -> (h, b, g)>
#front_all = affine_map<(b, h, g, d) -> (h, b, g, d)>
func.func @cascade(%q: !q, %prompt_k: !prompt, %prompt_v: !prompt, %k: !suffix, %v: !suffix, %lengths: tensor<?xi32>) -> !q {
  %c0 = arith.constant 0 : index
  %b = tensor.dim %q, %c0 : !q
  %e0 = tensor.empty(%b) : tensor<4x?x4x128xbf16>
  %t = linalg.transpose ins(%q : !q) outs(%e0 : tensor<4x?x4x128xbf16>) permutation = [1, 0, 2, 3]
  %rows = tensor.collapse_shape %t [[0], [1, 2], [3]] : tensor<4x?x4x128xbf16> into !rows
  %p, %pl = smx.attention %rows, %prompt_k, %prompt_v scale(0.08838834764831845)
     : !rows, !prompt, !prompt -> tensor<4x?x128xf32>, tensor<4x?xf32>
  %s, %sl = smx.attention %q, %k, %v scale(0.08838834764831845) mask(#smx.key_lengths) reads(%lengths : tensor<?xi32>)
     : !q, !suffix, !suffix -> tensor<?x4x4x128xf32>, tensor<?x4x4xf32>
  %p4 = tensor.expand_shape %p [[0], [1, 2], [3]] output_shape [4, %b, 4, 128] : tensor<4x?x128xf32> into tensor<4x?x4x128xf32>
  %pl4 = tensor.expand_shape %pl [[0], [1, 2]] output_shape [4, %b, 4] : tensor<4x?xf32> into tensor<4x?x4xf32>
  %e1 = tensor.empty(%b) : !q
  %o = linalg.generic {indexing_maps = [#front_all, #front_heads, #all, #heads, #all],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%p4, %pl4, %s, %sl : tensor<4x?x4x128xf32>, tensor<4x?x4xf32>, tensor<?x4x4x128xf32>, tensor<?x4x4xf32>) outs(%e1 : !q) {
  ^bb0(%x: f32, %lx: f32, %y: f32, %ly: f32, %out: bf16):
    %m = arith.maximumf %lx, %ly : f32
    %dx = arith.subf %lx, %m : f32
    %dy = arith.subf %ly, %m : f32
    %wx = math.exp %dx : f32
    %wy = math.exp %dy : f32
    %xs = arith.mulf %wx, %x : f32
    %ys = arith.mulf %wy, %y : f32
    %sum = arith.addf %xs, %ys : f32
    %w = arith.addf %wx, %wy : f32
    %z = arith.divf %sum, %w : f32
    %r = arith.truncf %z : f32 to bf16
    linalg.yield %r : bf16
  } -> !q
  return %o : !q
}
