// RUN: softmax-opt %s --smx-online | FileCheck %s

// What a region hides is -inf, and the update selects its values away. The scale stays in the algebra.

// CHECK-LABEL: @padding
// CHECK-SAME: %[[SEEN:[^:]+]]: tensor<9xi1>)
// CHECK: linalg.generic {{.*}} "reduction"]
// CHECK: linalg.generic
// CHECK: ^bb0(%[[IN:.+]]: f32, %{{.+}}: f32):
// CHECK: %[[J:.+]] = linalg.index 2
// CHECK-NOT: arith.mulf
// CHECK: %[[B:.+]] = tensor.extract %[[SEEN]][%[[J]]]
// CHECK: %[[HIDDEN:.+]] = arith.constant 0xFF800000 : f32
// CHECK: arith.select %[[B]], %[[IN]], %[[HIDDEN]]
// CHECK: smx.update #smx.softmax<exp2, scale = 2.500000e-01, masked_row = zero>{{.*}} masked{{$}}
func.func @padding(%q: tensor<2x7x16xf32>, %k: tensor<2x9x16xf32>, %v: tensor<2x9x4xf32>, %seen: tensor<9xi1>) -> tensor<2x7x4xf32> {
  %o = smx.attention %q, %k, %v scale(0.25) visible {
  ^bb0(%h: index, %i: index, %j: index):
    %b = tensor.extract %seen[%j] : tensor<9xi1>
    smx.yield %b : i1
  } : tensor<2x7x16xf32>, tensor<2x9x16xf32>, tensor<2x9x4xf32> -> tensor<2x7x4xf32>
  return %o : tensor<2x7x4xf32>
}

// All three at once: score, then what is seen, then the mask.
// CHECK-LABEL: @score_visible_and_mask
// CHECK: math.tanh
// CHECK: arith.select
// CHECK: smx.mask
// CHECK: smx.update {{.*}} masked{{$}}
func.func @score_visible_and_mask(%q: tensor<7x16xf32>, %k: tensor<9x16xf32>, %v: tensor<9x4xf32>, %seen: tensor<9xi1>) -> tensor<7x4xf32> {
  %o = smx.attention %q, %k, %v scale(0.25) mask(#smx.band<top_left, right = 0>) score {
  ^bb0(%s: f32, %i: index, %j: index):
    %t = math.tanh %s : f32
    smx.yield %t : f32
  } visible {
  ^bb0(%i: index, %j: index):
    %b = tensor.extract %seen[%j] : tensor<9xi1>
    smx.yield %b : i1
  } : tensor<7x16xf32>, tensor<9x16xf32>, tensor<9x4xf32> -> tensor<7x4xf32>
  return %o : tensor<7x4xf32>
}
