// RUN: softmax-opt %s --smx-raise | FileCheck %s

// Scores as einsum("bqhd,bkhd->bqhk") gives them: the queries are not next to the keys.
// CHECK-LABEL: @heads_behind_queries
// CHECK: smx.attention {{.*}} : tensor<2x3x5x4xf32>, tensor<2x3x7x4xf32>, tensor<2x3x7x4xf32> -> tensor<2x3x5x4xf32>
func.func @heads_behind_queries(%q: tensor<2x5x3x4xf32>, %k: tensor<2x7x3x4xf32>, %v: tensor<2x7x3x4xf32>) -> (tensor<2x5x3x4xf32>) {
  %v1 = arith.constant 0.0 : f32
  %v2 = tensor.empty() : tensor<2x5x3x7xf32>
  %v3 = linalg.fill ins(%v1 : f32) outs(%v2 : tensor<2x5x3x7xf32>) -> tensor<2x5x3x7xf32>
  %v4 = linalg.generic {indexing_maps=[affine_map<(b,i,h,j,d)->(b,i,h,d)>,affine_map<(b,i,h,j,d)->(b,j,h,d)>,affine_map<(b,i,h,j,d)->(b,i,h,j)>], iterator_types=["parallel","parallel","parallel","parallel","reduction"]} ins(%q,%k : tensor<2x5x3x4xf32>,tensor<2x7x3x4xf32>) outs(%v3 : tensor<2x5x3x7xf32>) {
   ^bb0(%b4_0: f32, %b4_1: f32, %b4_2: f32):
    %v5 = arith.mulf %b4_0, %b4_1 : f32
    %v6 = arith.addf %v5, %b4_2 : f32
    linalg.yield %v6 : f32
  } -> tensor<2x5x3x7xf32>
  %v7 = tensor.empty() : tensor<2x5x3x7xf32>
  %v8 = linalg.softmax dimension(3) ins(%v4 : tensor<2x5x3x7xf32>) outs(%v7 : tensor<2x5x3x7xf32>) -> tensor<2x5x3x7xf32>
  %v9 = tensor.empty() : tensor<2x5x3x4xf32>
  %v10 = linalg.fill ins(%v1 : f32) outs(%v9 : tensor<2x5x3x4xf32>) -> tensor<2x5x3x4xf32>
  %v11 = linalg.generic {indexing_maps=[affine_map<(b,i,h,e,j)->(b,i,h,j)>,affine_map<(b,i,h,e,j)->(b,j,h,e)>,affine_map<(b,i,h,e,j)->(b,i,h,e)>], iterator_types=["parallel","parallel","parallel","parallel","reduction"]} ins(%v8,%v : tensor<2x5x3x7xf32>,tensor<2x7x3x4xf32>) outs(%v10 : tensor<2x5x3x4xf32>) {
   ^bb0(%b11_0: f32, %b11_1: f32, %b11_2: f32):
    %v12 = arith.mulf %b11_0, %b11_1 : f32
    %v13 = arith.addf %v12, %b11_2 : f32
    linalg.yield %v13 : f32
  } -> tensor<2x5x3x4xf32>
  return %v11 : tensor<2x5x3x4xf32>
}
