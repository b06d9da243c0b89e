// Where a mask hides scores, the end of the keys is one more place that it hides: no select of its own.
// RUN: softmax-opt %s --smx-to-gpu='alignment=16 chip=sm_80' | FileCheck %s

!t = tensor<1x2x300x64xbf16>
!few = tensor<1x2x200x64xbf16>
!many = tensor<1x2x310x64xbf16>

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
func.func @ragged(%q: !many, %k: !t, %v: !t) -> !many {
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.band<top_left, right = 0>) : !many, !t, !t -> !many
  return %o : !many
}

// No row that is there sees a key behind the last one: the band alone hides them.
// CHECK-LABEL: smx_gpu.kernel @same_end_kernel
// CHECK: arith.cmpi sle
// CHECK-NOT: arith.andi
// CHECK: smx_gpu.store
func.func @same_end(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.band<top_left, right = 0>) : !t, !t, !t -> !t
  return %o : !t
}

// CHECK-LABEL: smx_gpu.kernel @last_to_last_kernel
// CHECK: arith.cmpi sle
// CHECK-NOT: arith.andi
// CHECK: smx_gpu.store
func.func @last_to_last(%q: !few, %k: !t, %v: !t) -> !few {
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.band<bottom_right, right = 0>) : !few, !t, !t -> !few
  return %o : !few
}

// The last row of this band sees one key more than there is.
// CHECK-LABEL: smx_gpu.kernel @one_more_kernel
// CHECK: arith.andi {{.+}} : tensor<{{[0-9]+}}x{{[0-9]+}}xi1
// CHECK: smx_gpu.store
func.func @one_more(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.band<top_left, right = 1>) : !t, !t, !t -> !t
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
