// RUN: softmax-opt %s --smx-online --canonicalize --cse > %t.before
// RUN: softmax-opt %s --smx-online --smx-rows-in-lanes --canonicalize --cse > %t.after
// RUN: diff %t.before %t.after

// A row reduction has no accumulator to lay out.
func.func @softmax(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %y = smx.softmax %x axis(1) : tensor<8x128xf32> -> tensor<8x128xf32>
  return %y : tensor<8x128xf32>
}

// The other family has three components and one input.
func.func @layer_norm(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %y = smx.layer_norm %x axis(1) epsilon(1.0e-5) : tensor<8x128xf32> -> tensor<8x128xf32>
  return %y : tensor<8x128xf32>
}

// Scores that come from outside lie as they lie.
func.func @scores_are_an_argument(%s: tensor<8x128xf32>, %v: tensor<8x128x4xf32>) -> tensor<8x4xf32> {
  %y = smx.softmax_dot %s, %v : tensor<8x128xf32>, tensor<8x128x4xf32> -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// Somebody else reads the scores as they are.
#q = affine_map<(i, j, d) -> (i, d)>
#k = affine_map<(i, j, d) -> (j, d)>
#s = affine_map<(i, j, d) -> (i, j)>
func.func @scores_have_another_reader(%q: tensor<8x16xf32>, %k: tensor<32x16xf32>, %v: tensor<8x32x4xf32>, %e: tensor<8x32xf32>)
    -> (tensor<8x4xf32>, tensor<8x32xf32>) {
  %s = linalg.matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<8x16xf32>, tensor<32x16xf32>)
      outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
  %y = smx.softmax_dot %s, %v : tensor<8x32xf32>, tensor<8x32x4xf32> -> tensor<8x4xf32>
  return %y, %s : tensor<8x4xf32>, tensor<8x32xf32>
}
