// RUN: softmax-opt %s --smx-nvvm-expand-math | FileCheck %s

// CHECK-LABEL: @approximate
// CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%{{.+}}) : (f32) -> f32
// CHECK: %[[T:.+]] = arith.mulf %{{.+}}, %{{.+}} : f32
// CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%[[T]])
// CHECK: llvm.call_intrinsic "llvm.nvvm.lg2.approx.ftz.f"
// CHECK: llvm.call_intrinsic "llvm.nvvm.rsqrt.approx.ftz.f"
func.func @approximate(%x: f32) -> (f32, f32, f32, f32) {
  %0 = math.exp2 %x fastmath<afn> : f32
  %1 = math.exp %x fastmath<afn> : f32
  %2 = math.log2 %x fastmath<afn> : f32
  %3 = math.rsqrt %x fastmath<afn> : f32
  return %0, %1, %2, %3 : f32, f32, f32, f32
}

// The rest of x log2(e) is not lost, and -inf gives no NaN.
// CHECK-LABEL: @exponential
// CHECK: %[[L:.+]] = arith.maximumf
// CHECK: %[[X:.+]] = arith.minimumf %[[L]]
// CHECK: %[[T:.+]] = arith.mulf %[[X]], %[[FACTOR:.+]] : vector<2xf32>
// CHECK: %[[N:.+]] = arith.negf %[[T]]
// CHECK: %[[HIGH:.+]] = math.fma %[[X]], %[[FACTOR]], %[[N]]
// CHECK: %[[REST:.+]] = math.fma %[[X]], %{{.+}}, %[[HIGH]]
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.nvvm.ex2.approx.f32"
// CHECK: %[[FACTOR:.+]] = arith.mulf %[[REST]]
// CHECK: math.fma %{{.+}}, %[[FACTOR]], %{{.+}} : vector<2xf32>
func.func @exponential(%x: vector<2xf32>) -> vector<2xf32> {
  %0 = math.exp %x : vector<2xf32>
  return %0 : vector<2xf32>
}

// CHECK-LABEL: @half
// CHECK: %[[X:.+]] = arith.extf %{{.+}} : bf16 to f32
// CHECK: arith.truncf %{{.+}} : f32 to bf16
// CHECK-NOT: math.log
func.func @half(%x: bf16) -> bf16 {
  %0 = math.log %x : bf16
  return %0 : bf16
}

// A difference that may be contracted is not rounded: 2^f with a small f, and a whole power of two. 2^f is a polynomial, unless 22 bits are enough.
// CHECK-LABEL: @difference
// CHECK-SAME: %[[X:.+]]: f32, %[[Y:.+]]: f32
// CHECK-DAG: %[[FACTOR:.+]] = arith.constant 2.88539{{.+}} : f32
// CHECK: %[[FAR:.+]] = arith.cmpf oge
// CHECK: %[[ORIGIN:.+]] = arith.select %[[FAR]], %[[Y]]
// CHECK: %[[NEAR:.+]] = arith.select %[[FAR]], %{{.+}}, %[[Y]]
// CHECK: arith.subf %[[X]], %[[ORIGIN]] : f32
// CHECK-COUNT-6: math.fma
// CHECK-NOT: ex2.approx.ftz
// CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.f32"
// CHECK-NOT: ex2.approx
// CHECK-NOT: math.exp
func.func @difference(%x: f32, %y: f32) -> f32 {
  %two = arith.constant 2.0 : f32
  %0 = arith.subf %x, %y fastmath<contract> : f32
  %1 = arith.mulf %0, %two fastmath<contract> : f32
  %2 = math.exp %1 fastmath<contract> : f32
  return %2 : f32
}

