// A precise sum that a loop carries is f64 from the identity on, and rounded once, behind the loop.
// RUN: softmax-opt %s --split-input-file --smx-expand-state | FileCheck %s

#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: @carried
// CHECK: %[[NONE:.+]] = linalg.fill ins(%{{.+}} : f64) outs(%{{.+}} : tensor<4xf64>)
// CHECK: %[[S:.+]]:2 = scf.for {{.*}} iter_args(%[[M:.+]] = %{{.+}}, %[[L:.+]] = %[[NONE]]) -> (tensor<4xf32>, tensor<4xf64>)
// CHECK: linalg.generic {{.*}} ins(%[[M]], %[[L]], %{{.+}} : tensor<4xf32>, tensor<4xf64>, tensor<4xf32>)
// CHECK: %[[WIDE:.+]] = arith.extf %{{.+}} : f32 to f64
// CHECK: arith.mulf %{{.+}}, %[[WIDE]] : f64
// CHECK: scf.yield %{{.+}}, %{{.+}} : tensor<4xf32>, tensor<4xf64>
// CHECK: linalg.generic {{.*}} ins(%[[S]]#1 : tensor<4xf64>)
// CHECK: arith.truncf
func.func @carried(%x: tensor<4x256xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %i:2 = smx.identity #smx.softmax<exp> -> tensor<4xf32>, tensor<4xf32>
  %s:2 = scf.for %j = %c0 to %c256 step %c64 iter_args(%m = %i#0, %l = %i#1) -> (tensor<4xf32>, tensor<4xf32>) {
    %t = tensor.extract_slice %x[0, %j] [4, 64] [1, 1] : tensor<4x256xf32> to tensor<4x64xf32>
    %u:2 = smx.update #smx.softmax<exp> (%m, %l : tensor<4xf32>, tensor<4xf32>) with (%t : tensor<4x64xf32>) maps [#row, #row, #all]
    scf.yield %u#0, %u#1 : tensor<4xf32>, tensor<4xf32>
  }
  %r = smx.finish #smx.softmax<exp> "logsumexp" (%s#0, %s#1 : tensor<4xf32>, tensor<4xf32>) maps [#row, #row, #row] : tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>

// Of scores in half precision the sum is f32.
// CHECK-LABEL: @narrow
// CHECK: scf.for {{.*}} -> (tensor<4xf32>, tensor<4xf32>)
// CHECK-NOT: f64
func.func @narrow(%x: tensor<4x256xbf16>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %i:2 = smx.identity #smx.softmax<exp> -> tensor<4xf32>, tensor<4xf32>
  %s:2 = scf.for %j = %c0 to %c256 step %c64 iter_args(%m = %i#0, %l = %i#1) -> (tensor<4xf32>, tensor<4xf32>) {
    %t = tensor.extract_slice %x[0, %j] [4, 64] [1, 1] : tensor<4x256xbf16> to tensor<4x64xbf16>
    %u:2 = smx.update #smx.softmax<exp> (%m, %l : tensor<4xf32>, tensor<4xf32>) with (%t : tensor<4x64xbf16>) maps [#row, #row, #all]
    scf.yield %u#0, %u#1 : tensor<4xf32>, tensor<4xf32>
  }
  %r = smx.finish #smx.softmax<exp> "logsumexp" (%s#0, %s#1 : tensor<4xf32>, tensor<4xf32>) maps [#row, #row, #row] : tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>

// A sum of squares, too.
// CHECK-LABEL: @squares
// CHECK: scf.for {{.*}} -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf64>)
func.func @squares(%x: tensor<4x256xf32>) -> tensor<4x256xf32> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %i:3 = smx.identity #smx.mean_square<epsilon = 1.0e-5 : f64> -> tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  %s:3 = scf.for %j = %c0 to %c256 step %c64 iter_args(%n = %i#0, %c = %i#1, %q = %i#2) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %t = tensor.extract_slice %x[0, %j] [4, 64] [1, 1] : tensor<4x256xf32> to tensor<4x64xf32>
    %u:3 = smx.update #smx.mean_square<epsilon = 1.0e-5 : f64> (%n, %c, %q : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) with (%t : tensor<4x64xf32>) maps [#row, #row, #row, #all]
    scf.yield %u#0, %u#1, %u#2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  %r = smx.finish #smx.mean_square<epsilon = 1.0e-5 : f64> "normalized" (%s#0, %s#1, %s#2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) with (%x : tensor<4x256xf32>) maps [#row, #row, #row, #all, #all] : tensor<4x256xf32>
  return %r : tensor<4x256xf32>
}

// -----

#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>

// The sum beside the largest keys, too.
// CHECK-LABEL: @topk
// CHECK: scf.for {{.*}} -> (tensor<4xf32>, tensor<4xf64>, tensor<4xf64>)
func.func @topk(%x: tensor<4x256xf32>, %k: tensor<4x256xf64>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %i:3 = smx.identity #smx.topk<#smx.softmax<exp>, k = 1> -> tensor<4xf32>, tensor<4xf32>, tensor<4xf64>
  %s:3 = scf.for %j = %c0 to %c256 step %c64 iter_args(%m = %i#0, %l = %i#1, %n = %i#2) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf64>) {
    %t = tensor.extract_slice %x[0, %j] [4, 64] [1, 1] : tensor<4x256xf32> to tensor<4x64xf32>
    %v = tensor.extract_slice %k[0, %j] [4, 64] [1, 1] : tensor<4x256xf64> to tensor<4x64xf64>
    %u:3 = smx.update #smx.topk<#smx.softmax<exp>, k = 1> (%m, %l, %n : tensor<4xf32>, tensor<4xf32>, tensor<4xf64>)
        with (%t, %v : tensor<4x64xf32>, tensor<4x64xf64>) maps [#row, #row, #row, #all, #all]
    scf.yield %u#0, %u#1, %u#2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf64>
  }
  %r = smx.finish #smx.topk<#smx.softmax<exp>, k = 1> "probability_0" (%s#0, %s#1, %s#2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf64>)
      maps [#row, #row, #row, #row] : tensor<4xf32>
  return %r : tensor<4xf32>
}
