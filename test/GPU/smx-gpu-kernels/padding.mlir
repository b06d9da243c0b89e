// Where a mask hides scores, the end of the keys is one more place that it hides: no select of its own.
// RUN: softmax-opt %s --smx-to-gpu='alignment=16 chip=sm_80' | FileCheck %s

!t = tensor<1x2x300x64xbf16>

// CHECK-LABEL: smx_gpu.kernel @ragged_kernel
// CHECK: %[[VISIBLE:.+]] = arith.cmpi sle
// CHECK: %[[INSIDE:.+]] = arith.cmpi slt
// CHECK: %[[BOTH:.+]] = arith.andi %[[VISIBLE]], %[[INSIDE]]
// CHECK: arith.select %[[BOTH]]
// CHECK: smx_gpu.reduce <maxnum>
// CHECK: math.exp2 {{.+}} : tensor<{{[0-9]+}}x{{[0-9]+}}xf32
// CHECK: arith.select {{.+}} : tensor<{{[0-9]+}}x{{[0-9]+}}xi1
// CHECK-NOT: arith.select {{.+}} : tensor<{{[0-9]+}}x{{[0-9]+}}xi1
// CHECK: smx_gpu.store
func.func @ragged(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.band<top_left, right = 0>) : !t, !t, !t -> !t
  return %o : !t
}

// Without a mask one select serves the sum and the product.
// CHECK-LABEL: smx_gpu.kernel @full_kernel
// CHECK-COUNT-2: arith.select {{.+}} : tensor<{{[0-9]+}}x{{[0-9]+}}xi1
// CHECK-NOT: arith.select {{.+}} : tensor<{{[0-9]+}}x{{[0-9]+}}xi1
// CHECK: smx_gpu.store
func.func @full(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.125) : !t, !t, !t -> !t
  return %o : !t
}
