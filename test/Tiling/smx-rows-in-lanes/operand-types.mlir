// RUN: softmax-opt %s --smx-online --smx-rows-in-lanes --canonicalize | FileCheck %s

#q = affine_map<(i, j, d) -> (i, d)>
#k = affine_map<(i, j, d) -> (j, d)>
#s = affine_map<(i, j, d) -> (i, j)>

// Operands are widened where the product does nothing else with them; others change their layout alone.

// CHECK-LABEL: @product_in_bf16
// CHECK: linalg.generic {{.*}} outs(%{{.+}} : tensor<16x8xbf16>)
// CHECK: linalg.generic {{.*}} ins(%{{.+}}, %{{.+}} : tensor<16x8xbf16>, tensor<32x16xbf16>) outs(%{{.+}} : tensor<32x8xf32>)
// CHECK: %[[P:.+]] = arith.mulf %{{.+}}, %{{.+}} : bf16
// CHECK: arith.extf %[[P]]
func.func @product_in_bf16(%q: tensor<8x16xbf16>, %k: tensor<32x16xbf16>, %v: tensor<8x32x4xf32>) -> tensor<8x4xf32> {
  %e = tensor.empty() : tensor<8x32xf32>
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
  %s = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<8x16xbf16>, tensor<32x16xbf16>) outs(%f : tensor<8x32xf32>) {
  ^bb0(%x: bf16, %y: bf16, %o: f32):
    %p = arith.mulf %x, %y : bf16
    %w = arith.extf %p : bf16 to f32
    %r = arith.addf %w, %o : f32
    linalg.yield %r : f32
  } -> tensor<8x32xf32>
  %y = smx.softmax_dot %s, %v : tensor<8x32xf32>, tensor<8x32x4xf32> -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// CHECK-LABEL: @integer_operands_double_values
// CHECK: linalg.generic {{.*}} ins(%{{.+}}, %{{.+}} : tensor<16x8xi8>, tensor<32x16xi8>) outs(%{{.+}} : tensor<32x8xf32>)
// CHECK: smx.update {{.*}} with(%{{.+}}, %{{.+}} : tensor<32x8xf32>, tensor<8x32x4xf64>)
func.func @integer_operands_double_values(%q: tensor<8x16xi8>, %k: tensor<32x16xi8>, %v: tensor<8x32x4xf64>) -> tensor<8x4xf32> {
  %e = tensor.empty() : tensor<8x32xf32>
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
  %s = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<8x16xi8>, tensor<32x16xi8>) outs(%f : tensor<8x32xf32>) {
  ^bb0(%x: i8, %y: i8, %o: f32):
    %a = arith.sitofp %x : i8 to f32
    %b = arith.sitofp %y : i8 to f32
    %p = arith.mulf %a, %b : f32
    %r = arith.addf %p, %o : f32
    linalg.yield %r : f32
  } -> tensor<8x32xf32>
  %y = smx.softmax_dot %s, %v : tensor<8x32xf32>, tensor<8x32x4xf64> -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}
