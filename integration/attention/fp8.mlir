// Decoding from a cache of 8 bits: keys and values are f8E4M3FN, 4 query heads share a head of them. Each key and each value has a
// scale: that of a key multiplies its scores, and values are multiplied by theirs where they are widened, in the kernel.

!q = tensor<?x16x1x128xbf16>
!k = tensor<?x4x?x128xf8E4M3FN>
!v = tensor<?x4x?x128xbf16>
!s = tensor<?x4x?xf32>
#all = affine_map<(b, h, j, d) -> (b, h, j, d)>
func.func @fp8(%q: !q, %k: !k, %v: !k, %k_scales: !s, %v_scales: !s) -> !q {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %batches = tensor.dim %v, %c0 : !k
  %keys = tensor.dim %v, %c2 : !k
  %empty = tensor.empty(%batches, %keys) : !v
  %values = linalg.generic {indexing_maps = [#all, affine_map<(b, h, j, d) -> (b, h, j)>, #all],
                            iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v, %v_scales : !k, !s) outs(%empty : !v) {
  ^bb0(%code: f8E4M3FN, %scale: f32, %unused: bf16):
    %wide = arith.extf %code : f8E4M3FN to f32
    %x = arith.mulf %wide, %scale : f32
    %value = arith.truncf %x : f32 to bf16
    linalg.yield %value : bf16
  } -> !v
  %wide_keys = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%k : !k) outs(%empty : !v) {
  ^bb0(%code: f8E4M3FN, %unused: bf16):
    %wide = arith.extf %code : f8E4M3FN to bf16
    linalg.yield %wide : bf16
  } -> !v
  %o = smx.attention %q, %wide_keys, %values scale(0.08838834764831845) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %head = arith.divui %h, %c4 : index
    %scale = tensor.extract %k_scales[%b, %head, %j] : !s
    %t = arith.mulf %s, %scale : f32
    smx.yield %t : f32
  } : !q, !v, !v -> !q
  return %o : !q
}
