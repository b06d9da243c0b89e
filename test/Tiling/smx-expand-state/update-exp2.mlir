// RUN: softmax-opt %s --smx-expand-state --mlir-use-nameloc-as-prefix | FileCheck %s

#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>

// Base 2: 0.5*log2(e) goes into one multiplication per row, and into one fma and one exp2 per element.

// CHECK-LABEL: @scale_is_folded_in
// CHECK-NOT: math.exp %
// CHECK: %tile_maximum = linalg.generic
// CHECK-NOT: arith.mulf
// CHECK: %running_maximum_and_rescale_factor:4 = linalg.generic
// CHECK: %[[C:.+]] = arith.constant 0.72134751 : f32
// CHECK: arith.mulf %{{.+}}, %[[C]]
// A row whose maximum is +inf has the reference 0: factors are at most 1.
// CHECK: %[[DISTANCE:.+]] = arith.subf
// CHECK-NEXT: %[[ZERO:.+]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %[[LEAST:.+]] = arith.minnumf %[[DISTANCE]], %[[ZERO]] fastmath<nnan>
// CHECK-NEXT: math.exp2 %[[LEAST]] fastmath<afn>
// CHECK: %tile_sum = linalg.generic
// CHECK: %[[C2:.+]] = arith.constant 0.72134751 : f32
// CHECK-NEXT: %[[MINUS:.+]] = arith.negf
// CHECK-NEXT: %[[POWER:.+]] = math.fma %{{.+}}, %[[C2]], %[[MINUS]]
// CHECK-NEXT: %[[P:.+]] = math.exp2 %[[POWER]]
// CHECK-NEXT: arith.addf %[[P]]
// CHECK: %running_sum = linalg.generic {{.*}} ins(%tile_sum :
// CHECK-NOT: math.exp %
func.func @scale_is_folded_in(%m: tensor<4xf32>, %l: tensor<4xf32>, %x: tensor<4x32xf32>) -> tensor<4xf32> {
  %s:2 = smx.update #smx.softmax<exp2, scale = 0.5> (%m, %l : tensor<4xf32>, tensor<4xf32>)
      with (%x : tensor<4x32xf32>) maps [#row, #row, #all]
  return %s#1 : tensor<4xf32>
}
