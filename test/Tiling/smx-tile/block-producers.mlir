// RUN: softmax-opt %s "--smx-to-tiled=cuda" -canonicalize | FileCheck %s

// A block of threads reads what its rows are multiplied by from memory: keys and values that are computed are computed once,
// before the loop; queries with their tile, and transposes are only another view.
!t = tensor<2x300x64xf32>
#id = affine_map<(b, j, d) -> (b, j, d)>
#d = affine_map<(b, j, d) -> (d)>

// CHECK-LABEL: @biased
// CHECK: %[[KEYS:.+]] = linalg.generic {{.+}} ins(%arg1, %arg3
// CHECK: %[[VALUES:.+]] = linalg.generic {{.+}} ins(%arg2, %arg3
// CHECK: scf.forall
// CHECK: arith.addf
// CHECK: scf.for
// CHECK-DAG: tensor.extract_slice %[[KEYS]]
// CHECK-DAG: tensor.extract_slice %[[VALUES]]
func.func @biased(%q: !t, %k: !t, %v: !t, %b: tensor<64xf32>) -> !t {
  %e = tensor.empty() : !t
  %qb = linalg.generic {indexing_maps = [#id, #d, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%q, %b : !t, tensor<64xf32>) outs(%e : !t) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> !t
  %kb = linalg.generic {indexing_maps = [#id, #d, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%k, %b : !t, tensor<64xf32>) outs(%e : !t) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.subf %x, %y : f32
    linalg.yield %s : f32
  } -> !t
  %vb = linalg.generic {indexing_maps = [#id, #d, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v, %b : !t, tensor<64xf32>) outs(%e : !t) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.mulf %x, %y : f32
    linalg.yield %s : f32
  } -> !t
  %o = smx.attention %qb, %kb, %vb scale(0.125) : !t, !t, !t -> !t
  return %o : !t
}

// CHECK-LABEL: @transposed
// CHECK-NOT: linalg.transpose
// CHECK: scf.forall
// CHECK: linalg.transpose
func.func @transposed(%q: !t, %kt: tensor<2x64x300xf32>, %v: !t) -> !t {
  %e = tensor.empty() : !t
  %k = linalg.transpose ins(%kt : tensor<2x64x300xf32>) outs(%e : !t) permutation = [0, 2, 1]
  %o = smx.attention %q, %k, %v scale(0.125) : !t, !t, !t -> !t
  return %o : !t
}
