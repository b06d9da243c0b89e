// RUN: softmax-opt %s --smx-online | FileCheck %s

// Operands of 8 bits are widened to what is multiplied: the type of queries of 16 bits.
// CHECK-LABEL: @keys_and_values
// CHECK: %[[K:.+]] = linalg.generic {{.*}} ins(%{{.+}} : tensor<9x16xf8E4M3FN>) outs(%{{.+}} : tensor<9x16xbf16>)
// CHECK: arith.extf %{{.+}} : f8E4M3FN to bf16
// CHECK: %[[V:.+]] = linalg.generic {{.*}} ins(%{{.+}} : tensor<9x4xf8E4M3FN>) outs(%{{.+}} : tensor<9x4xbf16>)
// CHECK: linalg.generic {{.*}} ins(%{{.+}}, %[[K]] : tensor<7x16xbf16>, tensor<9x16xbf16>)
// CHECK: smx.update {{.*}}%[[V]]
func.func @keys_and_values(%q: tensor<7x16xbf16>, %k: tensor<9x16xf8E4M3FN>, %v: tensor<9x4xf8E4M3FN>) -> tensor<7x4xbf16> {
  %o = smx.attention %q, %k, %v scale(0.25) : tensor<7x16xbf16>, tensor<9x16xf8E4M3FN>, tensor<9x4xf8E4M3FN> -> tensor<7x4xbf16>
  return %o : tensor<7x4xbf16>
}

// Where there are none, f16.
// CHECK-LABEL: @all
// CHECK-COUNT-3: arith.extf %{{.+}} : f8E4M3FN to f16
// CHECK: smx.update
func.func @all(%q: tensor<7x16xf8E4M3FN>, %k: tensor<9x16xf8E4M3FN>, %v: tensor<9x4xf8E4M3FN>) -> tensor<7x4xf32> {
  %o = smx.attention %q, %k, %v scale(0.25) : tensor<7x16xf8E4M3FN>, tensor<9x16xf8E4M3FN>, tensor<9x4xf8E4M3FN> -> tensor<7x4xf32>
  return %o : tensor<7x4xf32>
}
