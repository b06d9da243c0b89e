// RUN: softmax-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: @algebras
func.func private @algebras() attributes {
  // Defaults are not printed.
  // CHECK: test.a = #smx.softmax<exp>,
  test.a = #smx.softmax<exp, masked_row = nan, scale = 1.0>,
  // CHECK-SAME: test.b = #smx.softmax<exp2, scale = 1.250000e-01, masked_row = zero>,
  test.b = #smx.softmax<exp2, masked_row = zero, scale = 0.125>,
  // A scale that needs all its bits keeps them.
  // CHECK-SAME: test.c = #smx.softmax<exp2, scale = 0.088388347648318447>,
  test.c = #smx.softmax<exp2, scale = 0.088388347648318447>,
  // CHECK-SAME: test.d = #smx.moments<epsilon = 1.000000e-05 : f64>,
  test.d = #smx.moments<epsilon = 1.0e-5 : f64>,
  // CHECK-SAME: test.e = #smx.cross_entropy<#smx.softmax<exp2, scale = 5.000000e-01>, smoothing = 1.000000e-01 : f64>,
  test.e = #smx.cross_entropy<#smx.softmax<exp2, scale = 0.5>, smoothing = 0.1 : f64>,
  // CHECK-SAME: test.f = #smx.gradient<log_softmax, scale = 2.000000e+00 : f64>,
  test.f = #smx.gradient<log_softmax, scale = 2.0 : f64>,
  // CHECK-SAME: test.g = #smx.mean_square<epsilon = 1.000000e-05 : f64>,
  test.g = #smx.mean_square<epsilon = 1.0e-5 : f64>,
  // CHECK-SAME: test.h = #smx.parts<#smx.softmax<exp2, scale = 5.000000e-01>>}
  test.h = #smx.parts<#smx.softmax<exp2, scale = 0.5>>}

// CHECK-LABEL: @masks
func.func private @masks() attributes {
  // CHECK: test.a = #smx.band<top_left>,
  test.a = #smx.band<top_left>,
  // CHECK-SAME: test.b = #smx.band<bottom_right, right = 0>,
  test.b = #smx.band<bottom_right, right = 0>,
  // CHECK-SAME: test.c = #smx.band<top_left, left = 127, right = 0>,
  test.c = #smx.band<top_left, right = 0, left = 127>,
  // A band may lie beside its diagonal, as long as it is not empty.
  // CHECK-SAME: test.d = #smx.band<top_left, left = 4, right = -4>,
  test.d = #smx.band<top_left, left = 4, right = -4>,
  // CHECK-SAME: test.e = #smx.prefix<bottom_right, length = 64>,
  test.e = #smx.prefix<bottom_right, length = 64>,
  // CHECK-SAME: test.f = #smx.masked_row<zero>,
  test.f = #smx.masked_row<zero>,
  // CHECK-SAME: test.g = #smx.chunks<top_left, size = 8192>,
  test.g = #smx.chunks<top_left, size = 8192>,
  // CHECK-SAME: test.h = #smx.key_lengths,
  test.h = #smx.key_lengths,
  // CHECK-SAME: test.i = #smx.all_of<[#smx.band<top_left, right = 0>, #smx.key_ranges]>,
  test.i = #smx.all_of<[#smx.band<top_left, right = 0>, #smx.key_ranges]>,
  // CHECK-SAME: test.j = #smx.key_lengths<causal>,
  test.j = #smx.key_lengths<causal>,
  // CHECK-SAME: test.k = #smx.blocks<rows = 64, keys = 128>,
  test.k = #smx.blocks<rows = 64, keys = 128>,
  // CHECK-SAME: test.l = #smx.packed<#smx.key_lengths<causal>, queries = 4>}
  test.l = #smx.packed<#smx.key_lengths<causal>, queries = 4>}
