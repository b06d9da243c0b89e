// RUN: softmax-opt %s --smx-expand-state | FileCheck %s

#row = affine_map<(i, p, d) -> (i)>
#acc = affine_map<(i, p, d) -> (i, d)>
#parts = affine_map<(i, p, d) -> (i, p)>
#accs = affine_map<(i, p, d) -> (i, p, d)>

// CHECK-LABEL: @update
// CHECK-SAME: %[[M:.+]]: tensor<4xf32>, %[[L:.+]]: tensor<4xf32>, %[[ACC:.+]]: tensor<4x8xf32>, %[[MP:.+]]: tensor<4x16xf32>, %[[LP:.+]]: tensor<4x16xf32>, %[[ACCP:.+]]: tensor<4x16x8xf32>
// The maximum, of maxima as they are: a state in base 2 has scaled ones.
// CHECK: %[[MAX:.+]] = linalg.generic {{.*}} ins(%[[MP]]
// CHECK-NOT: arith.mulf
// CHECK: linalg.yield
// CHECK: %[[MOVED:.+]]:4 = linalg.generic {{.*}} ins(%[[M]], %[[L]], %[[MAX]]
// CHECK: math.exp2
// CHECK: %[[SUM:.+]]:2 = linalg.generic {{.*}} ins(%[[MP]], %[[LP]], %[[MOVED]]#1
// CHECK: %[[D:.+]] = arith.subf
// CHECK: %[[W:.+]] = math.exp2 %[[D]]
// CHECK: %[[WL:.+]] = arith.mulf %[[W]]
// CHECK: arith.addf %[[WL]]
// CHECK: %[[RESCALED:.+]] = linalg.generic {{.*}} ins(%[[MOVED]]#2
// CHECK: linalg.generic {{.*}} ins(%[[SUM]]#0, %[[ACCP]] {{.*}} outs(%[[RESCALED]]
func.func @update(%m: tensor<4xf32>, %l: tensor<4xf32>, %acc: tensor<4x8xf32>, %mp: tensor<4x16xf32>, %lp: tensor<4x16xf32>,
                  %accp: tensor<4x16x8xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4x8xf32>) {
  %s:3 = smx.update #smx.parts<#smx.softmax<exp2, scale = 1.250000e-01, masked_row = zero>>
      (%m, %l, %acc : tensor<4xf32>, tensor<4xf32>, tensor<4x8xf32>)
      with (%mp, %lp, %accp : tensor<4x16xf32>, tensor<4x16xf32>, tensor<4x16x8xf32>) maps [#row, #row, #acc, #parts, #parts, #accs]
  return %s#0, %s#1, %s#2 : tensor<4xf32>, tensor<4xf32>, tensor<4x8xf32>
}

// Without an accumulator no weights are kept.
// CHECK-LABEL: @no_accumulator
// CHECK-SAME: %[[M:.+]]: tensor<4xf32>, %[[L:.+]]: tensor<4xf32>, %[[MP:.+]]: tensor<4x16xf32>, %[[LP:.+]]: tensor<4x16xf32>
// CHECK: %[[MAX:.+]] = linalg.generic {{.*}} ins(%[[MP]]
// CHECK: %[[MOVED:.+]]:4 = linalg.generic {{.*}} ins(%[[M]], %[[L]], %[[MAX]]
// CHECK: %[[SUM:.+]] = linalg.generic {{.*}} ins(%[[MP]], %[[LP]], %[[MOVED]]#1 {{.*}} outs(%[[MOVED]]#3
// CHECK: %[[D:.+]] = arith.subf
// CHECK: %[[W:.+]] = math.exp2 %[[D]]
// CHECK: %[[WL:.+]] = arith.mulf %[[W]]
// CHECK: arith.addf %[[WL]]
// CHECK: return %[[MOVED]]#0, %[[SUM]]
func.func @no_accumulator(%m: tensor<4xf32>, %l: tensor<4xf32>, %mp: tensor<4x16xf32>, %lp: tensor<4x16xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %s:2 = smx.update #smx.parts<#smx.softmax<exp2, scale = 1.250000e-01, masked_row = zero>>
      (%m, %l : tensor<4xf32>, tensor<4xf32>)
      with (%mp, %lp : tensor<4x16xf32>, tensor<4x16xf32>) maps [affine_map<(i, p) -> (i)>, affine_map<(i, p) -> (i)>, affine_map<(i, p) -> (i, p)>, affine_map<(i, p) -> (i, p)>]
  return %s#0, %s#1 : tensor<4xf32>, tensor<4xf32>
}

// n = sum n_p, mean = sum n_p mean_p / n, m2 = sum m2_p + n_p (mean_p - mean)^2.
// CHECK-LABEL: @moments
// CHECK-SAME: %[[N:.+]]: tensor<4xf32>, %[[MEAN:.+]]: tensor<4xf32>, %[[M2:.+]]: tensor<4xf32>, %[[NP:.+]]: tensor<4x16xf32>, %[[MEANP:.+]]: tensor<4x16xf32>, %[[M2P:.+]]: tensor<4x16xf32>
// CHECK: %[[COUNT:.+]] = linalg.generic {{.*}} ins(%[[NP]] :
// CHECK: %[[SUM:.+]] = linalg.generic {{.*}} ins(%[[NP]], %[[MEANP]] :
// CHECK: %[[OF:.+]] = linalg.generic {{.*}} ins(%[[SUM]], %[[COUNT]] :
// CHECK: arith.divf
// CHECK: %[[SPREAD:.+]] = linalg.generic {{.*}} ins(%[[NP]], %[[MEANP]], %[[M2P]], %[[OF]] :
// CHECK: %[[D:.+]] = arith.subf
// CHECK: arith.mulf %[[D]], %[[D]]
// CHECK: linalg.generic {{.*}} ins(%[[N]], %[[MEAN]], %[[M2]], %[[COUNT]], %[[OF]], %[[SPREAD]] :
func.func @moments(%n: tensor<4xf32>, %mean: tensor<4xf32>, %m2: tensor<4xf32>, %np: tensor<4x16xf32>, %meanp: tensor<4x16xf32>,
                   %m2p: tensor<4x16xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %s:3 = smx.update #smx.parts<#smx.moments<epsilon = 1.000000e-05 : f64>>
      (%n, %mean, %m2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
      with (%np, %meanp, %m2p : tensor<4x16xf32>, tensor<4x16xf32>, tensor<4x16xf32>)
      maps [affine_map<(i, p) -> (i)>, affine_map<(i, p) -> (i)>, affine_map<(i, p) -> (i)>, affine_map<(i, p) -> (i, p)>, affine_map<(i, p) -> (i, p)>, affine_map<(i, p) -> (i, p)>]
  return %s#0, %s#1, %s#2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// The smallest scale is that of all of them.
// CHECK-LABEL: @mean_square
// CHECK-SAME: %[[N:.+]]: tensor<4xf32>, %[[S:.+]]: tensor<4xf32>, %[[Q:.+]]: tensor<4xf32>, %[[NP:.+]]: tensor<4x16xf32>, %[[SP:.+]]: tensor<4x16xf32>, %[[QP:.+]]: tensor<4x16xf32>
// CHECK: %[[LEAST:.+]] = linalg.generic {{.*}} ins(%[[SP]] :
// CHECK: arith.minnumf
// CHECK: %[[MOVED:.+]]:2 = linalg.generic {{.*}} ins(%[[S]], %[[Q]], %[[LEAST]] :
// CHECK: linalg.generic {{.*}} ins(%[[SP]], %[[QP]], %[[MOVED]]#0 : {{.*}} outs(%[[MOVED]]#1
// CHECK: linalg.generic {{.*}} ins(%[[NP]] : {{.*}} outs(%[[N]]
func.func @mean_square(%n: tensor<4xf32>, %s: tensor<4xf32>, %q: tensor<4xf32>, %np: tensor<4x16xf32>, %sp: tensor<4x16xf32>,
                       %qp: tensor<4x16xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %r:3 = smx.update #smx.parts<#smx.mean_square<epsilon = 1.000000e-05 : f64>>
      (%n, %s, %q : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
      with (%np, %sp, %qp : tensor<4x16xf32>, tensor<4x16xf32>, tensor<4x16xf32>)
      maps [affine_map<(i, p) -> (i)>, affine_map<(i, p) -> (i)>, affine_map<(i, p) -> (i)>, affine_map<(i, p) -> (i, p)>, affine_map<(i, p) -> (i, p)>, affine_map<(i, p) -> (i, p)>]
  return %r#0, %r#1, %r#2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @gradient
// CHECK-SAME: %[[S:.+]]: tensor<4xf32>, %[[SP:.+]]: tensor<4x16xf32>
// CHECK: linalg.generic {{.*}} ins(%[[SP]] : {{.*}} outs(%[[S]] :
// CHECK: arith.addf
func.func @gradient(%s: tensor<4xf32>, %sp: tensor<4x16xf32>) -> tensor<4xf32> {
  %r = smx.update #smx.parts<#smx.gradient<softmax, scale = 1.000000e+00 : f64>>(%s : tensor<4xf32>) with (%sp : tensor<4x16xf32>)
      maps [affine_map<(i, p) -> (i)>, affine_map<(i, p) -> (i, p)>]
  return %r : tensor<4xf32>
}

// Softmax's two components, a sum of the counts, and the means, each moved to the common maximum.
// CHECK-LABEL: @cross_entropy
// CHECK-SAME: %[[MP:[^ :]+]]: tensor<4x16xf32>, %[[LP:[^ :]+]]: tensor<4x16xf32>, %[[NP:[^ :]+]]: tensor<4x16xf32>, %[[TP:[^ :]+]]: tensor<4x16xf32>)
// CHECK: math.exp
// CHECK: linalg.generic {{.*}} ins(%[[NP]] :
// CHECK-NEXT: ^bb0
// CHECK-NEXT: arith.addf
// CHECK: linalg.generic {{.*}} ins(%[[MP]], %[[NP]], %[[TP]], %{{.+}} :
// CHECK: arith.divf
func.func @cross_entropy(%m: tensor<4xf32>, %l: tensor<4xf32>, %n: tensor<4xf32>, %t: tensor<4xf32>, %mp: tensor<4x16xf32>, %lp: tensor<4x16xf32>,
                         %np: tensor<4x16xf32>, %tp: tensor<4x16xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %r:4 = smx.update #smx.parts<#smx.cross_entropy<#smx.softmax<exp>, smoothing = 1.000000e-01 : f64>>
      (%m, %l, %n, %t : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
      with (%mp, %lp, %np, %tp : tensor<4x16xf32>, tensor<4x16xf32>, tensor<4x16xf32>, tensor<4x16xf32>)
      maps [affine_map<(i, p) -> (i)>, affine_map<(i, p) -> (i)>, affine_map<(i, p) -> (i)>, affine_map<(i, p) -> (i)>, affine_map<(i, p) -> (i, p)>, affine_map<(i, p) -> (i, p)>, affine_map<(i, p) -> (i, p)>, affine_map<(i, p) -> (i, p)>]
  return %r#0, %r#1, %r#2, %r#3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
