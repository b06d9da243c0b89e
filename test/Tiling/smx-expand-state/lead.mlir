// RUN: softmax-opt %s "--smx-expand-state=slack=8 lead=64" --mlir-use-nameloc-as-prefix | FileCheck %s

#i = affine_map<(i, j, d) -> (i)>
#ij = affine_map<(i, j, d) -> (i, j)>
#jd = affine_map<(i, j, d) -> (j, d)>
#id = affine_map<(i, j, d) -> (i, d)>

// One that moves again goes on beyond the maximum, to a multiple of 32. Where it begins, at -inf, and in units that are too large
// for that, it is the maximum.
// CHECK-LABEL: @leads
// CHECK: ^bb0(%[[M:[^:]+]]: f32, %{{[^:]+}}: f32, %{{[^:]+}}: f32,
// CHECK: %[[LIMIT:.+]] = arith.addf %[[M]]
// CHECK: %[[SHIFT:.+]] = arith.constant 1.200000e+01 : f32
// CHECK: %[[SHIFTED:.+]] = arith.addf %[[SCORE:.+]], %[[SHIFT]]
// CHECK: %[[TO_STEPS:.+]] = arith.constant 0x4DC00000 : f32
// CHECK: %[[STEPS:.+]] = arith.addf %[[SHIFTED]], %[[TO_STEPS]]
// CHECK: %[[BACK:.+]] = arith.constant 0xCDBFFFFE : f32
// CHECK: %[[AHEAD:.+]] = arith.addf %[[STEPS]], %[[BACK]]
// CHECK: %[[LARGE:.+]] = arith.cmpf ogt, %[[SCORE]], %{{.+}}
// CHECK-DAG: %[[ABOVE:.+]] = arith.cmpf ogt, %[[M]], %{{.+}}
// CHECK-DAG: %[[BELOW:.+]] = arith.cmpf ogt, %{{.+}}, %[[M]]
// CHECK: %[[COARSE:.+]] = arith.ori %[[ABOVE]], %[[BELOW]]
// CHECK: %[[ALONE:.+]] = arith.ori %[[LARGE]], %[[COARSE]]
// CHECK: %[[NEXT:.+]] = arith.select %[[ALONE]], %[[SCORE]], %[[AHEAD]]
// CHECK: %[[MOVES:.+]] = arith.cmpf ogt, %[[SCORE]], %[[LIMIT]]
// CHECK: arith.select %[[MOVES]], %[[NEXT]], %[[M]]
func.func @leads(%m: tensor<4xf32>, %l: tensor<4xf32>, %acc: tensor<4x8xf32>, %x: tensor<4x32xf32>, %v: tensor<32x8xbf16>) -> tensor<4x8xf32> {
  %s:3 = smx.update #smx.softmax<exp2> (%m, %l, %acc : tensor<4xf32>, tensor<4xf32>, tensor<4x8xf32>)
      with (%x, %v : tensor<4x32xf32>, tensor<32x8xbf16>) maps [#i, #i, #id, #ij, #jd]
  return %s#2 : tensor<4x8xf32>
}

// f16 has no numbers that are small enough for weights of such a reference.
// CHECK-LABEL: @has_no_room
// CHECK-NOT: 1.200000e+01
func.func @has_no_room(%m: tensor<4xf32>, %l: tensor<4xf32>, %acc: tensor<4x8xf32>, %x: tensor<4x32xf32>, %v: tensor<32x8xf16>) -> tensor<4x8xf32> {
  %s:3 = smx.update #smx.softmax<exp2> (%m, %l, %acc : tensor<4xf32>, tensor<4xf32>, tensor<4x8xf32>)
      with (%x, %v : tensor<4x32xf32>, tensor<32x8xf16>) maps [#i, #i, #id, #ij, #jd]
  return %s#2 : tensor<4x8xf32>
}

// The log-sum-exp of a reference that may lead: what the sum is small by goes into the reference first.
// CHECK-LABEL: @is_far_from_sum
// CHECK: ^bb0(%[[R:[^:]+]]: f32, %[[L:[^:]+]]: f32,
// CHECK: %[[TO_WHOLE:.+]] = arith.constant 0x4B400000 : f32
// CHECK: %[[LOG:.+]] = math.log %[[L]]
// CHECK: %[[POWER:.+]] = arith.mulf %[[LOG]]
// CHECK: %[[ROUNDED:.+]] = arith.addf %[[POWER]], %[[TO_WHOLE]]
// CHECK: %[[WHOLE:.+]] = arith.subf %[[ROUNDED]], %[[TO_WHOLE]]
// CHECK: %[[K:.+]] = arith.select %{{.+}}, %{{.+}}, %[[WHOLE]]
// CHECK: %[[R1:.+]] = arith.addf %[[R]], %[[K]]
// CHECK: %[[MINUS:.+]] = arith.negf %[[K]]
// CHECK: %[[FACTOR:.+]] = math.exp2 %[[MINUS]]
// CHECK: %[[L1:.+]] = arith.mulf %[[L]], %[[FACTOR]]
// CHECK: math.log %[[L1]]
func.func @is_far_from_sum(%m: tensor<4xf32>, %l: tensor<4xf32>, %acc: tensor<4x8xf32>) -> tensor<4xf32> {
  %lse = smx.finish #smx.softmax<exp2> "logsumexp" (%m, %l, %acc : tensor<4xf32>, tensor<4xf32>, tensor<4x8xf32>) maps [#i, #i, #id, #i] : tensor<4xf32>
  return %lse : tensor<4xf32>
}
