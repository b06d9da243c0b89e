// Softmax of rows times two numbers of the host.
func.func @scaled(%x: tensor<8x64xf32>, %a: f32, %b: f64) -> tensor<8x64xf32> {
  %e = tensor.empty() : tensor<8x64xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%v: f32, %unused: f32):
    %narrow = arith.truncf %b : f64 to f32
    %t = arith.mulf %v, %a : f32
    %u = arith.mulf %t, %narrow : f32
    linalg.yield %u : f32
  } -> tensor<8x64xf32>
  %y = smx.softmax %s axis(1) : tensor<8x64xf32> -> tensor<8x64xf32>
  return %y : tensor<8x64xf32>
}
