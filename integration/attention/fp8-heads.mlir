// Queries, keys and values of 8 bits, with a scale for each head of them: those of queries and keys multiply scores, that of values
// the result. The op takes f8E4M3FN as it is.

!q = tensor<?x16x?x128xf8E4M3FN>
!k = tensor<?x4x?x128xf8E4M3FN>
!o = tensor<?x16x?x128xbf16>
!f = tensor<?x16x?x128xf32>
#all = affine_map<(b, h, i, d) -> (b, h, i, d)>
func.func @fp8_heads(%q: !q, %k: !k, %v: !k, %q_scales: tensor<16xf32>, %k_scales: tensor<4xf32>, %v_scales: tensor<4xf32>) -> !o {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %o = smx.attention %q, %k, %v scale(0.08838834764831845) mask(#smx.band<bottom_right, right = 0>) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %head = arith.divui %h, %c4 : index
    %q_scale = tensor.extract %q_scales[%h] : tensor<16xf32>
    %k_scale = tensor.extract %k_scales[%head] : tensor<4xf32>
    %scale = arith.mulf %q_scale, %k_scale : f32
    %t = arith.mulf %s, %scale : f32
    smx.yield %t : f32
  } : !q, !k, !k -> !f
  %batches = tensor.dim %q, %c0 : !q
  %queries = tensor.dim %q, %c2 : !q
  %empty = tensor.empty(%batches, %queries) : !o
  %scaled = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%o : !f) outs(%empty : !o) {
  ^bb0(%x: f32, %unused: bf16):
    %h = linalg.index 1 : index
    %head = arith.divui %h, %c4 : index
    %scale = tensor.extract %v_scales[%head] : tensor<4xf32>
    %y = arith.mulf %x, %scale : f32
    %z = arith.truncf %y : f32 to bf16
    linalg.yield %z : bf16
  } -> !o
  return %scaled : !o
}
