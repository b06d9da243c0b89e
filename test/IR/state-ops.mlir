// RUN: softmax-opt %s --verify-roundtrip | FileCheck %s

#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
#only_row = affine_map<(i) -> (i)>

// CHECK-LABEL: @sums_of_a_row
func.func @sums_of_a_row(%x: tensor<?x256xbf16>, %n: index) -> (tensor<?x256xbf16>, tensor<?xf32>) {
  // CHECK: %[[I:.+]]:2 = smx.identity #smx.softmax<exp>(%{{.+}}, %{{.+}}) -> tensor<?xf32>, tensor<?xf32>
  %m0, %l0 = smx.identity #smx.softmax<exp> (%n, %n) -> tensor<?xf32>, tensor<?xf32>
  // CHECK: %[[S:.+]]:2 = smx.update #smx.softmax<exp>(%[[I]]#0, %[[I]]#1 : tensor<?xf32>, tensor<?xf32>)
  // CHECK-SAME: with(%{{.+}} : tensor<?x256xbf16>) maps [#[[ROW:.+]], #[[ROW]], #[[ALL:[a-z0-9]+]]]{{$}}
  %m, %l = smx.update #smx.softmax<exp> (%m0, %l0 : tensor<?xf32>, tensor<?xf32>)
      with (%x : tensor<?x256xbf16>) maps [#row, #row, #all]
  // CHECK: smx.merge #smx.softmax<exp>(%[[S]]#0, %[[S]]#1 : tensor<?xf32>, tensor<?xf32>)
  // CHECK-SAME: and(%[[I]]#0, %[[I]]#1 : tensor<?xf32>, tensor<?xf32>) maps
  %m2, %l2 = smx.merge #smx.softmax<exp> (%m, %l : tensor<?xf32>, tensor<?xf32>)
      and (%m0, %l0 : tensor<?xf32>, tensor<?xf32>) maps [#only_row, #only_row]
  // CHECK: smx.finish #smx.softmax<exp> "softmax"({{.*}}) with(%{{.+}} : tensor<?x256xbf16>)
  // CHECK-SAME: maps [#[[ROW]], #[[ROW]], #[[ALL]], #[[ALL]]] : tensor<?x256xbf16>
  %y = smx.finish #smx.softmax<exp> "softmax" (%m2, %l2 : tensor<?xf32>, tensor<?xf32>)
      with (%x : tensor<?x256xbf16>) maps [#row, #row, #all, #all] : tensor<?x256xbf16>
  // CHECK: smx.finish #smx.softmax<exp> "logsumexp"({{.*}}) maps [{{.*}}] : tensor<?xf32>
  %z = smx.finish #smx.softmax<exp> "logsumexp" (%m2, %l2 : tensor<?xf32>, tensor<?xf32>) maps [#row, #row, #row] : tensor<?xf32>
  return %y, %z : tensor<?x256xbf16>, tensor<?xf32>
}

#h_i = affine_map<(h, i, j, d) -> (h, i)>
#h_i_d = affine_map<(h, i, j, d) -> (h, d, i)>
#h_i_j = affine_map<(h, i, j, d) -> (h, j, i)>
#g_j_d = affine_map<(h, i, j, d) -> (h floordiv 3, j, d)>

// An accumulator, rows in the fastest dimension, three heads that share their values.
// CHECK-LABEL: @accumulator_transposed_grouped
func.func @accumulator_transposed_grouped(%m: tensor<6x8xf32>, %l: tensor<6x8xf32>, %acc: tensor<6x5x8xf32>,
                                          %s: tensor<6x32x8xf32>, %v: tensor<2x32x5xf16>) -> tensor<6x5x8xf32> {
  // CHECK: smx.update #smx.softmax<exp2, scale = 1.250000e-01, masked_row = zero>
  // CHECK-SAME: masked{{$}}
  %r:3 = smx.update #smx.softmax<exp2, scale = 0.125, masked_row = zero>
      (%m, %l, %acc : tensor<6x8xf32>, tensor<6x8xf32>, tensor<6x5x8xf32>)
      with (%s, %v : tensor<6x32x8xf32>, tensor<2x32x5xf16>) maps [#h_i, #h_i, #h_i_d, #h_i_j, #g_j_d] masked
  return %r#2 : tensor<6x5x8xf32>
}

// A reduction without rows: its state is scalars.
#none = affine_map<(j) -> ()>
#j = affine_map<(j) -> (j)>
// CHECK-LABEL: @no_rows
func.func @no_rows(%x: tensor<100xf64>) -> tensor<f64> {
  // CHECK: smx.identity #smx.softmax<exp> -> tensor<f64>, tensor<f64>
  %i:2 = smx.identity #smx.softmax<exp> -> tensor<f64>, tensor<f64>
  %s:2 = smx.update #smx.softmax<exp> (%i#0, %i#1 : tensor<f64>, tensor<f64>) with (%x : tensor<100xf64>) maps [#none, #none, #j]
  %z = smx.finish #smx.softmax<exp> "logsumexp" (%s#0, %s#1 : tensor<f64>, tensor<f64>) maps [#none, #none, #none] : tensor<f64>
  return %z : tensor<f64>
}

// The other family: same ops, another algebra.
// CHECK-LABEL: @moments
func.func @moments(%x: tensor<4x256xf32>) -> (tensor<4x256xf32>, tensor<4xf32>) {
  // CHECK: %[[I:.+]]:3 = smx.identity #smx.moments<epsilon = 1.000000e-05 : f64> ->
  %i:3 = smx.identity #smx.moments<epsilon = 1.0e-5 : f64> -> tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  // CHECK: smx.update #smx.moments<epsilon = 1.000000e-05 : f64>(%[[I]]#0, %[[I]]#1, %[[I]]#2 :
  %s:3 = smx.update #smx.moments<epsilon = 1.0e-5 : f64> (%i#0, %i#1, %i#2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
      with (%x : tensor<4x256xf32>) maps [#row, #row, #row, #all]
  // CHECK: smx.finish #smx.moments<epsilon = 1.000000e-05 : f64> "normalized"
  %y = smx.finish #smx.moments<epsilon = 1.0e-5 : f64> "normalized" (%s#0, %s#1, %s#2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
      with (%x : tensor<4x256xf32>) maps [#row, #row, #row, #all, #all] : tensor<4x256xf32>
  %v = smx.finish #smx.moments<epsilon = 1.0e-5 : f64> "variance" (%s#0, %s#1, %s#2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
      maps [#row, #row, #row, #row] : tensor<4xf32>
  return %y, %v : tensor<4x256xf32>, tensor<4xf32>
}
