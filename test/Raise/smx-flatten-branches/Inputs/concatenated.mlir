// A concatenation along the rows of a softmax.
#m = affine_map<(d0, d1) -> (d0, d1)>
func.func @f(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>) -> tensor<4x16xf32> {
  %e = tensor.empty() : tensor<4x16xf32>
  %c8 = arith.constant 8 : index
  %s = linalg.generic {indexing_maps = [#m], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<4x16xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c = arith.cmpi ult, %j, %c8 : index
    %r = scf.if %c -> (f32) {
      %x = tensor.extract %a[%i, %j] : tensor<4x8xf32>
      scf.yield %x : f32
    } else {
      %k = arith.subi %j, %c8 : index
      %x = tensor.extract %b[%i, %k] : tensor<4x8xf32>
      scf.yield %x : f32
    }
    linalg.yield %r : f32
  } -> tensor<4x16xf32>
  %y = linalg.softmax dimension(1) ins(%s : tensor<4x16xf32>) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}
