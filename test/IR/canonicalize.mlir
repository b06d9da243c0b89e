// RUN: softmax-opt %s --canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: @softmax_of_log_softmax
// CHECK-SAME: %[[X:.+]]: tensor<4x8xf32>
func.func @softmax_of_log_softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK-NEXT: %[[Y:.+]] = smx.softmax %[[X]] axis(1) scale(5.000000e-01)
  // CHECK-NEXT: return %[[Y]]
  %0 = smx.log_softmax %x axis(1) scale(0.5) : tensor<4x8xf32> -> tensor<4x8xf32>
  %1 = smx.softmax %0 axis(1) : tensor<4x8xf32> -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// Another axis, another temperature, a rounding in between: not the same.
// CHECK-LABEL: @softmax_of_other_log_softmax
func.func @softmax_of_other_log_softmax(%x: tensor<4x8xf32>, %h: tensor<4x8xf16>)
    -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  // CHECK-COUNT-2: smx.log_softmax
  // CHECK-COUNT-3: smx.softmax
  %0 = smx.log_softmax %x axis(0) : tensor<4x8xf32> -> tensor<4x8xf32>
  %h0 = smx.log_softmax %h axis(1) : tensor<4x8xf16> -> tensor<4x8xf32>
  %1 = smx.softmax %0 axis(1) : tensor<4x8xf32> -> tensor<4x8xf32>
  %2 = smx.softmax %0 axis(0) scale(2.0) : tensor<4x8xf32> -> tensor<4x8xf32>
  %3 = smx.softmax %h0 axis(1) : tensor<4x8xf32> -> tensor<4x8xf32>
  return %1, %2, %3 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// CHECK-LABEL: @attention_mask_hides_nothing
