// The reference of a row of large numbers, such as the negative ones that hide, is its maximum times a power of two, which rounds nothing, and so
// is the exponent of a weight. The power is the next one that is not below the factor of other rows, so that references keep the
// order of maxima.
// RUN: softmax-opt %s --smx-expand-state --mlir-use-nameloc-as-prefix | FileCheck %s

#i = affine_map<(i, j, d) -> (i)>
#ij = affine_map<(i, j, d) -> (i, j)>
#jd = affine_map<(i, j, d) -> (j, d)>
#id = affine_map<(i, j, d) -> (i, d)>

// 0.5 log2(e) = 0.72.
// CHECK-LABEL: @in_base_2
// CHECK: %running_maximum_and_rescale_factor:5 = linalg.generic
// CHECK: ^bb0(%{{[^:]+}}: f32, %{{[^:]+}}: f32, %[[M:[^:]+]]: f32,
// CHECK: %[[C:.+]] = arith.constant 0.72134751 : f32
// CHECK: %[[R:.+]] = arith.mulf %[[M]], %[[C]]
// CHECK-DAG: %[[MOST:.+]] = arith.constant 0x4D800000
// CHECK-DAG: %[[ABOVE:.+]] = arith.cmpf ogt, %[[R]], %[[MOST]]
// CHECK-DAG: %[[LEAST:.+]] = arith.constant 0xCD800000
// CHECK-DAG: %[[BELOW:.+]] = arith.cmpf ogt, %[[LEAST]], %[[R]]
// CHECK: %[[IS_COARSE:.+]] = arith.ori %[[ABOVE]], %[[BELOW]]
// CHECK: arith.select %[[IS_COARSE]], %[[M]], %[[R]]
// CHECK: %[[IS_INFINITE:.+]] = arith.cmpf oeq
// CHECK: %[[GUARDED:.+]] = arith.select %[[IS_INFINITE]],
// CHECK-DAG: %[[MOST2:.+]] = arith.constant 0x4D800000
// CHECK-DAG: %[[ABOVE2:.+]] = arith.cmpf ogt, %[[GUARDED]], %[[MOST2]]
// CHECK-DAG: %[[LEAST2:.+]] = arith.constant 0xCD800000
// CHECK-DAG: %[[BELOW2:.+]] = arith.cmpf ogt, %[[LEAST2]], %[[GUARDED]]
// CHECK: %[[IS_COARSE2:.+]] = arith.ori %[[ABOVE2]], %[[BELOW2]]
// CHECK: %[[ONE:.+]] = arith.constant 1.000000e+00 : f32
// CHECK: %[[C2:.+]] = arith.constant 0.72134751 : f32
// CHECK: arith.select %[[IS_COARSE2]], %[[ONE]], %[[C2]]
// CHECK: %weights_and_running_sum:2 = linalg.generic
// CHECK: ^bb0(%[[S:[^:]+]]: f32, %[[REFERENCE:[^:]+]]: f32, %[[FACTOR:[^:]+]]: f32,
// CHECK: %[[MINUS:.+]] = arith.negf %[[REFERENCE]]
// CHECK: %[[POWER:.+]] = math.fma %[[S]], %[[FACTOR]], %[[MINUS]]
// CHECK: math.exp2 %[[POWER]]
func.func @in_base_2(%m: tensor<4xf32>, %l: tensor<4xf32>, %acc: tensor<4x8xf32>, %x: tensor<4x32xf32>, %v: tensor<32x8xf32>) -> tensor<4x8xf32> {
  %s:3 = smx.update #smx.softmax<exp2, scale = 0.5> (%m, %l, %acc : tensor<4xf32>, tensor<4xf32>, tensor<4x8xf32>)
      with (%x, %v : tensor<4x32xf32>, tensor<32x8xf32>) maps [#i, #i, #id, #ij, #jd]
  return %s#2 : tensor<4x8xf32>
}

// 2^57 in f64, and a factor above 1.
// CHECK-LABEL: @in_f64
// CHECK-DAG: arith.constant 1.4411518807585587E+17 : f64
// CHECK-DAG: arith.constant -1.4411518807585587E+17
// CHECK: arith.constant 2.000000e+00 : f64
func.func @in_f64(%m: tensor<4xf64>, %l: tensor<4xf64>, %acc: tensor<4x8xf64>, %x: tensor<4x32xf64>, %v: tensor<32x8xf64>) -> tensor<4x8xf64> {
  %s:3 = smx.update #smx.softmax<exp2> (%m, %l, %acc : tensor<4xf64>, tensor<4xf64>, tensor<4x8xf64>)
      with (%x, %v : tensor<4x32xf64>, tensor<32x8xf64>) maps [#i, #i, #id, #ij, #jd]
  return %s#2 : tensor<4x8xf64>
}

// In another base the difference of scores is exact as it is.
// CHECK-LABEL: @in_base_e
// CHECK: %running_maximum_and_rescale_factor:4 = linalg.generic
func.func @in_base_e(%m: tensor<4xf32>, %l: tensor<4xf32>, %acc: tensor<4x8xf32>, %x: tensor<4x32xf32>, %v: tensor<32x8xf32>) -> tensor<4x8xf32> {
  %s:3 = smx.update #smx.softmax<exp> (%m, %l, %acc : tensor<4xf32>, tensor<4xf32>, tensor<4x8xf32>)
      with (%x, %v : tensor<4x32xf32>, tensor<32x8xf32>) maps [#i, #i, #id, #ij, #jd]
  return %s#2 : tensor<4x8xf32>
}

// The logarithm is of the maximum by the factor that the reference has, which is coarse or not.
// CHECK-LABEL: @logarithm
// CHECK: %log-sum-exp = linalg.generic
// CHECK: ^bb0(%[[R:[^:]+]]: f32,
// CHECK: %[[HALF:.+]] = arith.constant 5.000000e-01 : f32
// CHECK: %[[COARSE:.+]] = arith.mulf %[[R]], %[[HALF]]
// CHECK-DAG: %[[MOST:.+]] = arith.constant 0x4D800000
// CHECK-DAG: %[[ABOVE:.+]] = arith.cmpf ogt, %[[R]], %[[MOST]]
// CHECK-DAG: %[[LEAST:.+]] = arith.constant 0xCD800000
// CHECK-DAG: %[[BELOW:.+]] = arith.cmpf ogt, %[[LEAST]], %[[R]]
// CHECK: %[[IS_COARSE:.+]] = arith.ori %[[ABOVE]], %[[BELOW]]
// CHECK: %[[LN2:.+]] = arith.constant 0.693147182 : f32
// CHECK: %[[FINE:.+]] = arith.mulf %[[R]], %[[LN2]]
// CHECK: arith.select %[[IS_COARSE]], %[[COARSE]], %[[FINE]]
func.func @logarithm(%m: tensor<4xf32>, %l: tensor<4xf32>, %acc: tensor<4x8xf32>) -> tensor<4xf32> {
  %lse = smx.finish #smx.softmax<exp2> "logsumexp" (%m, %l, %acc : tensor<4xf32>, tensor<4xf32>, tensor<4x8xf32>) maps [#i, #i, #id, #i] : tensor<4xf32>
  return %lse : tensor<4xf32>
}
