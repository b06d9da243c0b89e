// RUN: softmax-opt %s --smx-expand-state=slack=8 --mlir-use-nameloc-as-prefix | FileCheck %s

#i = affine_map<(i, j, d) -> (i)>
#ij = affine_map<(i, j, d) -> (i, j)>
#jd = affine_map<(i, j, d) -> (j, d)>
#id = affine_map<(i, j, d) -> (i, d)>
#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>

// The reference stays where the maximum is at most 8 powers of two above it: a factor of 1.
// CHECK-LABEL: @reference_stays
// CHECK: %running_maximum_and_rescale_factor:5 = linalg.generic
// CHECK: ^bb0(%[[M:[^:]+]]: f32, %{{[^:]+}}: f32, %{{[^:]+}}: f32,
// CHECK: %[[EIGHT:.+]] = arith.constant 8.000000e+00 : f32
// CHECK: %[[LIMIT:.+]] = arith.addf %[[M]], %[[EIGHT]]
// CHECK: %[[MOVES:.+]] = arith.cmpf ogt, %[[SCORE:.+]], %[[LIMIT]]
// CHECK: arith.select %[[MOVES]], %[[SCORE]], %[[M]]
func.func @reference_stays(%m: tensor<4xf32>, %l: tensor<4xf32>, %acc: tensor<4x8xf32>, %x: tensor<4x32xf32>, %v: tensor<32x8xf32>) -> tensor<4x8xf32> {
  %s:3 = smx.update #smx.softmax<exp2> (%m, %l, %acc : tensor<4xf32>, tensor<4xf32>, tensor<4x8xf32>)
      with (%x, %v : tensor<4x32xf32>, tensor<32x8xf32>) maps [#i, #i, #id, #ij, #jd]
  return %s#2 : tensor<4x8xf32>
}

// Little is rescaled without an accumulator, and in another base the reference counts no powers of two.
// CHECK-LABEL: @sum_alone
// CHECK-NOT: 8.000000e+00
func.func @sum_alone(%m: tensor<4xf32>, %l: tensor<4xf32>, %x: tensor<4x32xf32>) -> tensor<4xf32> {
  %s:2 = smx.update #smx.softmax<exp2> (%m, %l : tensor<4xf32>, tensor<4xf32>) with (%x : tensor<4x32xf32>) maps [#row, #row, #all]
  return %s#1 : tensor<4xf32>
}
// CHECK-LABEL: @other_base
// CHECK-NOT: 8.000000e+00
func.func @other_base(%m: tensor<4xf32>, %l: tensor<4xf32>, %acc: tensor<4x8xf32>, %x: tensor<4x32xf32>, %v: tensor<32x8xf32>) -> tensor<4x8xf32> {
  %s:3 = smx.update #smx.softmax<exp> (%m, %l, %acc : tensor<4xf32>, tensor<4xf32>, tensor<4x8xf32>)
      with (%x, %v : tensor<4x32xf32>, tensor<32x8xf32>) maps [#i, #i, #id, #ij, #jd]
  return %s#2 : tensor<4x8xf32>
}
