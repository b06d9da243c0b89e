// RUN: softmax-opt %s --smx-cpu-expand-math=avx512=true | FileCheck %s
// RUN: softmax-opt %s --smx-cpu-expand-math | FileCheck %s --check-prefix=INTEGER

// An exponential of a difference that may be contracted never rounds it: the
// integer part n leaves x log2(e) in the same multiply-add.

// CHECK-LABEL: @difference
// CHECK: %[[FAR:.+]] = arith.cmpf oge, %{{.+}}, %{{.+}} : vector<16xf32>
// CHECK: %[[ORIGIN:.+]] = arith.select %[[FAR]], %arg1, %{{.+}}
// CHECK: arith.constant dense<1.92596303E-8> : vector<16xf32>
// CHECK: arith.subf %arg0, %[[ORIGIN]] : vector<16xf32>
// CHECK: %[[N:.+]] = math.roundeven
// CHECK: %[[T:.+]] = arith.addf %[[N]], %{{.+}} : vector<16xf32>
// CHECK: %[[MINUS_T:.+]] = arith.negf %[[T]]
// CHECK: math.fma %{{.+}}, %{{.+}}, %[[MINUS_T]] : vector<16xf32>
// CHECK-NOT: math.exp
// CHECK: scalef
// INTEGER-LABEL: @difference
// INTEGER-NOT: scalef
// INTEGER: arith.shli
// INTEGER-LABEL: @scaled
func.func @difference(%x: vector<16xf32>, %y: vector<16xf32>) -> vector<16xf32> {
  %d = arith.subf %x, %y fastmath<contract> : vector<16xf32>
  %e = math.exp %d fastmath<contract> : vector<16xf32>
  return %e : vector<16xf32>
}

// A constant factor is folded into log2(e).

// CHECK-LABEL: @scaled
// CHECK: arith.cmpf oge
// CHECK: arith.constant dense<0.72134751> : vector<16xf32>
func.func @scaled(%x: vector<16xf32>, %y: vector<16xf32>) -> vector<16xf32> {
  %half = arith.constant dense<0.5> : vector<16xf32>
  %d = arith.subf %x, %y fastmath<contract> : vector<16xf32>
  %s = arith.mulf %d, %half fastmath<contract> : vector<16xf32>
  %e = math.exp %s fastmath<contract> : vector<16xf32>
  return %e : vector<16xf32>
}

// A step that forbids it keeps the rounded difference.

// CHECK-LABEL: @not_contracted
// CHECK: %[[D:.+]] = arith.subf %arg0, %arg1 : vector<16xf32>
// CHECK-NOT: arith.cmpf oge
// CHECK: return
func.func @not_contracted(%x: vector<16xf32>, %y: vector<16xf32>) -> vector<16xf32> {
  %d = arith.subf %x, %y : vector<16xf32>
  %e = math.exp %d fastmath<contract> : vector<16xf32>
  return %e : vector<16xf32>
}
