// RUN: softmax-opt %s --smx-widen-factors | FileCheck %s

#a = affine_map<(i, j, d) -> (i, d)>
#b = affine_map<(i, j, d) -> (j, d)>
#c = affine_map<(i, j, d) -> (i, j)>

// CHECK-LABEL: @right
// CHECK-SAME: %[[A:.+]]: tensor<16x?xf32>, %[[B:.+]]: tensor<8x?xbf16>
// CHECK: %[[WIDE:.+]] = linalg.generic {{.*}} ins(%[[B]] : tensor<8x?xbf16>)
// CHECK: arith.extf %{{.+}} : bf16 to f32
// CHECK: linalg.generic {{.*}} ins(%[[A]], %[[WIDE]] : tensor<16x?xf32>, tensor<8x?xf32>)
// CHECK-NEXT: ^bb0(%[[X:.+]]: f32, %[[Y:.+]]: f32, %{{.+}}: f32)
// CHECK-NEXT: arith.mulf %[[X]], %[[Y]] : f32
func.func @right(%a: tensor<16x?xf32>, %b: tensor<8x?xbf16>, %e: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %c = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<16x?xf32>, tensor<8x?xbf16>) outs(%e : tensor<16x8xf32>) {
  ^bb0(%x: f32, %y: bf16, %o: f32):
    %w = arith.extf %y : bf16 to f32
    %p = arith.mulf %x, %w : f32
    %s = arith.addf %p, %o : f32
    linalg.yield %s : f32
  } -> tensor<16x8xf32>
  return %c : tensor<16x8xf32>
}

// Both are widened further in the body: that stays.
// CHECK-LABEL: @left
// CHECK: arith.extf %{{.+}} : f8E4M3FN to f16
// CHECK: linalg.generic {{.*}} ins(%{{.+}}, %{{.+}} : tensor<16x4xf16>, tensor<8x4xf16>)
// CHECK-COUNT-2: arith.extf %{{.+}} : f16 to f32
func.func @left(%a: tensor<16x4xf8E4M3FN>, %b: tensor<8x4xf16>, %e: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %c = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<16x4xf8E4M3FN>, tensor<8x4xf16>) outs(%e : tensor<16x8xf32>) {
  ^bb0(%x: f8E4M3FN, %y: f16, %o: f32):
    %v = arith.extf %x : f8E4M3FN to f32
    %w = arith.extf %y : f16 to f32
    %p = arith.mulf %v, %w : f32
    %s = arith.addf %p, %o : f32
    linalg.yield %s : f32
  } -> tensor<16x8xf32>
  return %c : tensor<16x8xf32>
}

// CHECK-LABEL: @named
// CHECK: arith.extf %{{.+}} : bf16 to f32
// CHECK: linalg.generic {{.*}} ins(%{{.+}}, %{{.+}} : tensor<16x4xf32>, tensor<4x8xf32>)
func.func @named(%a: tensor<16x4xf32>, %b: tensor<4x8xbf16>, %e: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %c = linalg.matmul ins(%a, %b : tensor<16x4xf32>, tensor<4x8xbf16>) outs(%e : tensor<16x8xf32>) -> tensor<16x8xf32>
  return %c : tensor<16x8xf32>
}

// The body multiplies in bf16.
// CHECK-LABEL: @narrow_product
// CHECK: arith.truncf %{{.+}} : f32 to bf16
// CHECK: linalg.generic {{.*}} ins(%{{.+}}, %{{.+}} : tensor<16x4xbf16>, tensor<4x8xbf16>)
// CHECK-NEXT: ^bb0(%[[X:.+]]: bf16, %[[Y:.+]]: bf16, %{{.+}}: bf16)
// CHECK-NEXT: arith.mulf %[[X]], %[[Y]] : bf16
func.func @narrow_product(%a: tensor<16x4xf32>, %b: tensor<4x8xbf16>, %e: tensor<16x8xbf16>) -> tensor<16x8xbf16> {
  %c = linalg.matmul ins(%a, %b : tensor<16x4xf32>, tensor<4x8xbf16>) outs(%e : tensor<16x8xbf16>) -> tensor<16x8xbf16>
  return %c : tensor<16x8xbf16>
}

// Of one type, or of two of one width: left alone.
// CHECK-LABEL: @alike
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @alike(%a: tensor<16x4xbf16>, %b: tensor<4x8xbf16>, %f: tensor<16x4xf16>, %e: tensor<16x8xf32>) -> (tensor<16x8xf32>, tensor<16x8xf32>) {
  %c = linalg.matmul ins(%a, %b : tensor<16x4xbf16>, tensor<4x8xbf16>) outs(%e : tensor<16x8xf32>) -> tensor<16x8xf32>
  %d = linalg.matmul ins(%f, %b : tensor<16x4xf16>, tensor<4x8xbf16>) outs(%e : tensor<16x8xf32>) -> tensor<16x8xf32>
  return %c, %d : tensor<16x8xf32>, tensor<16x8xf32>
}

// Sums of f64: both factors are.
// CHECK-LABEL: @double_sums
// CHECK-COUNT-2: arith.extf %{{.+}} : f32 to f64
// CHECK: linalg.generic {{.*}} ins(%{{.+}}, %{{.+}} : tensor<16x4xf64>, tensor<4x8xf64>)
// CHECK-NOT: arith.extf
// CHECK: return
func.func @double_sums(%a: tensor<16x4xf32>, %b: tensor<4x8xf32>, %e: tensor<16x8xf64>) -> tensor<16x8xf64> {
  %c = linalg.matmul ins(%a, %b : tensor<16x4xf32>, tensor<4x8xf32>) outs(%e : tensor<16x8xf64>) -> tensor<16x8xf64>
  return %c : tensor<16x8xf64>
}
