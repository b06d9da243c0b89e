// RUN: softmax-opt %s --smx-online --canonicalize --cse | FileCheck %s

// The identity is as large as the rows are, and the stream's extent is nobody's business.

// CHECK-LABEL: @rows_of_any_number
// CHECK-SAME: %[[X:.+]]: tensor<?x3x?xf32>
// CHECK-DAG: %[[C0:.+]] = arith.constant 0 : index
// CHECK: %[[N:.+]] = tensor.dim %[[X]], %[[C0]]
// CHECK-NOT: tensor.dim
// CHECK: smx.identity #smx.softmax<exp>(%[[N]], %[[N]]) -> tensor<?x3xf32>, tensor<?x3xf32>
func.func @rows_of_any_number(%x: tensor<?x3x?xf32>) -> tensor<?x3x?xf32> {
  %y = smx.softmax %x axis(2) : tensor<?x3x?xf32> -> tensor<?x3x?xf32>
  return %y : tensor<?x3x?xf32>
}

// CHECK-LABEL: @attention_of_any_size
// CHECK-SAME: %[[Q:.+]]: tensor<2x?x16xf32>, %[[K:.+]]: tensor<2x?x16xf32>, %[[V:.+]]: tensor<2x?x?xf32>
// CHECK-DAG: %[[ROWS:.+]] = tensor.dim %[[Q]], %c1
// CHECK-DAG: %[[KEYS:.+]] = tensor.dim %[[K]], %c1
// CHECK-DAG: tensor.empty(%[[ROWS]], %[[KEYS]]) : tensor<2x?x?xf32>
// CHECK: smx.mask {{.*}} of(%[[ROWS]], %[[KEYS]])
// CHECK: %[[COLUMNS:.+]] = tensor.dim %[[V]], %c2
// CHECK: smx.identity {{.*}}(%[[N:.+]], %[[N]], %[[N]], %[[COLUMNS]]) -> tensor<2x?xf32>, tensor<2x?xf32>, tensor<2x?x?xf32>
func.func @attention_of_any_size(%q: tensor<2x?x16xf32>, %k: tensor<2x?x16xf32>, %v: tensor<2x?x?xf32>) -> tensor<2x?x?xf32> {
  %o = smx.attention %q, %k, %v scale(0.25) mask(#smx.band<bottom_right, right = 0>)
     : tensor<2x?x16xf32>, tensor<2x?x16xf32>, tensor<2x?x?xf32> -> tensor<2x?x?xf32>
  return %o : tensor<2x?x?xf32>
}
