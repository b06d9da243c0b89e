// RUN: softmax-opt %s --smx-tile --verify-diagnostics --split-input-file

#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
func.func @an_argument(%m: tensor<8xf32>, %l: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{expected a state made by smx.identity, smx.merge and updates; a state that comes from elsewhere is already tiled}}
  %y = smx.finish #smx.softmax<exp> "logsumexp" (%m, %l : tensor<8xf32>, tensor<8xf32>) maps [#row, #row, #row] : tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
func.func @a_loop(%x: tensor<8x128xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %i:2 = smx.identity #smx.softmax<exp> -> tensor<8xf32>, tensor<8xf32>
  %s:2 = scf.for %j = %c0 to %c128 step %c32 iter_args(%m = %i#0, %l = %i#1) -> (tensor<8xf32>, tensor<8xf32>) {
    %t = tensor.extract_slice %x[0, %j] [8, 32] [1, 1] : tensor<8x128xf32> to tensor<8x32xf32>
    %u:2 = smx.update #smx.softmax<exp> (%m, %l : tensor<8xf32>, tensor<8xf32>) with (%t : tensor<8x32xf32>) maps [#row, #row, #all]
    scf.yield %u#0, %u#1 : tensor<8xf32>, tensor<8xf32>
  }
  // expected-error @below {{already tiled}}
  %y = smx.finish #smx.softmax<exp> "logsumexp" (%s#0, %s#1 : tensor<8xf32>, tensor<8xf32>) maps [#row, #row, #row] : tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
func.func @updated_argument(%m: tensor<4xf32>, %l: tensor<4xf32>, %x: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %s:2 = smx.update #smx.softmax<exp> (%m, %l : tensor<4xf32>, tensor<4xf32>) with (%x : tensor<4x32xf32>) maps [#row, #row, #all]
  // expected-error @below {{expected a state made by smx.identity, smx.merge and updates; a state that comes from elsewhere is already tiled}}
  %w = smx.finish #smx.softmax<exp> "weights" (%s#0, %s#1 : tensor<4xf32>, tensor<4xf32>)
      with (%x : tensor<4x32xf32>) maps [#row, #row, #all, #all] : tensor<4x32xf32>
  return %w : tensor<4x32xf32>
}
