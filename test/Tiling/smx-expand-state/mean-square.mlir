// RUN: softmax-opt %s --smx-expand-state --canonicalize --mlir-use-nameloc-as-prefix | FileCheck %s

#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
!s = tensor<4xf32>
!d = tensor<4xf64>

// Of a stream without elements: a scale that takes any other's place.
// CHECK-LABEL: @identity
// CHECK-DAG: arith.constant 8.50705917E+37 : f32
func.func @identity() -> (!s, !s, !s) {
  %s:3 = smx.identity #smx.mean_square<epsilon = 0.0 : f64> -> !s, !s, !s
  return %s#0, %s#1, %s#2 : !s, !s, !s
}

// The scale is the power of two that the exponent of the largest magnitude says, and never grows.
// CHECK-LABEL: @update
// CHECK-SAME: %[[N:[^:]+]]: tensor<4xf32>, %[[S:[^:]+]]: tensor<4xf32>, %[[Q:[^:]+]]: tensor<4xf32>, %[[X:[^:]+]]: tensor<4x32xbf16>
// CHECK: %tile_maximum = linalg.generic {{.*}} ins(%[[X]] :
// CHECK: math.absf
// CHECK: %running_scale:2 = linalg.generic {{.*}} ins(%[[S]], %[[Q]], %tile_maximum :
// CHECK: %[[B:.+]] = arith.bitcast %{{.+}} : f32 to i32
// CHECK: %[[E:.+]] = arith.shrui %[[B]], %c23_i32
// CHECK: %[[W:.+]] = arith.subi %c254_i32, %[[E]]
// CHECK: %[[A:.+]] = arith.maxsi %[[W]], %c1_i32
// CHECK: arith.minsi %[[A]], %c253_i32
// CHECK: %tile_sum = linalg.generic {{.*}} ins(%[[X]], %running_scale#0 :
// CHECK: %[[T:.+]] = arith.mulf
// CHECK: arith.mulf %[[T]], %[[T]]
// CHECK: %running_sum = linalg.generic {{.*}} ins(%tile_sum : {{.*}}) outs(%running_scale#1 :
// CHECK: %count = linalg.generic {{.*}} outs(%[[N]] :
// CHECK: return %count, %running_scale#0, %running_sum
func.func @update(%n: !s, %s: !s, %q: !s, %x: tensor<4x32xbf16>) -> (!s, !s, !s) {
  %r:3 = smx.update #smx.mean_square<epsilon = 0.0 : f64> (%n, %s, %q : !s, !s, !s)
      with (%x : tensor<4x32xbf16>) maps [#row, #row, #row, #all]
  return %r#0, %r#1, %r#2 : !s, !s, !s
}

// Squares of f16 are numbers of f32 as they are: nothing looks for the largest one, and the scale is at most 1.
// CHECK-LABEL: @update_of_f16
// CHECK-SAME: %[[N:[^:]+]]: tensor<4xf32>, %[[S:[^:]+]]: tensor<4xf32>, %[[Q:[^:]+]]: tensor<4xf32>, %[[X:[^:]+]]: tensor<4x32xf16>
// CHECK-NOT: math.absf
// CHECK: %running_scale:2 = linalg.generic {{.*}} ins(%[[S]], %[[Q]] :
// CHECK: %[[G:.+]] = arith.cmpf ogt, %{{.+}}, %cst{{.*}} : f32
// CHECK: arith.select %[[G]], %cst{{.*}}, %{{.+}} : f32
// CHECK: %tile_sum = linalg.generic {{.*}} ins(%[[X]] :
// CHECK: %[[W:.+]] = arith.extf
// CHECK-NEXT: arith.mulf %[[W]], %[[W]]
// CHECK: %running_sum = linalg.generic {{.*}} ins(%tile_sum, %running_scale#0 : {{.*}}) outs(%running_scale#1 :
// CHECK: ^bb0(%[[T:[^:]+]]: f32, %[[R:[^:]+]]: f32, %[[O:[^:]+]]: f32):
// CHECK: %[[ONCE:.+]] = arith.mulf %[[T]], %[[R]]
// CHECK: %[[TWICE:.+]] = arith.mulf %[[ONCE]], %[[R]]
// CHECK: arith.addf %[[TWICE]], %[[O]]
func.func @update_of_f16(%n: !s, %s: !s, %q: !s, %x: tensor<4x32xf16>) -> (!s, !s, !s) {
  %r:3 = smx.update #smx.mean_square<epsilon = 0.0 : f64> (%n, %s, %q : !s, !s, !s)
      with (%x : tensor<4x32xf16>) maps [#row, #row, #row, #all]
  return %r#0, %r#1, %r#2 : !s, !s, !s
}

// In f64 scales end at 2^500.
// CHECK-LABEL: @update_of_f64
// CHECK: arith.shrui %{{.+}}, %c52_i64
// CHECK: arith.minsi %{{.+}}, %c1523_i64
func.func @update_of_f64(%n: !d, %s: !d, %q: !d, %x: tensor<4x32xf64>) -> !d {
  %r:3 = smx.update #smx.mean_square<epsilon = 0.0 : f64> (%n, %s, %q : !d, !d, !d)
      with (%x : tensor<4x32xf64>) maps [#row, #row, #row, #all]
  return %r#1 : !d
}

// CHECK-LABEL: @merge
// CHECK: %merge_sums_of_squares:3 = linalg.generic
// CHECK: ^bb0(%[[NA:[^:]+]]: f32, %[[SA:[^:]+]]: f32, %[[QA:[^:]+]]: f32, %[[NB:[^:]+]]: f32, %[[SB:[^:]+]]: f32, %[[QB:[^:]+]]: f32,
// CHECK: %[[G:.+]] = arith.cmpf ogt, %[[SA]], %[[SB]]
// CHECK: %[[S:.+]] = arith.select %[[G]], %[[SB]], %[[SA]]
// CHECK: %[[N:.+]] = arith.addf %[[NA]], %[[NB]]
// CHECK: %[[Q:.+]] = arith.addf
// CHECK: linalg.yield %[[N]], %[[S]], %[[Q]]
func.func @merge(%n0: !s, %s0: !s, %q0: !s, %n1: !s, %s1: !s, %q1: !s) -> (!s, !s, !s) {
  %r:3 = smx.merge #smx.mean_square<epsilon = 0.0 : f64> (%n0, %s0, %q0 : !s, !s, !s)
      and (%n1, %s1, %q1 : !s, !s, !s) maps [#row, #row, #row]
  return %r#0, %r#1, %r#2 : !s, !s, !s
}

// CHECK-LABEL: @normalized
// CHECK: arith.constant 9.9999999999999995E-7 : f64
// CHECK: %reciprocal_of_the_scaled_root = linalg.generic
// CHECK: math.sqrt %{{.+}} : f64
// CHECK: %normalise = linalg.generic {{.*}} ins(%{{.+}}, %{{.+}}, %reciprocal_of_the_scaled_root :
// CHECK: ^bb0(%[[X:[^:]+]]: f32, %[[S:[^:]+]]: f32, %[[R:[^:]+]]: f32,
// CHECK: %[[T:.+]] = arith.mulf %[[X]], %[[S]] : f32
// CHECK: arith.mulf %[[T]], %[[R]] : f32
func.func @normalized(%n: !s, %s: !s, %q: !s, %x: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %y = smx.finish #smx.mean_square<epsilon = 1.0e-6 : f64> "normalized" (%n, %s, %q : !s, !s, !s)
      with (%x : tensor<4x32xf32>) maps [#row, #row, #row, #all, #all] : tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

// Numbers that need no scale are multiplied once.
// CHECK-LABEL: @normalized_f16
// CHECK: %reciprocal_of_the_scaled_root = linalg.generic
// For 16 bits f32 will do: sqrt(epsilon) s is squared where that is a number.
// CHECK: %[[MEAN:.+]] = arith.divf %{{.+}}, %{{.+}} fastmath<afn> : f32
// CHECK: %[[E:.+]] = arith.mulf %{{.+}}, %cst{{.*}} : f32
// CHECK: %[[SQUARE:.+]] = math.fma %[[E]], %[[E]], %[[MEAN]] : f32
// CHECK: %[[NEAR:.+]] = math.sqrt %[[SQUARE]] fastmath<afn> : f32
// CHECK: %[[FAR:.+]] = arith.cmpf ogt, %[[E]], %{{.+}} : f32
// CHECK: %[[ROOT:.+]] = arith.select %[[FAR]], %[[E]], %[[NEAR]] : f32
// CHECK: arith.divf %{{.+}}, %[[ROOT]] fastmath<afn> : f32
// CHECK: %normalise = linalg.generic {{.*}} ins(%{{.+}}, %reciprocal_of_the_scaled_root :
// CHECK: ^bb0(%[[X:[^:]+]]: f16, %[[R:[^:]+]]: f32,
// CHECK: %[[W:.+]] = arith.extf %[[X]]
// CHECK-NEXT: arith.mulf %[[W]], %[[R]] : f32
// CHECK-NEXT: arith.truncf
func.func @normalized_f16(%n: !s, %s: !s, %q: !s, %x: tensor<4x32xf16>) -> tensor<4x32xf16> {
  %y = smx.finish #smx.mean_square<epsilon = 1.0e-6 : f64> "normalized" (%n, %s, %q : !s, !s, !s)
      with (%x : tensor<4x32xf16>) maps [#row, #row, #row, #all, #all] : tensor<4x32xf16>
  return %y : tensor<4x32xf16>
}
