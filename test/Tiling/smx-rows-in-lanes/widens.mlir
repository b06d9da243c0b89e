// RUN: softmax-opt %s --smx-online --smx-rows-in-lanes --canonicalize | FileCheck %s

// Operands of the products become as wide as the accumulator, before the loops: no conversion is left inside.

// CHECK-LABEL: @bfloat
// CHECK: linalg.generic {{.*}} ins(%{{.+}} : tensor<7x16xbf16>) outs(%{{.+}} : tensor<16x7xf32>)
// CHECK: arith.extf
// CHECK: linalg.generic {{.*}} ins(%{{.+}} : tensor<9x16xbf16>) outs(%{{.+}} : tensor<9x16xf32>)
// CHECK: arith.extf
// CHECK: linalg.generic {{.*}} "reduction"]} ins(%{{.+}}, %{{.+}} : tensor<16x7xf32>, tensor<9x16xf32>) outs(%{{.+}} : tensor<9x7xf32>)
// CHECK: ^bb0(%[[A:.+]]: f32, %[[B:.+]]: f32, %{{.+}}: f32):
// CHECK-NEXT: arith.mulf %[[A]], %[[B]] : f32
// CHECK: linalg.generic {{.*}} ins(%{{.+}} : tensor<9x4xbf16>) outs(%{{.+}} : tensor<9x4xf32>)
// CHECK: smx.update {{.*}} with(%{{.+}}, %{{.+}} : tensor<9x7xf32>, tensor<9x4xf32>)
// CHECK: smx.finish {{.*}} : tensor<7x4xbf16>
func.func @bfloat(%q: tensor<7x16xbf16>, %k: tensor<9x16xbf16>, %v: tensor<9x4xbf16>) -> tensor<7x4xbf16> {
  %o = smx.attention %q, %k, %v scale(0.25) : tensor<7x16xbf16>, tensor<9x16xbf16>, tensor<9x4xbf16> -> tensor<7x4xbf16>
  return %o : tensor<7x4xbf16>
}
