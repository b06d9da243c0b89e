// RUN: softmax-opt %s --smx-verify-stage=stage=tiled --split-input-file --verify-diagnostics

func.func @specification(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {
  // expected-error @below {{'smx.softmax' op breaks the contract of stage 'tiled': it needs the whole row}}
  // expected-note @below {{smx-online}}
  %y = smx.softmax %x axis(1) : tensor<8x128xf32> -> tensor<8x128xf32>
  return %y : tensor<8x128xf32>
}

// -----

#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
func.func @dynamic_row_outside(%m: tensor<8xf32>, %l: tensor<8xf32>, %x: tensor<8x?xf32>) -> tensor<8xf32> {
  // expected-error @below {{it is outside of all loops and works on whole rows of a dynamic extent}}
  // expected-note @below {{smx-tile puts it into loops over tiles}}
  %u:2 = smx.update #smx.softmax<exp> (%m, %l : tensor<8xf32>, tensor<8xf32>)
      with (%x : tensor<8x?xf32>) maps [#row, #row, #all]
  return %u#0 : tensor<8xf32>
}

// -----

#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
func.func @large_outside(%m: tensor<8xf32>, %l: tensor<8xf32>, %x: tensor<8x1000000xf32>) -> tensor<8x1000000xf32> {
  // expected-error @below {{it is outside of all loops, and its inputs of 32000000 bytes are more than one tile (16777216 bytes)}}
  // expected-note @below {{smx-tile}}
  %y = smx.finish #smx.softmax<exp> "softmax" (%m, %l : tensor<8xf32>, tensor<8xf32>)
      with (%x : tensor<8x1000000xf32>) maps [#row, #row, #all, #all] : tensor<8x1000000xf32>
  return %y : tensor<8x1000000xf32>
}

// -----

#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
func.func @whole_row_as_tile(%m: tensor<8xf32>, %l: tensor<8xf32>, %x: tensor<8x?xf32>) -> tensor<8xf32> {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<8x?xf32>
  %e = tensor.empty() : tensor<8xf32>
  %r = scf.forall (%i) in (8) shared_outs(%o = %e) -> (tensor<8xf32>) {
    %a = tensor.extract_slice %m[%i] [1] [1] : tensor<8xf32> to tensor<1xf32>
    %b = tensor.extract_slice %l[%i] [1] [1] : tensor<8xf32> to tensor<1xf32>
    %t = tensor.extract_slice %x[%i, 0] [1, %n] [1, 1] : tensor<8x?xf32> to tensor<1x?xf32>
    // expected-error @below {{a tile of its input has an extent without a constant bound}}
    // expected-note @below {{smx-tile makes tiles of a static shape, and tails that are smaller than a tile}}
    %u:2 = smx.update #smx.softmax<exp> (%a, %b : tensor<1xf32>, tensor<1xf32>)
        with (%t : tensor<1x?xf32>) maps [#row, #row, #all]
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %u#0 into %o[%i] [1] [1] : tensor<1xf32> into tensor<8xf32>
    }
  }
  return %r : tensor<8xf32>
}

// -----

#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
func.func @stale_state(%m: tensor<8xf32>, %l: tensor<8xf32>, %x: tensor<8x128xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %s:2 = scf.for %j = %c0 to %c128 step %c32 iter_args(%a = %m, %b = %l) -> (tensor<8xf32>, tensor<8xf32>) {
    %t = tensor.extract_slice %x[0, %j] [8, 32] [1, 1] : tensor<8x128xf32> to tensor<8x32xf32>
    // expected-error @below {{it starts from the same state in every round of the loop}}
    // expected-note @below {{a state that a loop advances is one of its iter_args}}
    %u:2 = smx.update #smx.softmax<exp> (%m, %b : tensor<8xf32>, tensor<8xf32>)
        with (%t : tensor<8x32xf32>) maps [#row, #row, #all]
    scf.yield %u#0, %u#1 : tensor<8xf32>, tensor<8xf32>
  }
  return %s#0 : tensor<8xf32>
}
