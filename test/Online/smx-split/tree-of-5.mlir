// RUN: softmax-opt %s --smx-split=parts=5 | FileCheck %s

#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>

// ((0 1) (2 3)) 4: neighbours merge, the odd one waits.
// CHECK-LABEL: @five_parts
// CHECK-SAME: %[[X:.+]]: tensor<4x100xf32>
// CHECK: %[[X0:.+]] = tensor.extract_slice %[[X]][0, 0] [4, 20]
// CHECK: %[[S0:.+]]:2 = smx.update {{.*}} with(%[[X0]] : tensor<4x20xf32>)
// CHECK: %[[X1:.+]] = tensor.extract_slice %[[X]][0, 20] [4, 20]
// CHECK: %[[S1:.+]]:2 = smx.update {{.*}} with(%[[X1]] :
// CHECK: %[[X2:.+]] = tensor.extract_slice %[[X]][0, 40] [4, 20]
// CHECK: %[[S2:.+]]:2 = smx.update {{.*}} with(%[[X2]] :
// CHECK: %[[X3:.+]] = tensor.extract_slice %[[X]][0, 60] [4, 20]
// CHECK: %[[S3:.+]]:2 = smx.update {{.*}} with(%[[X3]] :
// CHECK: %[[X4:.+]] = tensor.extract_slice %[[X]][0, 80] [4, 20]
// CHECK: %[[S4:.+]]:2 = smx.update {{.*}} with(%[[X4]] :
// CHECK: %[[A:.+]]:2 = smx.merge {{.*}}(%[[S0]]#0, %[[S0]]#1 : {{.*}}) and(%[[S1]]#0, %[[S1]]#1 :
// CHECK: %[[B:.+]]:2 = smx.merge {{.*}}(%[[S2]]#0, %[[S2]]#1 : {{.*}}) and(%[[S3]]#0, %[[S3]]#1 :
// CHECK: %[[C:.+]]:2 = smx.merge {{.*}}(%[[A]]#0, %[[A]]#1 : {{.*}}) and(%[[B]]#0, %[[B]]#1 :
// CHECK: %[[D:.+]]:2 = smx.merge {{.*}}(%[[C]]#0, %[[C]]#1 : {{.*}}) and(%[[S4]]#0, %[[S4]]#1 :
// CHECK-NOT: smx.merge
// CHECK: smx.finish {{.*}}(%[[D]]#0, %[[D]]#1 : {{.*}}) with(%[[X]] : tensor<4x100xf32>)
func.func @five_parts(%x: tensor<4x100xf32>) -> tensor<4x100xf32> {
  %i:2 = smx.identity #smx.softmax<exp> -> tensor<4xf32>, tensor<4xf32>
  %s:2 = smx.update #smx.softmax<exp> (%i#0, %i#1 : tensor<4xf32>, tensor<4xf32>)
      with (%x : tensor<4x100xf32>) maps [#row, #row, #all]
  %y = smx.finish #smx.softmax<exp> "softmax" (%s#0, %s#1 : tensor<4xf32>, tensor<4xf32>)
      with (%x : tensor<4x100xf32>) maps [#row, #row, #all, #all] : tensor<4x100xf32>
  return %y : tensor<4x100xf32>
}
