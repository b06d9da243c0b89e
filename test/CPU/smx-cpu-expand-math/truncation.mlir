// RUN: softmax-opt %s --pass-pipeline='builtin.module(func.func(smx-cpu-expand-math))' | FileCheck %s

// No processor has f64 to bf16, and LLVM calls a function for it: by way of f32, rounded to odd.
// CHECK-LABEL: @to_bf16
// CHECK-SAME: %[[X:.+]]: vector<8xf64>
// CHECK: %[[N:.+]] = arith.truncf %[[X]] : vector<8xf64> to vector<8xf32>
// CHECK: %[[B:.+]] = arith.extf %[[N]]
// CHECK: %[[W:.+]] = arith.bitcast %[[N]] : vector<8xf32> to vector<8xi32>
// CHECK: arith.cmpf one, %[[B]], %[[X]]
// CHECK: %[[O:.+]] = arith.bitcast %{{.+}} : vector<8xi32> to vector<8xf32>
// CHECK: arith.truncf %[[O]] : vector<8xf32> to vector<8xbf16>
func.func @to_bf16(%x: vector<8xf64>) -> vector<8xbf16> {
  %y = arith.truncf %x : vector<8xf64> to vector<8xbf16>
  return %y : vector<8xbf16>
}

// CHECK-LABEL: @to_f32
// CHECK-NEXT: arith.truncf
// CHECK-NEXT: return
func.func @to_f32(%x: f64) -> f32 {
  %y = arith.truncf %x : f64 to f32
  return %y : f32
}
