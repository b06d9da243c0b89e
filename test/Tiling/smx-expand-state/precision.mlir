// RUN: softmax-opt %s --smx-expand-state | FileCheck %s

#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// f32: the difference may be contracted into the exponential, the sum is f64.

// CHECK-LABEL: @single
// CHECK: arith.subf %{{.+}}, %{{.+}} fastmath<contract> : f32
// CHECK-NEXT: math.exp %{{.+}} fastmath<contract> : f32
// CHECK: outs(%{{.+}} : tensor<4xf64>)
// CHECK: arith.subf %{{.+}}, %{{.+}} fastmath<contract> : f32
// CHECK-NEXT: math.exp %{{.+}} fastmath<contract> : f32
// CHECK-NEXT: arith.extf %{{.+}} : f32 to f64
func.func @single(%m: tensor<4xf32>, %l: tensor<4xf32>, %x: tensor<4x32xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %m1, %l1 = smx.update #smx.softmax<exp> (%m, %l : tensor<4xf32>, tensor<4xf32>)
      with(%x : tensor<4x32xf32>) maps [#row, #row, #all]
  return %m1, %l1 : tensor<4xf32>, tensor<4xf32>
}

// Half precision: a short exp2 with the scale folded, and a sum in f32.

// CHECK-LABEL: @half
// CHECK-NOT: f64
// CHECK: arith.subf %{{[^ ]+}}, %{{[^ ]+}} : f32
// CHECK: arith.mulf %{{.+}}, %{{.+}} : f32
// CHECK-NEXT: math.exp2 %{{.+}} fastmath<afn> {result_bits = 16 : i32} : f32
// CHECK-NOT: f64
// CHECK: return
func.func @half(%m: tensor<4xf32>, %l: tensor<4xf32>, %x: tensor<4x32xbf16>) -> (tensor<4xf32>, tensor<4xf32>) {
  %m1, %l1 = smx.update #smx.softmax<exp, scale = 2.0> (%m, %l : tensor<4xf32>, tensor<4xf32>)
      with(%x : tensor<4x32xbf16>) maps [#row, #row, #all]
  return %m1, %l1 : tensor<4xf32>, tensor<4xf32>
}

// Weights that become bf16 ask for 12 bits.

// CHECK-LABEL: @bfloat_result
// CHECK: math.exp2 %{{.+}} fastmath<afn> {result_bits = 12 : i32} : f32
func.func @bfloat_result(%m: tensor<4xf32>, %l: tensor<4xf32>, %x: tensor<4x32xbf16>) -> tensor<4x32xbf16> {
  %y = smx.finish #smx.softmax<exp> "softmax" (%m, %l : tensor<4xf32>, tensor<4xf32>)
      with(%x : tensor<4x32xbf16>) maps [#row, #row, #all, #all] : tensor<4x32xbf16>
  return %y : tensor<4x32xbf16>
}

// A scale that f32 does not hold is the sum of two constants: rounding it would cost as much as rounding the difference.

// CHECK-LABEL: @inexact_scale
// CHECK: %[[D:.+]] = arith.subf %{{.+}}, %{{.+}} fastmath<contract> : f32
// CHECK: %[[REST:.+]] = arith.mulf %[[D]], %{{.+}} fastmath<contract> : f32
// CHECK: %[[SCALED:.+]] = math.fma %[[D]], %{{.+}}, %[[REST]] fastmath<contract> : f32
// CHECK: math.exp %[[SCALED]] fastmath<contract> : f32
func.func @inexact_scale(%m: tensor<4xf32>, %l: tensor<4xf32>, %x: tensor<4x32xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %m1, %l1 = smx.update #smx.softmax<exp, scale = 0.7> (%m, %l : tensor<4xf32>, tensor<4xf32>)
      with(%x : tensor<4x32xf32>) maps [#row, #row, #all]
  return %m1, %l1 : tensor<4xf32>, tensor<4xf32>
}

// The rest is never negative, or -inf would be NaN: a scale whose nearest float is above it takes the one below.

// CHECK-LABEL: @scale_that_rounds_up
// CHECK: %[[D:.+]] = arith.subf %{{.+}}, %{{.+}} fastmath<contract> : f32
// CHECK: %[[LOW:.+]] = arith.constant 5.96046412E-9 : f32
// CHECK: %[[REST:.+]] = arith.mulf %[[D]], %[[LOW]] fastmath<contract> : f32
// CHECK: %[[HIGH:.+]] = arith.constant 0.099999994 : f32
// CHECK: math.fma %[[D]], %[[HIGH]], %[[REST]] fastmath<contract> : f32
func.func @scale_that_rounds_up(%m: tensor<4xf32>, %l: tensor<4xf32>, %x: tensor<4x32xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %m1, %l1 = smx.update #smx.softmax<exp, scale = 0.1> (%m, %l : tensor<4xf32>, tensor<4xf32>)
      with(%x : tensor<4x32xf32>) maps [#row, #row, #all]
  return %m1, %l1 : tensor<4xf32>, tensor<4xf32>
}

// A rest of 0 would be NaN, too.

// CHECK-LABEL: @rest_below_all_floats
// CHECK-NOT: math.fma
// CHECK: return
func.func @rest_below_all_floats(%m: tensor<4xf32>, %l: tensor<4xf32>, %x: tensor<4x32xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %m1, %l1 = smx.update #smx.softmax<exp, scale = 1.0e-39> (%m, %l : tensor<4xf32>, tensor<4xf32>)
      with(%x : tensor<4x32xf32>) maps [#row, #row, #all]
  return %m1, %l1 : tensor<4xf32>, tensor<4xf32>
}
