// RUN: softmax-opt %s --smx-cpu-expand-math=avx512=true | FileCheck %s
// RUN: softmax-opt %s --smx-cpu-expand-math | FileCheck %s --check-prefix=PORTABLE

// CHECK-LABEL: func.func @exp2(
// CHECK-SAME:    %[[X:.+]]: vector<16xf32>)
// CHECK:         %[[N:.+]] = math.roundeven %[[X]]
// CHECK:         arith.subf %[[X]], %[[N]]
// CHECK-COUNT-6: math.fma
// CHECK:         llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.512"
// CHECK-NOT:     math.exp2

// Two factors, so that results below the normal range are rounded once.
// PORTABLE-LABEL: func.func @exp2(
// PORTABLE-NOT:     llvm.call_intrinsic
// PORTABLE:         arith.shrsi
// PORTABLE:         arith.shli
// PORTABLE:         arith.mulf
// PORTABLE:         arith.shli
// PORTABLE:         arith.mulf
func.func @exp2(%x: vector<16xf32>) -> vector<16xf32> {
  %0 = math.exp2 %x : vector<16xf32>
  return %0 : vector<16xf32>
}

// One integer addition when results below the normal range may be 0; NaN and 0 are put back.
// PORTABLE-LABEL: func.func @approximate(
// PORTABLE:         arith.shli
// PORTABLE-NEXT:    arith.bitcast
// PORTABLE-NEXT:    arith.addi
// PORTABLE:         arith.cmpf olt
// PORTABLE:         arith.cmpf uno
func.func @approximate(%x: vector<16xf32>) -> vector<16xf32> {
  %0 = math.exp2 %x fastmath<afn> : vector<16xf32>
  return %0 : vector<16xf32>
}

// CHECK-LABEL: func.func @half(
// CHECK:         arith.extf %{{.+}} : vector<8xbf16> to vector<8xf32>
// CHECK:         llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.256"
// CHECK:         arith.truncf %{{.+}} : vector<8xf32> to vector<8xbf16>
func.func @half(%x: vector<8xbf16>) -> vector<8xbf16> {
  %0 = math.exp %x : vector<8xbf16>
  return %0 : vector<8xbf16>
}

// CHECK-LABEL: func.func @scalar(
// CHECK-NOT:     math.tanh
// CHECK:         arith.divf
// CHECK:         math.copysign
func.func @scalar(%x: f64) -> f64 {
  %0 = math.tanh %x : f64
  return %0 : f64
}
