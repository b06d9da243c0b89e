// RUN: softmax-opt %s --smx-cpu-expand-math=avx512=true | FileCheck %s

// The fewer bits matter, the shorter the polynomial.

// CHECK-LABEL: @all
// CHECK-COUNT-6: math.fma
// CHECK-NOT: math.fma
// CHECK: return
func.func @all(%x: vector<16xf32>) -> vector<16xf32> {
  %e = math.exp2 %x fastmath<afn> : vector<16xf32>
  return %e : vector<16xf32>
}

// CHECK-LABEL: @for_f16
// CHECK-COUNT-4: math.fma
// CHECK-NOT: math.fma
// CHECK: return
func.func @for_f16(%x: vector<16xf32>) -> vector<16xf32> {
  %e = math.exp2 %x fastmath<afn> {result_bits = 16 : i32} : vector<16xf32>
  return %e : vector<16xf32>
}

// CHECK-LABEL: @for_bf16
// CHECK-COUNT-3: math.fma
// CHECK-NOT: math.fma
// CHECK: return
func.func @for_bf16(%x: vector<16xf32>) -> vector<16xf32> {
  %e = math.exp2 %x fastmath<afn> {result_bits = 12 : i32} : vector<16xf32>
  return %e : vector<16xf32>
}
