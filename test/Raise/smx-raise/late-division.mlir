// RUN: softmax-opt %s --smx-raise --verify-diagnostics | FileCheck %s

// The sums are divided behind the product with the values, as in kernels that are written out.

#all = affine_map<(b, i, j) -> (b, i, j)>
#rows = affine_map<(b, i, j) -> (b, i)>

// By the sum of the row.
// CHECK-LABEL: @plain
// CHECK: smx.attention
// CHECK-NOT: math.exp
// CHECK: return
func.func @plain(%q: tensor<2x9x8xf32>, %kt: tensor<2x8x7xf32>, %v: tensor<2x7x8xf32>) -> (tensor<2x9x8xf32>) {
  %zs = arith.constant dense<0.0> : tensor<2x9x7xf32>
  %zo = arith.constant dense<0.0> : tensor<2x9x8xf32>
  %m0 = arith.constant dense<0xFF800000> : tensor<2x9xf32>
  %l0 = arith.constant dense<0.0> : tensor<2x9xf32>
  %es = tensor.empty() : tensor<2x9x7xf32>
  %eo = tensor.empty() : tensor<2x9x8xf32>
  %t = linalg.batch_matmul ins(%q, %kt : tensor<2x9x8xf32>, tensor<2x8x7xf32>) outs(%zs : tensor<2x9x7xf32>) -> tensor<2x9x7xf32>
  %m = linalg.reduce { arith.maximumf } ins(%t : tensor<2x9x7xf32>) outs(%m0 : tensor<2x9xf32>) dimensions = [2]
  %e = linalg.generic {indexing_maps = [#all, #rows, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%t, %m : tensor<2x9x7xf32>, tensor<2x9xf32>) outs(%es : tensor<2x9x7xf32>) {
  ^bb0(%a: f32, %mm: f32, %out: f32):
    %d = arith.subf %a, %mm : f32
    %p = math.exp %d : f32
    linalg.yield %p : f32
  } -> tensor<2x9x7xf32>
  %l = linalg.reduce { arith.addf } ins(%e : tensor<2x9x7xf32>) outs(%l0 : tensor<2x9xf32>) dimensions = [2]
  %n = linalg.batch_matmul ins(%e, %v : tensor<2x9x7xf32>, tensor<2x7x8xf32>) outs(%zo : tensor<2x9x8xf32>) -> tensor<2x9x8xf32>
  %o = linalg.generic {indexing_maps = [#all, #rows, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%n, %l : tensor<2x9x8xf32>, tensor<2x9xf32>) outs(%eo : tensor<2x9x8xf32>) {
  ^bb0(%ov: f32, %lv: f32, %out: f32):
    %r = arith.divf %ov, %lv : f32
    linalg.yield %r : f32
  } -> tensor<2x9x8xf32>
  return %o : tensor<2x9x8xf32>
}

// Or multiplied by one over it.
// CHECK-LABEL: @reciprocal
// CHECK: smx.attention
// CHECK-NOT: math.exp
// CHECK: return
func.func @reciprocal(%q: tensor<2x9x8xf32>, %kt: tensor<2x8x7xf32>, %v: tensor<2x7x8xf32>) -> (tensor<2x9x8xf32>) {
  %one = arith.constant 1.0 : f32
  %zs = arith.constant dense<0.0> : tensor<2x9x7xf32>
  %zo = arith.constant dense<0.0> : tensor<2x9x8xf32>
  %m0 = arith.constant dense<0xFF800000> : tensor<2x9xf32>
  %l0 = arith.constant dense<0.0> : tensor<2x9xf32>
  %es = tensor.empty() : tensor<2x9x7xf32>
  %eo = tensor.empty() : tensor<2x9x8xf32>
  %t = linalg.batch_matmul ins(%q, %kt : tensor<2x9x8xf32>, tensor<2x8x7xf32>) outs(%zs : tensor<2x9x7xf32>) -> tensor<2x9x7xf32>
  %m = linalg.reduce { arith.maximumf } ins(%t : tensor<2x9x7xf32>) outs(%m0 : tensor<2x9xf32>) dimensions = [2]
  %e = linalg.generic {indexing_maps = [#all, #rows, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%t, %m : tensor<2x9x7xf32>, tensor<2x9xf32>) outs(%es : tensor<2x9x7xf32>) {
  ^bb0(%a: f32, %mm: f32, %out: f32):
    %d = arith.subf %a, %mm : f32
    %p = math.exp %d : f32
    linalg.yield %p : f32
  } -> tensor<2x9x7xf32>
  %l = linalg.reduce { arith.addf } ins(%e : tensor<2x9x7xf32>) outs(%l0 : tensor<2x9xf32>) dimensions = [2]
  %n = linalg.batch_matmul ins(%e, %v : tensor<2x9x7xf32>, tensor<2x7x8xf32>) outs(%zo : tensor<2x9x8xf32>) -> tensor<2x9x8xf32>
  %o = linalg.generic {indexing_maps = [#all, #rows, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%n, %l : tensor<2x9x8xf32>, tensor<2x9xf32>) outs(%eo : tensor<2x9x8xf32>) {
  ^bb0(%ov: f32, %lv: f32, %out: f32):
    %i = arith.divf %one, %lv : f32
    %r = arith.mulf %i, %ov : f32
    linalg.yield %r : f32
  } -> tensor<2x9x8xf32>
  return %o : tensor<2x9x8xf32>
}

// Beside the log-sum-exp.
// CHECK-LABEL: @with_log_sum_exp
// CHECK: %{{.+}}, %[[LSE:.+]] = smx.attention {{.*}}, tensor<2x9xf32>
// CHECK: return %{{.+}}, %[[LSE]]
func.func @with_log_sum_exp(%q: tensor<2x9x8xf32>, %kt: tensor<2x8x7xf32>, %v: tensor<2x7x8xf32>) -> (tensor<2x9x8xf32>, tensor<2x9xf32>) {
  %zs = arith.constant dense<0.0> : tensor<2x9x7xf32>
  %zo = arith.constant dense<0.0> : tensor<2x9x8xf32>
  %m0 = arith.constant dense<0xFF800000> : tensor<2x9xf32>
  %l0 = arith.constant dense<0.0> : tensor<2x9xf32>
  %es = tensor.empty() : tensor<2x9x7xf32>
  %eo = tensor.empty() : tensor<2x9x8xf32>
  %t = linalg.batch_matmul ins(%q, %kt : tensor<2x9x8xf32>, tensor<2x8x7xf32>) outs(%zs : tensor<2x9x7xf32>) -> tensor<2x9x7xf32>
  %m = linalg.reduce { arith.maximumf } ins(%t : tensor<2x9x7xf32>) outs(%m0 : tensor<2x9xf32>) dimensions = [2]
  %e = linalg.generic {indexing_maps = [#all, #rows, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%t, %m : tensor<2x9x7xf32>, tensor<2x9xf32>) outs(%es : tensor<2x9x7xf32>) {
  ^bb0(%a: f32, %mm: f32, %out: f32):
    %d = arith.subf %a, %mm : f32
    %p = math.exp %d : f32
    linalg.yield %p : f32
  } -> tensor<2x9x7xf32>
  %l = linalg.reduce { arith.addf } ins(%e : tensor<2x9x7xf32>) outs(%l0 : tensor<2x9xf32>) dimensions = [2]
  %n = linalg.batch_matmul ins(%e, %v : tensor<2x9x7xf32>, tensor<2x7x8xf32>) outs(%zo : tensor<2x9x8xf32>) -> tensor<2x9x8xf32>
  %logs = math.log %l : tensor<2x9xf32>
  %lse = arith.addf %m, %logs : tensor<2x9xf32>
  %o = linalg.generic {indexing_maps = [#all, #rows, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%n, %l : tensor<2x9x8xf32>, tensor<2x9xf32>) outs(%eo : tensor<2x9x8xf32>) {
  ^bb0(%ov: f32, %lv: f32, %out: f32):
    %r = arith.divf %ov, %lv : f32
    linalg.yield %r : f32
  } -> tensor<2x9x8xf32>
  return %o, %lse : tensor<2x9x8xf32>, tensor<2x9xf32>
}

// Weights are rounded for the product.
// CHECK-LABEL: @rounded_weights
// CHECK: smx.attention
// CHECK-NOT: math.exp
// CHECK: return
func.func @rounded_weights(%q: tensor<2x9x8xbf16>, %kt: tensor<2x8x7xbf16>, %v: tensor<2x7x8xbf16>) -> (tensor<2x9x8xf32>) {
  %zs = arith.constant dense<0.0> : tensor<2x9x7xf32>
  %zo = arith.constant dense<0.0> : tensor<2x9x8xf32>
  %m0 = arith.constant dense<0xFF800000> : tensor<2x9xf32>
  %l0 = arith.constant dense<0.0> : tensor<2x9xf32>
  %es = tensor.empty() : tensor<2x9x7xf32>
  %eo = tensor.empty() : tensor<2x9x8xf32>
  %t = linalg.batch_matmul ins(%q, %kt : tensor<2x9x8xbf16>, tensor<2x8x7xbf16>) outs(%zs : tensor<2x9x7xf32>) -> tensor<2x9x7xf32>
  %m = linalg.reduce { arith.maximumf } ins(%t : tensor<2x9x7xf32>) outs(%m0 : tensor<2x9xf32>) dimensions = [2]
  %e = linalg.generic {indexing_maps = [#all, #rows, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%t, %m : tensor<2x9x7xf32>, tensor<2x9xf32>) outs(%es : tensor<2x9x7xf32>) {
  ^bb0(%a: f32, %mm: f32, %out: f32):
    %d = arith.subf %a, %mm : f32
    %p = math.exp %d : f32
    linalg.yield %p : f32
  } -> tensor<2x9x7xf32>
  %l = linalg.reduce { arith.addf } ins(%e : tensor<2x9x7xf32>) outs(%l0 : tensor<2x9xf32>) dimensions = [2]
  %eb = tensor.empty() : tensor<2x9x7xbf16>
  %w = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%e : tensor<2x9x7xf32>) outs(%eb : tensor<2x9x7xbf16>) {
  ^bb0(%a: f32, %out: bf16):
    %x = arith.truncf %a : f32 to bf16
    linalg.yield %x : bf16
  } -> tensor<2x9x7xbf16>
  %n = linalg.batch_matmul ins(%w, %v : tensor<2x9x7xbf16>, tensor<2x7x8xbf16>) outs(%zo : tensor<2x9x8xf32>) -> tensor<2x9x8xf32>
  %o = linalg.generic {indexing_maps = [#all, #rows, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%n, %l : tensor<2x9x8xf32>, tensor<2x9xf32>) outs(%eo : tensor<2x9x8xf32>) {
  ^bb0(%ov: f32, %lv: f32, %out: f32):
    %r = arith.divf %ov, %lv : f32
    linalg.yield %r : f32
  } -> tensor<2x9x8xf32>
  return %o : tensor<2x9x8xf32>
}

// Masked rows are 0.
// CHECK-LABEL: @guarded
// CHECK: smx.attention
// CHECK-NOT: math.exp
// CHECK: return
func.func @guarded(%q: tensor<2x9x8xf32>, %kt: tensor<2x8x7xf32>, %v: tensor<2x7x8xf32>) -> (tensor<2x9x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %zs = arith.constant dense<0.0> : tensor<2x9x7xf32>
  %zo = arith.constant dense<0.0> : tensor<2x9x8xf32>
  %m0 = arith.constant dense<0xFF800000> : tensor<2x9xf32>
  %l0 = arith.constant dense<0.0> : tensor<2x9xf32>
  %es = tensor.empty() : tensor<2x9x7xf32>
  %eo = tensor.empty() : tensor<2x9x8xf32>
  %t = linalg.batch_matmul ins(%q, %kt : tensor<2x9x8xf32>, tensor<2x8x7xf32>) outs(%zs : tensor<2x9x7xf32>) -> tensor<2x9x7xf32>
  %m = linalg.reduce { arith.maximumf } ins(%t : tensor<2x9x7xf32>) outs(%m0 : tensor<2x9xf32>) dimensions = [2]
  %e = linalg.generic {indexing_maps = [#all, #rows, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%t, %m : tensor<2x9x7xf32>, tensor<2x9xf32>) outs(%es : tensor<2x9x7xf32>) {
  ^bb0(%a: f32, %mm: f32, %out: f32):
    %mc = arith.cmpf oeq, %mm, %ninf : f32
    %mg = arith.select %mc, %zero, %mm : f32
    %d = arith.subf %a, %mg : f32
    %p = math.exp %d : f32
    linalg.yield %p : f32
  } -> tensor<2x9x7xf32>
  %l = linalg.reduce { arith.addf } ins(%e : tensor<2x9x7xf32>) outs(%l0 : tensor<2x9xf32>) dimensions = [2]
  %n = linalg.batch_matmul ins(%e, %v : tensor<2x9x7xf32>, tensor<2x7x8xf32>) outs(%zo : tensor<2x9x8xf32>) -> tensor<2x9x8xf32>
  %o = linalg.generic {indexing_maps = [#all, #rows, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%n, %l : tensor<2x9x8xf32>, tensor<2x9xf32>) outs(%eo : tensor<2x9x8xf32>) {
  ^bb0(%ov: f32, %lv: f32, %out: f32):
    %lc = arith.cmpf oeq, %lv, %zero : f32
    %lg = arith.select %lc, %one, %lv : f32
    %r = arith.divf %ov, %lg : f32
    linalg.yield %r : f32
  } -> tensor<2x9x8xf32>
  return %o : tensor<2x9x8xf32>
}

// The exponentials are a result.
// CHECK-LABEL: @exponentials_are_returned
// CHECK-NOT: smx.
// CHECK: return
func.func @exponentials_are_returned(%q: tensor<2x9x8xf32>, %kt: tensor<2x8x7xf32>, %v: tensor<2x7x8xf32>) -> (tensor<2x9x8xf32>, tensor<2x9x7xf32>) {
  %zs = arith.constant dense<0.0> : tensor<2x9x7xf32>
  %zo = arith.constant dense<0.0> : tensor<2x9x8xf32>
  %m0 = arith.constant dense<0xFF800000> : tensor<2x9xf32>
  %l0 = arith.constant dense<0.0> : tensor<2x9xf32>
  %es = tensor.empty() : tensor<2x9x7xf32>
  %eo = tensor.empty() : tensor<2x9x8xf32>
  %t = linalg.batch_matmul ins(%q, %kt : tensor<2x9x8xf32>, tensor<2x8x7xf32>) outs(%zs : tensor<2x9x7xf32>) -> tensor<2x9x7xf32>
  %m = linalg.reduce { arith.maximumf } ins(%t : tensor<2x9x7xf32>) outs(%m0 : tensor<2x9xf32>) dimensions = [2]
  %e = linalg.generic {indexing_maps = [#all, #rows, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%t, %m : tensor<2x9x7xf32>, tensor<2x9xf32>) outs(%es : tensor<2x9x7xf32>) {
  ^bb0(%a: f32, %mm: f32, %out: f32):
    %d = arith.subf %a, %mm : f32
    %p = math.exp %d : f32
    linalg.yield %p : f32
  } -> tensor<2x9x7xf32>
  %l = linalg.reduce { arith.addf } ins(%e : tensor<2x9x7xf32>) outs(%l0 : tensor<2x9xf32>) dimensions = [2]
  %n = linalg.batch_matmul ins(%e, %v : tensor<2x9x7xf32>, tensor<2x7x8xf32>) outs(%zo : tensor<2x9x8xf32>) -> tensor<2x9x8xf32>
  // expected-remark @below {{not raised to smx.softmax: an intermediate value has another use}}
  %o = linalg.generic {indexing_maps = [#all, #rows, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%n, %l : tensor<2x9x8xf32>, tensor<2x9xf32>) outs(%eo : tensor<2x9x8xf32>) {
  ^bb0(%ov: f32, %lv: f32, %out: f32):
    %r = arith.divf %ov, %lv : f32
    linalg.yield %r : f32
  } -> tensor<2x9x8xf32>
  return %o, %e : tensor<2x9x8xf32>, tensor<2x9x7xf32>
}
