// RUN: softmax-opt %s -split-input-file -verify-diagnostics

// S1
func.func @identity_of_one_component() {
  // expected-error @+1 {{'smx.identity' op expected 2 to 3 state components for #smx.softmax<exp>, got 1}}
  %0 = smx.identity #smx.softmax<exp> -> tensor<4xf32>
  return
}

// -----

// S1
#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
func.func @update_of_two_moments(%a: tensor<4xf32>, %x: tensor<4x8xf32>) {
  // expected-error @+1 {{'smx.update' op expected 3 state components for #smx.moments<epsilon = 0.000000e+00 : f64>, got 2}}
  %0:2 = smx.update #smx.moments<epsilon = 0.0 : f64> (%a, %a : tensor<4xf32>, tensor<4xf32>) with (%x : tensor<4x8xf32>) maps [#row, #row, #all]
  return
}

// -----

// S1
#row = affine_map<(i) -> (i)>
func.func @merge_of_four(%a: tensor<4xf32>) {
  // expected-error @+1 {{'smx.merge' op expected 2 to 3 state components for #smx.softmax<exp>, got 4}}
  %0:4 = smx.merge #smx.softmax<exp> (%a, %a, %a, %a : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
      and (%a, %a, %a, %a : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) maps [#row, #row, #row, #row]
  return
}

// -----

// S1
#row = affine_map<(i) -> (i)>
func.func @finish_of_one(%a: tensor<4xf32>) {
  // expected-error @+1 {{'smx.finish' op expected 2 to 3 state components for #smx.softmax<exp>, got 1}}
  %0 = smx.finish #smx.softmax<exp> "logsumexp" (%a : tensor<4xf32>) maps [#row, #row] : tensor<4xf32>
  return
}

// -----

// S2
func.func @one_extent_for_two_results(%n: index) {
  // expected-error @+1 {{'smx.identity' op expected one extent per dynamic dimension, 2, got 1}}
  %0:2 = smx.identity #smx.softmax<exp> (%n) -> tensor<4x?xf32>, tensor<4x?xf32>
  return
}

// -----

// S3
#row = affine_map<(i, j, d) -> (i)>
#acc = affine_map<(i, j, d) -> (i, d)>
#all = affine_map<(i, j, d) -> (i, j)>
func.func @accumulator_without_values(%m: tensor<4xf32>, %acc: tensor<4x2xf32>, %s: tensor<4x8xf32>) {
  // expected-error @+1 {{'smx.update' op expected 2 inputs for #smx.softmax<exp> with 3 state components, got 1}}
  %0:3 = smx.update #smx.softmax<exp> (%m, %m, %acc : tensor<4xf32>, tensor<4xf32>, tensor<4x2xf32>)
      with (%s : tensor<4x8xf32>) maps [#row, #row, #acc, #all]
  return
}

// -----

// S4
#row = affine_map<(i, j) -> (i)>
func.func @no_map_for_the_input(%m: tensor<4xf32>, %x: tensor<4x8xf32>) {
  // expected-error @+1 {{'smx.update' op expected one map per tensor, 3, got 2}}
  %0:2 = smx.update #smx.softmax<exp> (%m, %m : tensor<4xf32>, tensor<4xf32>) with (%x : tensor<4x8xf32>) maps [#row, #row]
  return
}

// -----

// S4
#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j, d) -> (i, j)>
func.func @map_over_other_dims(%m: tensor<4xf32>, %x: tensor<4x8xf32>) {
  // expected-error @+1 {{'smx.update' op expected every map over 2 dims, got affine_map<(d0, d1, d2) -> (d0, d1)>}}
  %0:2 = smx.update #smx.softmax<exp> (%m, %m : tensor<4xf32>, tensor<4xf32>) with (%x : tensor<4x8xf32>) maps [#row, #row, #all]
  return
}

// -----

// S4: the result of a finish has a map too.
#row = affine_map<(i) -> (i)>
func.func @finish_without_a_result_map(%m: tensor<4xf32>) {
  // expected-error @+1 {{'smx.finish' op expected one map per tensor, 3, got 2}}
  %0 = smx.finish #smx.softmax<exp> "logsumexp" (%m, %m : tensor<4xf32>, tensor<4xf32>) maps [#row, #row] : tensor<4xf32>
  return
}

// -----

// S5
#row = affine_map<(i, j) -> (i)>
func.func @map_of_too_few_results(%m: tensor<4xf32>, %x: tensor<4x8xf32>) {
  // expected-error @+1 {{'smx.update' op expected map 2 to have one result per dimension of 'tensor<4x8xf32>', got affine_map<(d0, d1) -> (d0)>}}
  %0:2 = smx.update #smx.softmax<exp> (%m, %m : tensor<4xf32>, tensor<4xf32>) with (%x : tensor<4x8xf32>) maps [#row, #row, #row]
  return
}

// -----

// S6
#row = affine_map<(h, i, j) -> (i, h)>
#all = affine_map<(h, i, j) -> (h, i, j)>
func.func @rows_are_permuted(%m: tensor<3x4xf32>, %x: tensor<4x3x8xf32>) {
  // expected-error @+1 {{'smx.update' op expected the first map to be the identity on the rows, got affine_map<(d0, d1, d2) -> (d1, d0)>}}
  %0:2 = smx.update #smx.softmax<exp> (%m, %m : tensor<3x4xf32>, tensor<3x4xf32>) with (%x : tensor<4x3x8xf32>) maps [#row, #row, #all]
  return
}

// -----

// S14: a state is stored as it is, not at computed places.
#row = affine_map<(i, j) -> (i floordiv 2)>
#all = affine_map<(i, j) -> (i, j)>
func.func @state_is_shared(%m: tensor<2xf32>, %x: tensor<4x8xf32>) {
  // expected-error @+1 {{'smx.update' op expected map 0 of a state to be a projected permutation, got affine_map<(d0, d1) -> (d0 floordiv 2)>}}
  %0:2 = smx.update #smx.softmax<exp> (%m, %m : tensor<2xf32>, tensor<2xf32>) with (%x : tensor<4x8xf32>) maps [#row, #row, #all]
  return
}

// -----

// S7
#row = affine_map<(i, j, d) -> (i)>
#acc = affine_map<(i, j, d) -> (i, j)>
#all = affine_map<(i, j, d) -> (i, j)>
#val = affine_map<(i, j, d) -> (j, d)>
func.func @accumulator_along_the_stream(%m: tensor<4xf32>, %acc: tensor<4x8xf32>, %s: tensor<4x8xf32>, %v: tensor<8x2xf32>) {
  // expected-error @+1 {{'smx.update' op expected no state to be indexed by the stream, d1, got affine_map<(d0, d1, d2) -> (d0, d1)>}}
  %0:3 = smx.update #smx.softmax<exp> (%m, %m, %acc : tensor<4xf32>, tensor<4xf32>, tensor<4x8xf32>)
      with (%s, %v : tensor<4x8xf32>, tensor<8x2xf32>) maps [#row, #row, #acc, #all, #val]
  return
}

// -----

// S8
#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
func.func @tile_of_other_rows(%m: tensor<4xf32>, %x: tensor<5x8xf32>) {
  // expected-error @+1 {{'smx.update' op expected dim 0 of extent 4 everywhere, got 5 in 'tensor<5x8xf32>'}}
  %0:2 = smx.update #smx.softmax<exp> (%m, %m : tensor<4xf32>, tensor<4xf32>) with (%x : tensor<5x8xf32>) maps [#row, #row, #all]
  return
}

// -----

// S8
#row = affine_map<(i, j, d) -> (i)>
#acc = affine_map<(i, j, d) -> (i, d)>
#all = affine_map<(i, j, d) -> (i, j)>
#val = affine_map<(i, j, d) -> (j, d)>
func.func @values_of_another_tile(%m: tensor<4xf32>, %acc: tensor<4x2xf32>, %s: tensor<4x8xf32>, %v: tensor<7x2xf32>) {
  // expected-error @+1 {{'smx.update' op expected dim 1 of extent 8 everywhere, got 7 in 'tensor<7x2xf32>'}}
  %0:3 = smx.update #smx.softmax<exp> (%m, %m, %acc : tensor<4xf32>, tensor<4xf32>, tensor<4x2xf32>)
      with (%s, %v : tensor<4x8xf32>, tensor<7x2xf32>) maps [#row, #row, #acc, #all, #val]
  return
}

// -----

// S9
#row = affine_map<(i) -> (i)>
func.func @states_of_other_rows(%a: tensor<4xf32>, %b: tensor<8xf32>) {
  // expected-error @+1 {{'smx.merge' op expected two states of the same types, got ('tensor<4xf32>', 'tensor<4xf32>') and ('tensor<8xf32>', 'tensor<8xf32>')}}
  %0:2 = smx.merge #smx.softmax<exp> (%a, %a : tensor<4xf32>, tensor<4xf32>) and (%b, %b : tensor<8xf32>, tensor<8xf32>) maps [#row, #row]
  return
}

// -----

// S10
#row = affine_map<(i) -> (i)>
func.func @quantity_of_another_family(%m: tensor<4xf32>) {
  // expected-error @+1 {{'smx.finish' op expected a quantity out of {softmax, log_softmax, logsumexp, average, weights, softmax_of_weights, average_with_sink, logsumexp_with_sink} for #smx.softmax<exp>, got "mean"}}
  %0 = smx.finish #smx.softmax<exp> "mean" (%m, %m : tensor<4xf32>, tensor<4xf32>) maps [#row, #row, #row] : tensor<4xf32>
  return
}

// -----

// S11
#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
func.func @softmax_without_the_scores(%m: tensor<4xf32>) {
  // expected-error @+1 {{'smx.finish' op expected 1 inputs for "softmax", got 0}}
  %0 = smx.finish #smx.softmax<exp> "softmax" (%m, %m : tensor<4xf32>, tensor<4xf32>) maps [#row, #row, #all] : tensor<4x8xf32>
  return
}

// -----

// S11
#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
func.func @logsumexp_with_scores(%m: tensor<4xf32>, %x: tensor<4x8xf32>) {
  // expected-error @+1 {{'smx.finish' op expected 0 inputs for "logsumexp", got 1}}
  %0 = smx.finish #smx.softmax<exp> "logsumexp" (%m, %m : tensor<4xf32>, tensor<4xf32>) with (%x : tensor<4x8xf32>) maps [#row, #row, #all, #row] : tensor<4xf32>
  return
}

// -----

// S12: the average of the values needs the accumulator.
#row = affine_map<(i) -> (i)>
func.func @average_without_an_accumulator(%m: tensor<4xf32>) {
  // expected-error @+1 {{'smx.finish' op expected at least 3 state components for "average", got 2}}
  %0 = smx.finish #smx.softmax<exp> "average" (%m, %m : tensor<4xf32>, tensor<4xf32>) maps [#row, #row, #row] : tensor<4xf32>
  return
}

// -----

// S13
func.func @identity_of_integers() {
  // expected-error @+1 {{'smx.identity' op expected floating-point elements, got 'tensor<4xi32>'}}
  %0:2 = smx.identity #smx.softmax<exp> -> tensor<4xf32>, tensor<4xi32>
  return
}

// -----

// S13
#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
func.func @update_by_integers(%m: tensor<4xf32>, %x: tensor<4x8xi32>) {
  // expected-error @+1 {{'smx.update' op expected floating-point elements, got 'tensor<4x8xi32>'}}
  %0:2 = smx.update #smx.softmax<exp> (%m, %m : tensor<4xf32>, tensor<4xf32>) with (%x : tensor<4x8xi32>) maps [#row, #row, #all]
  return
}

// -----

// S13
#row = affine_map<(i) -> (i)>
func.func @finish_in_integers(%m: tensor<4xf32>) {
  // expected-error @+1 {{'smx.finish' op expected floating-point elements, got 'tensor<4xi32>'}}
  %0 = smx.finish #smx.softmax<exp> "logsumexp" (%m, %m : tensor<4xf32>, tensor<4xf32>) maps [#row, #row, #row] : tensor<4xi32>
  return
}

// -----

// S14: only the diagonal of the accumulator would be written.
#row = affine_map<(i, j, d) -> (i)>
#acc = affine_map<(i, j, d) -> (i, d, d)>
#all = affine_map<(i, j, d) -> (i, j)>
#val = affine_map<(i, j, d) -> (j, d)>
func.func @dimension_twice_in_a_state(%m: tensor<4xf32>, %acc: tensor<4x2x2xf32>, %s: tensor<4x8xf32>, %v: tensor<8x2xf32>) {
  // expected-error @+1 {{'smx.update' op expected map 2 of a state to be a projected permutation, got affine_map<(d0, d1, d2) -> (d0, d2, d2)>}}
  %0:3 = smx.update #smx.softmax<exp> (%m, %m, %acc : tensor<4xf32>, tensor<4xf32>, tensor<4x2x2xf32>)
      with (%s, %v : tensor<4x8xf32>, tensor<8x2xf32>) maps [#row, #row, #acc, #all, #val]
  return
}

// -----

// S15: an accumulator's columns come behind the stream.
#i = affine_map<(i, d) -> (i)>
#id = affine_map<(i, d) -> (i, d)>
func.func @finish_without_a_stream(%m: tensor<4xf32>, %acc: tensor<4x8xf32>) {
  // expected-error @+1 {{'smx.finish' op expected maps over 1 dimensions of rows, that of the stream and 1 of columns, got 2 dimensions}}
  %0 = smx.finish #smx.softmax<exp> "average" (%m, %m, %acc : tensor<4xf32>, tensor<4xf32>, tensor<4x8xf32>) maps [#i, #i, #id, #id] : tensor<4x8xf32>
  return
}
