// RUN: softmax-opt %s --smx-raise | FileCheck %s
// RUN: softmax-run %s --entry=both --check=naive --repeat=0 --random=all_neg_inf | FileCheck %s --check-prefix=VALUES
// RUN: softmax-run %s --entry=maximum_above --check=naive --repeat=0 --random=all_neg_inf | FileCheck %s --check-prefix=VALUES
// RUN: softmax-run %s --entry=sum_alone --check=naive --repeat=0 --random=all_neg_inf | FileCheck %s --check-prefix=VALUES
// RUN: softmax-run %s --entry=from_the_lowest --check=naive --repeat=0 --random=all_neg_inf | FileCheck %s --check-prefix=VALUES
// VALUES: against naive: pass

// Maxima of -inf and sums of 0 that are replaced.

#full = affine_map<(i, j) -> (i, j)>
#rows = affine_map<(i, j) -> (i)>

// A masked row is 0 / 0, where without the guard it is the exponential of NaN.
// CHECK-LABEL: @maximum
// CHECK: smx.softmax %{{.+}} axis(1) : tensor
func.func @maximum(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %m0 = arith.constant dense<0xFF800000> : tensor<6xf32>
  %l0 = arith.constant dense<0.0> : tensor<6xf32>
  %full = tensor.empty() : tensor<6x8xf32>
  %rm = linalg.reduce { arith.maximumf } ins(%x : tensor<6x8xf32>) outs(%m0 : tensor<6xf32>) dimensions = [1]
  %e = linalg.generic {indexing_maps = [#full, #rows, #full], iterator_types = ["parallel", "parallel"]} ins(%x, %rm : tensor<6x8xf32>, tensor<6xf32>) outs(%full : tensor<6x8xf32>) {
  ^bb0(%a: f32, %m: f32, %out: f32):
    %mc = arith.cmpf oeq, %m, %ninf : f32
    %mg = arith.select %mc, %zero, %m : f32
    %d = arith.subf %a, %mg : f32
    %p = math.exp %d : f32
    linalg.yield %p : f32
  } -> tensor<6x8xf32>
  %rl = linalg.reduce { arith.addf } ins(%e : tensor<6x8xf32>) outs(%l0 : tensor<6xf32>) dimensions = [1]
  %y = linalg.generic {indexing_maps = [#full, #rows, #full], iterator_types = ["parallel", "parallel"]} ins(%e, %rl : tensor<6x8xf32>, tensor<6xf32>) outs(%full : tensor<6x8xf32>) {
  ^bb0(%a: f32, %l: f32, %out: f32):
    %q = arith.divf %a, %l : f32
    linalg.yield %q : f32
  } -> tensor<6x8xf32>
  return %y : tensor<6x8xf32>
}

// CHECK-LABEL: @maximum_above
// CHECK: smx.softmax %{{.+}} axis(1) : tensor
func.func @maximum_above(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %m0 = arith.constant dense<0xFF800000> : tensor<6xf32>
  %l0 = arith.constant dense<0.0> : tensor<6xf32>
  %full = tensor.empty() : tensor<6x8xf32>
  %rm = linalg.reduce { arith.maximumf } ins(%x : tensor<6x8xf32>) outs(%m0 : tensor<6xf32>) dimensions = [1]
  %e = linalg.generic {indexing_maps = [#full, #rows, #full], iterator_types = ["parallel", "parallel"]} ins(%x, %rm : tensor<6x8xf32>, tensor<6xf32>) outs(%full : tensor<6x8xf32>) {
  ^bb0(%a: f32, %m: f32, %out: f32):
    %mc = arith.cmpf ogt, %m, %ninf : f32
    %mg = arith.select %mc, %m, %zero : f32
    %d = arith.subf %a, %mg : f32
    %p = math.exp %d : f32
    linalg.yield %p : f32
  } -> tensor<6x8xf32>
  %rl = linalg.reduce { arith.addf } ins(%e : tensor<6x8xf32>) outs(%l0 : tensor<6xf32>) dimensions = [1]
  %y = linalg.generic {indexing_maps = [#full, #rows, #full], iterator_types = ["parallel", "parallel"]} ins(%e, %rl : tensor<6x8xf32>, tensor<6xf32>) outs(%full : tensor<6x8xf32>) {
  ^bb0(%a: f32, %l: f32, %out: f32):
    %q = arith.divf %a, %l : f32
    linalg.yield %q : f32
  } -> tensor<6x8xf32>
  return %y : tensor<6x8xf32>
}

// With both a masked row is 0.
// CHECK-LABEL: @both
// CHECK: smx.softmax %{{.+}} axis(1) {masked_row = #smx.masked_row<zero>}
func.func @both(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %m0 = arith.constant dense<0xFF800000> : tensor<6xf32>
  %l0 = arith.constant dense<0.0> : tensor<6xf32>
  %full = tensor.empty() : tensor<6x8xf32>
  %rm = linalg.reduce { arith.maximumf } ins(%x : tensor<6x8xf32>) outs(%m0 : tensor<6xf32>) dimensions = [1]
  %e = linalg.generic {indexing_maps = [#full, #rows, #full], iterator_types = ["parallel", "parallel"]} ins(%x, %rm : tensor<6x8xf32>, tensor<6xf32>) outs(%full : tensor<6x8xf32>) {
  ^bb0(%a: f32, %m: f32, %out: f32):
    %mc = arith.cmpf oeq, %m, %ninf : f32
    %mg = arith.select %mc, %zero, %m : f32
    %d = arith.subf %a, %mg : f32
    %p = math.exp %d : f32
    linalg.yield %p : f32
  } -> tensor<6x8xf32>
  %rl = linalg.reduce { arith.addf } ins(%e : tensor<6x8xf32>) outs(%l0 : tensor<6xf32>) dimensions = [1]
  %y = linalg.generic {indexing_maps = [#full, #rows, #full], iterator_types = ["parallel", "parallel"]} ins(%e, %rl : tensor<6x8xf32>, tensor<6xf32>) outs(%full : tensor<6x8xf32>) {
  ^bb0(%a: f32, %l: f32, %out: f32):
    %lc = arith.cmpf oeq, %l, %zero : f32
    %lg = arith.select %lc, %one, %l : f32
    %q = arith.divf %a, %lg : f32
    linalg.yield %q : f32
  } -> tensor<6x8xf32>
  return %y : tensor<6x8xf32>
}

// CHECK-LABEL: @both_by_maximum
// CHECK: smx.softmax %{{.+}} axis(1) {masked_row = #smx.masked_row<zero>}
func.func @both_by_maximum(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %zero = arith.constant 0.0 : f32
  %tiny = arith.constant 1.0e-9 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %m0 = arith.constant dense<0xFF800000> : tensor<6xf32>
  %l0 = arith.constant dense<0.0> : tensor<6xf32>
  %full = tensor.empty() : tensor<6x8xf32>
  %rm = linalg.reduce { arith.maximumf } ins(%x : tensor<6x8xf32>) outs(%m0 : tensor<6xf32>) dimensions = [1]
  %e = linalg.generic {indexing_maps = [#full, #rows, #full], iterator_types = ["parallel", "parallel"]} ins(%x, %rm : tensor<6x8xf32>, tensor<6xf32>) outs(%full : tensor<6x8xf32>) {
  ^bb0(%a: f32, %m: f32, %out: f32):
    %mc = arith.cmpf ogt, %m, %ninf : f32
    %mg = arith.select %mc, %m, %zero : f32
    %d = arith.subf %a, %mg : f32
    %p = math.exp %d : f32
    linalg.yield %p : f32
  } -> tensor<6x8xf32>
  %rl = linalg.reduce { arith.addf } ins(%e : tensor<6x8xf32>) outs(%l0 : tensor<6xf32>) dimensions = [1]
  %y = linalg.generic {indexing_maps = [#full, #rows, #full], iterator_types = ["parallel", "parallel"]} ins(%e, %rl : tensor<6x8xf32>, tensor<6xf32>) outs(%full : tensor<6x8xf32>) {
  ^bb0(%a: f32, %l: f32, %out: f32):
    %lg = arith.maximumf %l, %tiny : f32
    %q = arith.divf %a, %lg : f32
    linalg.yield %q : f32
  } -> tensor<6x8xf32>
  return %y : tensor<6x8xf32>
}

// No sum is 0 where the maximum is not replaced.
// CHECK-LABEL: @sum_alone
// CHECK: smx.softmax %{{.+}} axis(1) : tensor
func.func @sum_alone(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %m0 = arith.constant dense<0xFF800000> : tensor<6xf32>
  %l0 = arith.constant dense<0.0> : tensor<6xf32>
  %full = tensor.empty() : tensor<6x8xf32>
  %rm = linalg.reduce { arith.maximumf } ins(%x : tensor<6x8xf32>) outs(%m0 : tensor<6xf32>) dimensions = [1]
  %e = linalg.generic {indexing_maps = [#full, #rows, #full], iterator_types = ["parallel", "parallel"]} ins(%x, %rm : tensor<6x8xf32>, tensor<6xf32>) outs(%full : tensor<6x8xf32>) {
  ^bb0(%a: f32, %m: f32, %out: f32):
    %d = arith.subf %a, %m : f32
    %p = math.exp %d : f32
    linalg.yield %p : f32
  } -> tensor<6x8xf32>
  %rl = linalg.reduce { arith.addf } ins(%e : tensor<6x8xf32>) outs(%l0 : tensor<6xf32>) dimensions = [1]
  %y = linalg.generic {indexing_maps = [#full, #rows, #full], iterator_types = ["parallel", "parallel"]} ins(%e, %rl : tensor<6x8xf32>, tensor<6xf32>) outs(%full : tensor<6x8xf32>) {
  ^bb0(%a: f32, %l: f32, %out: f32):
    %lc = arith.cmpf oeq, %l, %zero : f32
    %lg = arith.select %lc, %one, %l : f32
    %q = arith.divf %a, %lg : f32
    linalg.yield %q : f32
  } -> tensor<6x8xf32>
  return %y : tensor<6x8xf32>
}

// Beside +inf, finite scores have the weight 0 here, and NaN in a softmax.
// CHECK-LABEL: @infinity
// CHECK-NOT: smx.softmax
// CHECK: return
func.func @infinity(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %zero = arith.constant 0.0 : f32
  %pinf = arith.constant 0x7F800000 : f32
  %m0 = arith.constant dense<0xFF800000> : tensor<6xf32>
  %l0 = arith.constant dense<0.0> : tensor<6xf32>
  %full = tensor.empty() : tensor<6x8xf32>
  %rm = linalg.reduce { arith.maximumf } ins(%x : tensor<6x8xf32>) outs(%m0 : tensor<6xf32>) dimensions = [1]
  %e = linalg.generic {indexing_maps = [#full, #rows, #full], iterator_types = ["parallel", "parallel"]} ins(%x, %rm : tensor<6x8xf32>, tensor<6xf32>) outs(%full : tensor<6x8xf32>) {
  ^bb0(%a: f32, %m: f32, %out: f32):
    %ma = math.absf %m : f32
    %mc = arith.cmpf oeq, %ma, %pinf : f32
    %mg = arith.select %mc, %zero, %m : f32
    %d = arith.subf %a, %mg : f32
    %p = math.exp %d : f32
    linalg.yield %p : f32
  } -> tensor<6x8xf32>
  %rl = linalg.reduce { arith.addf } ins(%e : tensor<6x8xf32>) outs(%l0 : tensor<6xf32>) dimensions = [1]
  %y = linalg.generic {indexing_maps = [#full, #rows, #full], iterator_types = ["parallel", "parallel"]} ins(%e, %rl : tensor<6x8xf32>, tensor<6xf32>) outs(%full : tensor<6x8xf32>) {
  ^bb0(%a: f32, %l: f32, %out: f32):
    %q = arith.divf %a, %l : f32
    linalg.yield %q : f32
  } -> tensor<6x8xf32>
  return %y : tensor<6x8xf32>
}

// A maximum that starts from the lowest finite number is no -inf either.
// CHECK-LABEL: @from_the_lowest
// CHECK: smx.softmax %{{.+}} axis(1) {masked_row = #smx.masked_row<zero>}
func.func @from_the_lowest(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %low = arith.constant 0xFF7FFFFF : f32
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %er = tensor.empty() : tensor<6xf32>
  %e = tensor.empty() : tensor<6x8xf32>
  %m0 = linalg.fill ins(%low : f32) outs(%er : tensor<6xf32>) -> tensor<6xf32>
  %m = linalg.generic {indexing_maps = [#full, #rows], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<6x8xf32>) outs(%m0 : tensor<6xf32>) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.maximumf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<6xf32>
  %p = linalg.generic {indexing_maps = [#full, #rows, #full], iterator_types = ["parallel", "parallel"]} ins(%x, %m : tensor<6x8xf32>, tensor<6xf32>) outs(%e : tensor<6x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %d = arith.subf %a, %b : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<6x8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%er : tensor<6xf32>) -> tensor<6xf32>
  %s = linalg.generic {indexing_maps = [#full, #rows], iterator_types = ["parallel", "reduction"]} ins(%p : tensor<6x8xf32>) outs(%s0 : tensor<6xf32>) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<6xf32>
  %q = linalg.generic {indexing_maps = [#full, #rows, #full], iterator_types = ["parallel", "parallel"]} ins(%p, %s : tensor<6x8xf32>, tensor<6xf32>) outs(%e : tensor<6x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %z = arith.cmpf oeq, %b, %zero : f32
    %g = arith.select %z, %one, %b : f32
    %r = arith.divf %a, %g : f32
    linalg.yield %r : f32
  } -> tensor<6x8xf32>
  return %q : tensor<6x8xf32>
}