// Of many, 2^f is an instruction, and the power is made of the last bits of a sum, which are limited to those of normal numbers.
// CHECK-LABEL: @differences
// CHECK-SAME: %[[X:.+]]: vector<2xf32>, %[[Y:.+]]: vector<2xf32>
// CHECK-DAG: %[[FACTOR:.+]] = arith.constant dense<2.88539{{.+}}> : vector<2xf32>
// CHECK-DAG: %[[LOW:.+]] = arith.constant dense<3.85192{{.+}}E-8> : vector<2xf32>
// CHECK: %[[FAR:.+]] = arith.cmpf oge
// CHECK: %[[ORIGIN:.+]] = arith.select %[[FAR]], %[[Y]]
// CHECK: %[[NEAR:.+]] = arith.select %[[FAR]], %{{.+}}, %[[Y]]
// CHECK: %[[D:.+]] = arith.subf %[[X]], %[[ORIGIN]] : vector<2xf32>
// CHECK: %[[BIAS:.+]] = arith.constant dense<0x4B40007F> : vector<2xf32>
// CHECK: %[[START:.+]] = arith.subf %[[BIAS]]
// CHECK: %[[SUM:.+]] = math.fma %[[D]], %[[FACTOR]], %[[START]]
// CHECK: %[[LEAST:.+]] = arith.constant dense<0x4B400001> : vector<2xf32>
// CHECK: %[[ABOVE:.+]] = arith.maxnumf %[[SUM]], %[[LEAST]]
// CHECK: %[[MOST:.+]] = arith.constant dense<0x4B4000FE> : vector<2xf32>
// CHECK: %[[KEPT:.+]] = arith.minnumf %[[ABOVE]], %[[MOST]]
// CHECK: %[[N:.+]] = arith.subf %[[KEPT]], %[[START]]
// CHECK: %[[REST:.+]] = math.fma %[[D]], %[[LOW]]
// CHECK: %[[MINUS:.+]] = arith.negf %[[N]]
// CHECK: %[[LEFT:.+]] = math.fma %[[D]], %[[FACTOR]], %[[MINUS]]
// CHECK: %[[F:.+]] = arith.addf %[[LEFT]], %[[REST]]
// CHECK: llvm.extractelement %[[F]]
// CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"
// CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"
// CHECK-NEXT: %[[MANTISSA:.+]] = llvm.insertelement
// CHECK: %[[BITS:.+]] = arith.bitcast %[[KEPT]] : vector<2xf32> to vector<2xi32>
// CHECK: %[[WIDTH:.+]] = arith.constant dense<23> : vector<2xi32>
// CHECK: %[[SHIFTED:.+]] = arith.shli %[[BITS]], %[[WIDTH]]
// CHECK: %[[POWER:.+]] = arith.bitcast %[[SHIFTED]] : vector<2xi32> to vector<2xf32>
// CHECK: arith.mulf %[[MANTISSA]], %[[POWER]]
// CHECK-NOT: ex2.approx
// CHECK-NOT: math.exp
func.func @differences(%x: vector<2xf32>, %y: vector<2xf32>) -> vector<2xf32> {
  %two = arith.constant dense<2.0> : vector<2xf32>
  %0 = arith.subf %x, %y fastmath<contract> : vector<2xf32>
  %1 = arith.mulf %0, %two fastmath<contract> : vector<2xf32>
  %2 = math.exp %1 fastmath<contract> {result_bits = 22 : i32} : vector<2xf32>
  return %2 : vector<2xf32>
}

// All bits of a vector's elements are asked for: as of one number.
// CHECK-LABEL: @precise_differences
// CHECK: arith.maximumf
// CHECK: arith.minimumf
// CHECK-NOT: ex2.approx.ftz
// CHECK-COUNT-2: llvm.nvvm.ex2.approx.f32
// CHECK-NOT: ex2.approx
// CHECK: return
func.func @precise_differences(%x: vector<2xf32>, %y: vector<2xf32>) -> vector<2xf32> {
  %two = arith.constant dense<2.0> : vector<2xf32>
  %0 = arith.subf %x, %y fastmath<contract> : vector<2xf32>
  %1 = arith.mulf %0, %two fastmath<contract> : vector<2xf32>
  %2 = math.exp %1 fastmath<contract> : vector<2xf32>
  return %2 : vector<2xf32>
}

// CHECK-LABEL: @logarithms
// CHECK-NOT: math.log
// CHECK: arith.bitcast %{{.+}} : f64 to i64
// CHECK: arith.divf
func.func @logarithms(%x: f64) -> (f64, f64, f64, f64) {
  %0 = math.log %x : f64
  %1 = math.log2 %x : f64
  %2 = math.log10 %x : f64
  %3 = math.log1p %x : f64
  return %0, %1, %2, %3 : f64, f64, f64, f64
}

// Two forms, of which the first has few bits near zero; approximately that does not matter.
// CHECK-LABEL: @tanh
// CHECK: llvm.nvvm.ex2.approx
// CHECK: llvm.nvvm.rcp.approx
// CHECK: math.copysign
// CHECK: arith.cmpf olt
// CHECK: arith.select
// CHECK: llvm.nvvm.ex2.approx
// CHECK: llvm.nvvm.rcp.approx
// CHECK-NOT: arith.select
// CHECK: return
func.func @tanh(%x: f32) -> (f32, f32) {
  %0 = math.tanh %x : f32
  %1 = math.tanh %x fastmath<afn> : f32
  return %0, %1 : f32, f32
}

// Left to smx-cpu-expand-math.
// CHECK-LABEL: @elsewhere
// CHECK: math.exp %{{.+}} : f64
// CHECK: math.tanh %{{.+}} : f64
func.func @elsewhere(%x: f64) -> (f64, f64) {
  %0 = math.exp %x : f64
  %1 = math.tanh %x : f64
  return %0, %1 : f64, f64
}

// Of 19 bits one product is enough.
// CHECK-LABEL: @differences_by_product
// CHECK-SAME: %[[X:.+]]: f32, %[[Y:.+]]: f32
// CHECK: %[[D:.+]] = arith.subf %[[X]], %[[Y]] : f32
// CHECK: %[[F:.+]] = arith.constant 2.885390e+00 : f32
// CHECK: %[[T:.+]] = arith.mulf %[[D]], %[[F]] : f32
// CHECK-NEXT: %[[P:.+]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%[[T]])
// CHECK-NEXT: return %[[P]]
func.func @differences_by_product(%x: f32, %y: f32) -> f32 {
  %two = arith.constant 2.0 : f32
  %0 = arith.subf %x, %y fastmath<contract> : f32
  %1 = arith.mulf %0, %two fastmath<contract> : f32
  %2 = math.exp %1 fastmath<contract> {result_bits = 19 : i32} : f32
  return %2 : f32
}
