// The place of an extremum, against one element after the other: ties, NaN, infinities, several tiles, a ragged one.
// RUN: %python %S/Inputs/ties.py %t.d
// RUN: softmax-opt %s --smx-to-gpu -o %t.mlir
// RUN: smx-gpu-host-run %t.mlir --entry=first_largest --arg=npy:%t.d/rows.npy --arg=expect:%t.d/first_largest.npy | FileCheck %s
// RUN: smx-gpu-host-run %t.mlir --entry=last_smallest --arg=npy:%t.d/rows.npy --arg=expect:%t.d/last_smallest.npy | FileCheck %s
// CHECK: expected: pass
// CHECK: ran

// A maximum that takes NaN over; the first of equal ones.
func.func @first_largest(%x: tensor<12x150xf32>) -> tensor<12xi64> {
  %low = arith.constant 0xFF800000 : f32
  %none = arith.constant -7 : i64
  %e = tensor.empty() : tensor<12xf32>
  %ei = tensor.empty() : tensor<12xi64>
  %v = linalg.fill ins(%low : f32) outs(%e : tensor<12xf32>) -> tensor<12xf32>
  %i = linalg.fill ins(%none : i64) outs(%ei : tensor<12xi64>) -> tensor<12xi64>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]} ins(%x : tensor<12x150xf32>) outs(%v, %i : tensor<12xf32>, tensor<12xi64>) {
  ^bb0(%a: f32, %best: f32, %at: i64):
    %j = linalg.index 1 : index
    %ji = arith.index_cast %j : index to i64
    %larger = arith.maximumf %a, %best : f32
    %beats = arith.cmpf ogt, %a, %best : f32
    %there = arith.select %beats, %ji, %at : i64
    linalg.yield %larger, %there : f32, i64
  } -> (tensor<12xf32>, tensor<12xi64>)
  return %r#1 : tensor<12xi64>
}

// A minimum that passes NaN over; the last of equal ones.
func.func @last_smallest(%x: tensor<12x150xf32>) -> tensor<12xi64> {
  %high = arith.constant 0x7F800000 : f32
  %none = arith.constant -7 : i64
  %e = tensor.empty() : tensor<12xf32>
  %ei = tensor.empty() : tensor<12xi64>
  %v = linalg.fill ins(%high : f32) outs(%e : tensor<12xf32>) -> tensor<12xf32>
  %i = linalg.fill ins(%none : i64) outs(%ei : tensor<12xi64>) -> tensor<12xi64>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]} ins(%x : tensor<12x150xf32>) outs(%v, %i : tensor<12xf32>, tensor<12xi64>) {
  ^bb0(%a: f32, %best: f32, %at: i64):
    %j = linalg.index 1 : index
    %ji = arith.index_cast %j : index to i64
    %beats = arith.cmpf ole, %a, %best : f32
    %smaller = arith.select %beats, %a, %best : f32
    %there = arith.select %beats, %ji, %at : i64
    linalg.yield %smaller, %there : f32, i64
  } -> (tensor<12xf32>, tensor<12xi64>)
  return %r#1 : tensor<12xi64>
}