// CHECK-NOT: mask(
func.func @attention_mask_hides_nothing(%q: tensor<1x16xf32>, %k: tensor<9x16xf32>, %v: tensor<9x4xf32>) -> (tensor<1x4xf32>, tensor<1x4xf32>) {
  // One query that is aligned to the last key sees all of them: decoding is not causal.
  %0 = smx.attention %q, %k, %v scale(1.0) mask(#smx.band<bottom_right, right = 0>) : tensor<1x16xf32>, tensor<9x16xf32>, tensor<9x4xf32> -> tensor<1x4xf32>
  %1 = smx.attention %q, %k, %v scale(1.0) mask(#smx.prefix<top_left, length = 9>) : tensor<1x16xf32>, tensor<9x16xf32>, tensor<9x4xf32> -> tensor<1x4xf32>
  return %0, %1 : tensor<1x4xf32>, tensor<1x4xf32>
}

// -----

// CHECK-LABEL: @attention_mask_hides_one_key
func.func @attention_mask_hides_one_key(%q: tensor<1x16xf32>, %k: tensor<9x16xf32>, %v: tensor<9x4xf32>, %d: tensor<?x16xf32>)
    -> (tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<?x4xf32>) {
  // CHECK: mask(#smx.band<top_left, right = 7>)
  %0 = smx.attention %q, %k, %v scale(1.0) mask(#smx.band<top_left, right = 7>) : tensor<1x16xf32>, tensor<9x16xf32>, tensor<9x4xf32> -> tensor<1x4xf32>
  // CHECK: mask(#smx.band<bottom_right, left = 7>)
  %1 = smx.attention %q, %k, %v scale(1.0) mask(#smx.band<bottom_right, left = 7>) : tensor<1x16xf32>, tensor<9x16xf32>, tensor<9x4xf32> -> tensor<1x4xf32>
  // CHECK: mask(#smx.prefix<top_left, length = 8>)
  %2 = smx.attention %q, %k, %v scale(1.0) mask(#smx.prefix<top_left, length = 8>) : tensor<1x16xf32>, tensor<9x16xf32>, tensor<9x4xf32> -> tensor<1x4xf32>
  // CHECK: mask(#smx.band<bottom_right, right = 0>)
  %3 = smx.attention %d, %k, %v scale(1.0) mask(#smx.band<bottom_right, right = 0>) : tensor<?x16xf32>, tensor<9x16xf32>, tensor<9x4xf32> -> tensor<?x4xf32>
  return %0, %1, %2, %3 : tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<?x4xf32>
}

// -----

// CHECK-LABEL: @mask_op
// CHECK-SAME: %[[S:[^:]+]]: tensor<4x8xf32>
func.func @mask_op(%s: tensor<4x8xf32>, %i: index, %n: index) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // An unbounded band hides nothing, whatever the extents are.
  %0 = smx.mask %s by #smx.band<top_left> dims(0, 1) at(%i, %i) of(%n, %n) : tensor<4x8xf32>
  // CHECK: %[[M:.+]] = smx.mask %[[S]] by #smx.band<bottom_right, right = 0> dims(0, 1) at({{.+}}) of(%{{.+}}, %c8)
  %1 = smx.mask %s by #smx.band<bottom_right, right = 0> dims(0, 1) at(%c0, %c0) of(%n, %c8) : tensor<4x8xf32>
  %2 = smx.mask %s by #smx.band<bottom_right, right = 0> dims(0, 1) at(%c0, %c0) of(%c1, %c8) : tensor<4x8xf32>
  // CHECK: return %[[S]], %[[M]], %[[S]]
  return %0, %1, %2 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
// CHECK-LABEL: @update_by_an_empty_tile
// CHECK-SAME: %[[M:[^:]+]]: tensor<4xf32>, %[[L:[^:]+]]: tensor<4xf32>
func.func @update_by_an_empty_tile(%m: tensor<4xf32>, %l: tensor<4xf32>, %x: tensor<4x0xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK-NEXT: return %[[M]], %[[L]]
  %0:2 = smx.update #smx.softmax<exp> (%m, %l : tensor<4xf32>, tensor<4xf32>) with (%x : tensor<4x0xf32>) maps [#row, #row, #all]
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// No rows is not an empty tile.
#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
// CHECK-LABEL: @update_of_no_rows
func.func @update_of_no_rows(%m: tensor<0xf32>, %x: tensor<0x8xf32>) -> (tensor<0xf32>, tensor<0xf32>) {
  // CHECK: smx.update
  %0:2 = smx.update #smx.softmax<exp> (%m, %m : tensor<0xf32>, tensor<0xf32>) with (%x : tensor<0x8xf32>) maps [#row, #row, #all]
  return %0#0, %0#1 : tensor<0xf32>, tensor<0xf32>
}

// -----

// What is given for every element of an empty stream has no elements; what is one value per row has.
#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
#across = affine_map<(i, j) -> (j, i)>
// CHECK-LABEL: @finish_of_an_empty_stream
// CHECK-SAME: %[[M:[^:]+]]: tensor<?xf32>, %[[L:[^:]+]]: tensor<?xf32>, %[[X:[^:]+]]: tensor<?x0xf16>
func.func @finish_of_an_empty_stream(%m: tensor<?xf32>, %l: tensor<?xf32>, %x: tensor<?x0xf16>) -> (tensor<0x?xf32>, tensor<?xf32>) {
  // CHECK: %[[ROWS:.+]] = tensor.dim %[[X]], %c0
  // CHECK: %[[EMPTY:.+]] = tensor.empty(%[[ROWS]]) : tensor<0x?xf32>
  %y = smx.finish #smx.softmax<exp> "softmax" (%m, %l : tensor<?xf32>, tensor<?xf32>)
      with (%x : tensor<?x0xf16>) maps [#row, #row, #all, #across] : tensor<0x?xf32>
  // CHECK: %[[Z:.+]] = smx.finish {{.*}} "logsumexp"
  %z = smx.finish #smx.softmax<exp> "logsumexp" (%m, %l : tensor<?xf32>, tensor<?xf32>) maps [#row, #row, #row] : tensor<?xf32>
  // CHECK: return %[[EMPTY]], %[[Z]]
  return %y, %z : tensor<0x?xf32>, tensor<?xf32>
}

// -----

// The input may know more than the result.
#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
// CHECK-LABEL: @finish_of_an_empty_stream_of_known_rows
func.func @finish_of_an_empty_stream_of_known_rows(%m: tensor<?xf32>, %l: tensor<?xf32>, %x: tensor<4x0xf16>) -> tensor<?x0xf32> {
  // CHECK: %[[EMPTY:.+]] = tensor.empty() : tensor<4x0xf32>
  // CHECK: %[[Y:.+]] = tensor.cast %[[EMPTY]] : tensor<4x0xf32> to tensor<?x0xf32>
  // CHECK: return %[[Y]]
  %y = smx.finish #smx.softmax<exp> "softmax" (%m, %l : tensor<?xf32>, tensor<?xf32>)
      with (%x : tensor<4x0xf16>) maps [#row, #row, #all, #all] : tensor<?x0xf32>
  return %y : tensor<?x0xf32>
}

// -----

// No rows is not an empty stream.
#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
// CHECK-LABEL: @finish_of_no_rows
func.func @finish_of_no_rows(%m: tensor<0xf32>, %x: tensor<0x8xf32>) -> tensor<0x8xf32> {
  // CHECK: smx.finish
  %y = smx.finish #smx.softmax<exp> "softmax" (%m, %m : tensor<0xf32>, tensor<0xf32>) with (%x : tensor<0x8xf32>) maps [#row, #row, #all, #all] : tensor<0x8xf32>
  return %y : tensor<0x8xf32>
}

// -----

#row = affine_map<(i) -> (i)>
// CHECK-LABEL: @merge_with_identity
// CHECK-SAME: %[[M:[^:]+]]: tensor<4xf32>, %[[L:[^:]+]]: tensor<4xf32>
func.func @merge_with_identity(%m: tensor<4xf32>, %l: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK-NEXT: return %[[M]], %[[L]], %[[M]], %[[L]]
  %i:2 = smx.identity #smx.softmax<exp> -> tensor<4xf32>, tensor<4xf32>
  %0:2 = smx.merge #smx.softmax<exp> (%m, %l : tensor<4xf32>, tensor<4xf32>) and (%i#0, %i#1 : tensor<4xf32>, tensor<4xf32>) maps [#row, #row]
  %1:2 = smx.merge #smx.softmax<exp> (%i#0, %i#1 : tensor<4xf32>, tensor<4xf32>) and (%m, %l : tensor<4xf32>, tensor<4xf32>) maps [#row, #row]
  return %0#0, %0#1, %1#0, %1#1 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// The components of an identity in the wrong order are no identity.
#row = affine_map<(i) -> (i)>
// CHECK-LABEL: @merge_with_half_an_identity
func.func @merge_with_half_an_identity(%m: tensor<4xf32>, %l: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: smx.merge
  %i:2 = smx.identity #smx.softmax<exp> -> tensor<4xf32>, tensor<4xf32>
  %0:2 = smx.merge #smx.softmax<exp> (%m, %l : tensor<4xf32>, tensor<4xf32>) and (%i#1, %i#0 : tensor<4xf32>, tensor<4xf32>) maps [#row, #row]
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}
