// RUN: softmax-opt %s --pass-pipeline='builtin.module(func.func(smx-cpu-expand-math))' | FileCheck %s

// f32 to f8E4M3FN in integers: half of the 20 bits that go is added, or a denormal code is what 2^14 takes from the number.
// CHECK-LABEL: @from_f32
// CHECK: %[[B:.+]] = arith.bitcast %{{.+}} : vector<8xf32> to vector<8xi32>
// CHECK: %[[M:.+]] = arith.andi %[[B]], %{{.+}}
// CHECK: arith.shrui
// CHECK: arith.addf
// CHECK: arith.cmpi ult, %[[M]]
// CHECK: arith.cmpi ugt
// CHECK: %[[CODE:.+]] = arith.trunci %{{.+}} : vector<8xi32> to vector<8xi8>
// CHECK-NEXT: arith.bitcast %[[CODE]] : vector<8xi8> to vector<8xf8E4M3FN>
func.func @from_f32(%x: vector<8xf32>) -> vector<8xf8E4M3FN> {
  %y = arith.truncf %x : vector<8xf32> to vector<8xf8E4M3FN>
  return %y : vector<8xf8E4M3FN>
}

// By way of f32, rounded to odd.
// CHECK-LABEL: @from_f64
// CHECK: arith.truncf %{{.+}} : f64 to f32
// CHECK: arith.cmpf one
// CHECK-NOT: arith.truncf
// CHECK: return
func.func @from_f64(%x: f64) -> f8E4M3FN {
  %y = arith.truncf %x : f64 to f8E4M3FN
  return %y : f8E4M3FN
}
