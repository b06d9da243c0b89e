// RUN: softmax-opt %s --pass-pipeline='builtin.module(func.func(smx-cpu-expand-math))' | FileCheck %s

// f8E4M3FN in integers: the exponent and the significand at f32's places, the difference of the biases (120) added; denormals
// by a difference, NaN by its code.
// CHECK-LABEL: @to_f32
// CHECK: %[[B:.+]] = arith.bitcast %{{.+}} : vector<8xf8E4M3FN> to vector<8xi8>
// CHECK: arith.extui %[[B]] : vector<8xi8> to vector<8xi32>
// CHECK: %[[N:.+]] = arith.addi %[[M:.+]], %{{.+}} : vector<8xi32>
// CHECK: %[[D:.+]] = arith.subf
// CHECK: %[[E:.+]] = arith.bitcast %[[D]]
// CHECK: %[[T:.+]] = arith.cmpi ult, %[[M]]
// CHECK: arith.select %[[T]], %[[E]], %[[N]]
// CHECK: arith.cmpi eq, %[[M]]
// CHECK: arith.ori
// CHECK-NOT: extf
// CHECK: return
func.func @to_f32(%x: vector<8xf8E4M3FN>) -> vector<8xf32> {
  %y = arith.extf %x : vector<8xf8E4M3FN> to vector<8xf32>
  return %y : vector<8xf32>
}

// bf16 is the upper half of the bits: nothing is rounded.
// CHECK-LABEL: @to_bf16
// CHECK: arith.trunci %{{.+}} : i32 to i16
// CHECK-NEXT: arith.bitcast %{{.+}} : i16 to bf16
// CHECK-NEXT: return
func.func @to_bf16(%x: f8E4M3FN) -> bf16 {
  %y = arith.extf %x : f8E4M3FN to bf16
  return %y : bf16
}
