// RUN: softmax-opt %s --smx-raise | FileCheck %s

// A factor that is an argument of the function is one of the scores.
// CHECK-LABEL: @temperature
// CHECK-SAME: %[[X:.+]]: tensor<4x16xf32>, %[[T:.+]]: f32
// CHECK: %[[S:.+]] = linalg.generic {{.*}} ins(%[[X]] : tensor<4x16xf32>)
// CHECK: arith.mulf %{{.+}}, %[[T]] : f32
// CHECK: smx.softmax %[[S]] axis(1)
func.func @temperature(%x: tensor<4x16xf32>, %t: f32) -> (tensor<4x16xf32>) {
  %v1 = arith.constant 0xFF800000 : f32
  %v2 = arith.constant 0.0 : f32
  %v3 = tensor.empty() : tensor<4xf32>
  %v4 = linalg.fill ins(%v1 : f32) outs(%v3 : tensor<4xf32>) -> tensor<4xf32>
  %v5 = linalg.generic {indexing_maps=[affine_map<(i,j)->(i,j)>,affine_map<(i,j)->(i)>], iterator_types=["parallel","reduction"]} ins(%x : tensor<4x16xf32>) outs(%v4 : tensor<4xf32>) {
   ^bb0(%b5_0: f32, %b5_1: f32):
    %v6 = arith.mulf %b5_0, %t : f32
    %v7 = arith.maximumf %v6, %b5_1 : f32
    linalg.yield %v7 : f32
  } -> tensor<4xf32>
  %v8 = tensor.empty() : tensor<4xf32>
  %v9 = linalg.fill ins(%v2 : f32) outs(%v8 : tensor<4xf32>) -> tensor<4xf32>
  %v10 = linalg.generic {indexing_maps=[affine_map<(i,j)->(i,j)>,affine_map<(i,j)->(i)>,affine_map<(i,j)->(i)>], iterator_types=["parallel","reduction"]} ins(%x,%v5 : tensor<4x16xf32>,tensor<4xf32>) outs(%v9 : tensor<4xf32>) {
   ^bb0(%b10_0: f32, %b10_1: f32, %b10_2: f32):
    %v11 = arith.mulf %b10_0, %t : f32
    %v12 = arith.subf %v11, %b10_1 : f32
    %v13 = math.exp %v12 : f32
    %v14 = arith.addf %v13, %b10_2 : f32
    linalg.yield %v14 : f32
  } -> tensor<4xf32>
  %v15 = tensor.empty() : tensor<4x16xf32>
  %v16 = linalg.generic {indexing_maps=[affine_map<(i,j)->(i,j)>,affine_map<(i,j)->(i)>,affine_map<(i,j)->(i)>,affine_map<(i,j)->(i,j)>], iterator_types=["parallel","parallel"]} ins(%x,%v5,%v10 : tensor<4x16xf32>,tensor<4xf32>,tensor<4xf32>) outs(%v15 : tensor<4x16xf32>) {
   ^bb0(%b16_0: f32, %b16_1: f32, %b16_2: f32, %b16_3: f32):
    %v17 = arith.mulf %b16_0, %t : f32
    %v18 = arith.subf %v17, %b16_1 : f32
    %v19 = math.exp %v18 : f32
    %v20 = arith.divf %v19, %b16_2 : f32
    linalg.yield %v20 : f32
  } -> tensor<4x16xf32>
  return %v16 : tensor<4x16xf32>
}
