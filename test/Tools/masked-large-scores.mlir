// Scores of a million are known to a tenth: what that allows is the same whether a mask hides others or not.
// Pairs of keys are a few units in the last place apart, and share the weight of most rows.
// RUN: rm -rf %t && softmax-run %s --entry=pairs --random=normal:5 --output=%t --repeat=0
// RUN: softmax-run %s --entry=whole --input=,%t/output0.npy --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=masked --input=,%t/output0.npy --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=masked --input=,%t/output0.npy --repeat=0 --check=naive | FileCheck %s
// RUN: softmax-run %s --entry=masked --input=,%t/output0.npy --repeat=0 --target=emulator | FileCheck %s
// CHECK: against {{.*}}: pass

func.func @pairs(%x: tensor<16x8xf32>) -> tensor<32x8xf32> {
  %e = tensor.empty() : tensor<16x2x8xf32>
  %pairs = linalg.generic {indexing_maps = [affine_map<(j, p, d) -> (j, d)>, affine_map<(j, p, d) -> (j, p, d)>],
                           iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<16x8xf32>) outs(%e : tensor<16x2x8xf32>) {
  ^bb0(%element: f32, %o: f32):
    %p = linalg.index 1 : index
    %d = linalg.index 2 : index
    %c1 = arith.constant 1 : index
    %odd = arith.andi %d, %p : index
    %isOdd = arith.cmpi eq, %odd, %c1 : index
    %one = arith.constant 1.0 : f32
    %next = arith.constant 1.0000001 : f32
    %factor = arith.select %isOdd, %next, %one : f32
    %moved = arith.mulf %element, %factor : f32
    linalg.yield %moved : f32
  } -> tensor<16x2x8xf32>
  %k = tensor.collapse_shape %pairs [[0, 1], [2]] : tensor<16x2x8xf32> into tensor<32x8xf32>
  return %k : tensor<32x8xf32>
}

func.func @whole(%q: tensor<4x8xf32>, %k: tensor<32x8xf32>, %v: tensor<32x4xf32>) -> tensor<4x4xf32> {
  %o = smx.attention %q, %k, %v scale(3.0e5) : tensor<4x8xf32>, tensor<32x8xf32>, tensor<32x4xf32> -> tensor<4x4xf32>
  return %o : tensor<4x4xf32>
}

func.func @masked(%q: tensor<4x8xf32>, %k: tensor<32x8xf32>, %v: tensor<32x4xf32>) -> tensor<4x4xf32> {
  %o = smx.attention %q, %k, %v scale(3.0e5) visible {
  ^bb0(%i: index, %j: index):
    %pair = arith.constant 6 : index
    %sees = arith.cmpi uge, %j, %pair : index
    smx.yield %sees : i1
  } : tensor<4x8xf32>, tensor<32x8xf32>, tensor<32x4xf32> -> tensor<4x4xf32>
  return %o : tensor<4x4xf32>
}
