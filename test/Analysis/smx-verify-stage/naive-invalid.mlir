// RUN: softmax-opt %s --smx-verify-stage=stage=naive --split-input-file --verify-diagnostics

func.func @identity() -> (tensor<8xf32>, tensor<8xf32>) {
  // expected-error @below {{'smx.identity' op breaks the contract of stage 'naive': it works on a state}}
  // expected-note @below {{states are made by smx-online, which leads to stage 'online'}}
  %i:2 = "smx.identity"() <{algebra = #smx.softmax<exp>}> : () -> (tensor<8xf32>, tensor<8xf32>)
  return %i#0, %i#1 : tensor<8xf32>, tensor<8xf32>
}

// -----

#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
func.func @update_in_loop(%m: tensor<8xf32>, %l: tensor<8xf32>, %x: tensor<8x128xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %s:2 = scf.for %j = %c0 to %c128 step %c32 iter_args(%a = %m, %b = %l) -> (tensor<8xf32>, tensor<8xf32>) {
    %t = tensor.extract_slice %x[0, %j] [8, 32] [1, 1] : tensor<8x128xf32> to tensor<8x32xf32>
    // expected-error @below {{'smx.update' op breaks the contract of stage 'naive'}}
    // expected-note @below {{smx-online}}
    %u:2 = smx.update #smx.softmax<exp> (%a, %b : tensor<8xf32>, tensor<8xf32>)
        with (%t : tensor<8x32xf32>) maps [#row, #row, #all]
    scf.yield %u#0, %u#1 : tensor<8xf32>, tensor<8xf32>
  }
  return %s#0 : tensor<8xf32>
}
