// RUN: softmax-opt %s --smx-raise --split-input-file | FileCheck %s

// What is computed of a part of a row, or read of a part of a tensor, is not taken for the whole.

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// The sum is that of the first 4 columns of an open row.
// CHECK-LABEL: @sum_of_a_part
func.func @sum_of_a_part(%x: tensor<5x?xf32>) -> tensor<5x?xf32> {
  // CHECK-NOT: smx.
  // CHECK: return
  %ninf = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<5x?xf32>
  %e = tensor.empty(%n) : tensor<5x?xf32>
  %er = tensor.empty() : tensor<5xf32>
  %fr = linalg.fill ins(%ninf : f32) outs(%er : tensor<5xf32>) -> tensor<5xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%er : tensor<5xf32>) -> tensor<5xf32>
  %m = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
     ins(%x : tensor<5x?xf32>) outs(%fr : tensor<5xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %r = arith.maximumf %a, %acc : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  %ex = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
     ins(%x, %m : tensor<5x?xf32>, tensor<5xf32>) outs(%e : tensor<5x?xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %d = arith.subf %a, %b : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<5x?xf32>
  %exs = tensor.extract_slice %ex[0, 0] [5, 4] [1, 1] : tensor<5x?xf32> to tensor<5x4xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
     ins(%exs : tensor<5x4xf32>) outs(%f0 : tensor<5xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %r = arith.addf %a, %acc : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  %o = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
     ins(%ex, %s : tensor<5x?xf32>, tensor<5xf32>) outs(%e : tensor<5x?xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %r = arith.divf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<5x?xf32>
  return %o : tensor<5x?xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// The same where the part has lost its size.
// CHECK-LABEL: @maximum_of_a_part
func.func @maximum_of_a_part(%x: tensor<5x9xf32>) -> tensor<5x9xf32> {
  // CHECK-NOT: smx.
  // CHECK: return
  %ninf = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5x9xf32>
  %er = tensor.empty() : tensor<5xf32>
  %sl = tensor.extract_slice %x[0, 0] [5, 4] [1, 1] : tensor<5x9xf32> to tensor<5x4xf32>
  %sd = tensor.cast %sl : tensor<5x4xf32> to tensor<5x?xf32>
  %fr = linalg.fill ins(%ninf : f32) outs(%er : tensor<5xf32>) -> tensor<5xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%er : tensor<5xf32>) -> tensor<5xf32>
  %m = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
     ins(%sd : tensor<5x?xf32>) outs(%fr : tensor<5xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %r = arith.maximumf %a, %acc : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  %ex = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
     ins(%x, %m : tensor<5x9xf32>, tensor<5xf32>) outs(%e : tensor<5x9xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %d = arith.subf %a, %b : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<5x9xf32>
  %exs = tensor.extract_slice %ex[0, 0] [5, 4] [1, 1] : tensor<5x9xf32> to tensor<5x4xf32>
  %exd = tensor.cast %exs : tensor<5x4xf32> to tensor<5x?xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
     ins(%exd : tensor<5x?xf32>) outs(%f0 : tensor<5xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %r = arith.addf %a, %acc : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  %o = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
     ins(%ex, %s : tensor<5x9xf32>, tensor<5xf32>) outs(%e : tensor<5x9xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %r = arith.divf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<5x9xf32>
  return %o : tensor<5x9xf32>
}

// -----

// The log-sum-exp of a part of the row is subtracted from all of it.
// CHECK-LABEL: @log_sum_of_a_part
func.func @log_sum_of_a_part(%x: tensor<4x10xf32>) -> tensor<4x10xf32> {
  // CHECK-NOT: smx.log_softmax
  // CHECK: return
  %ninf = arith.constant dense<0xFF800000> : tensor<4xf32>
  %z = arith.constant dense<0.0> : tensor<4xf32>
  %s = tensor.extract_slice %x[0, 0] [4, 5] [1, 1] : tensor<4x10xf32> to tensor<4x5xf32>
  %m = linalg.reduce { arith.maximumf } ins(%s : tensor<4x5xf32>) outs(%ninf : tensor<4xf32>) dimensions = [1]
  %e5 = tensor.empty() : tensor<4x5xf32>
  %mb5 = linalg.broadcast ins(%m : tensor<4xf32>) outs(%e5 : tensor<4x5xf32>) dimensions = [1]
  %d5 = arith.subf %s, %mb5 : tensor<4x5xf32>
  %p5 = math.exp %d5 : tensor<4x5xf32>
  %l = linalg.reduce { arith.addf } ins(%p5 : tensor<4x5xf32>) outs(%z : tensor<4xf32>) dimensions = [1]
  %ll = math.log %l : tensor<4xf32>
  %lse = arith.addf %m, %ll : tensor<4xf32>
  %e = tensor.empty() : tensor<4x10xf32>
  %lb = linalg.broadcast ins(%lse : tensor<4xf32>) outs(%e : tensor<4x10xf32>) dimensions = [1]
  %y = arith.subf %x, %lb : tensor<4x10xf32>
  return %y : tensor<4x10xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#r1 = affine_map<(i) -> (i)>

// The maximum is that of the open row, the sum that of its first 4 columns.
// CHECK-LABEL: @log_sum_exp_of_a_part
func.func @log_sum_exp_of_a_part(%x: tensor<5x?xf32>) -> tensor<5xf32> {
  // CHECK-NOT: smx.
  // CHECK: return
  %ninf = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<5x?xf32>
  %e = tensor.empty(%n) : tensor<5x?xf32>
  %er = tensor.empty() : tensor<5xf32>
  %fr = linalg.fill ins(%ninf : f32) outs(%er : tensor<5xf32>) -> tensor<5xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%er : tensor<5xf32>) -> tensor<5xf32>
  %m = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
     ins(%x : tensor<5x?xf32>) outs(%fr : tensor<5xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %r = arith.maximumf %a, %acc : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  %xs = tensor.extract_slice %x[0, 0] [5, 4] [1, 1] : tensor<5x?xf32> to tensor<5x4xf32>
  %s = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
     ins(%xs, %m : tensor<5x4xf32>, tensor<5xf32>) outs(%f0 : tensor<5xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %d = arith.subf %a, %b : f32
    %ee = math.exp %d : f32
    %r = arith.addf %ee, %acc : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  %o = linalg.generic {indexing_maps = [#r1, #r1, #r1], iterator_types = ["parallel"]}
     ins(%s, %m : tensor<5xf32>, tensor<5xf32>) outs(%er : tensor<5xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %l = math.log %a : f32
    %r = arith.addf %l, %b : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  return %o : tensor<5xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// The first 4 columns are -inf: the guard of the row stays.
// CHECK-LABEL: @guard_of_a_part
func.func @guard_of_a_part(%x: tensor<5x9xf32>) -> tensor<5x9xf32> {
  // CHECK: smx.softmax %{{.+}} axis(1) : tensor
  // CHECK: arith.select
  %ninf = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5x9xf32>
  %er = tensor.empty() : tensor<5xf32>
  %p = linalg.softmax dimension(1) ins(%x : tensor<5x9xf32>) outs(%e : tensor<5x9xf32>) -> tensor<5x9xf32>
  %sl = tensor.extract_slice %x[0, 0] [5, 4] [1, 1] : tensor<5x9xf32> to tensor<5x4xf32>
  %fr = linalg.fill ins(%ninf : f32) outs(%er : tensor<5xf32>) -> tensor<5xf32>
  %m = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
     ins(%sl : tensor<5x4xf32>) outs(%fr : tensor<5xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %r = arith.maximumf %a, %acc : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  %o = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
     ins(%p, %m : tensor<5x9xf32>, tensor<5xf32>) outs(%e : tensor<5x9xf32>) {
  ^bb0(%w: f32, %mm: f32, %out: f32):
    %c = arith.cmpf oeq, %mm, %ninf : f32
    %r = arith.select %c, %zero, %w : f32
    linalg.yield %r : f32
  } -> tensor<5x9xf32>
  return %o : tensor<5x9xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// The same, asked of each.
// CHECK-LABEL: @every_of_a_part
func.func @every_of_a_part(%x: tensor<5x9xf32>) -> tensor<5x9xf32> {
  // CHECK: smx.softmax %{{.+}} axis(1) : tensor
  // CHECK: arith.select
  %ninf = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  %e = tensor.empty() : tensor<5x9xf32>
  %er = tensor.empty() : tensor<5xi1>
  %p = linalg.softmax dimension(1) ins(%x : tensor<5x9xf32>) outs(%e : tensor<5x9xf32>) -> tensor<5x9xf32>
  %sl = tensor.extract_slice %x[0, 0] [5, 4] [1, 1] : tensor<5x9xf32> to tensor<5x4xf32>
  %fr = linalg.fill ins(%true : i1) outs(%er : tensor<5xi1>) -> tensor<5xi1>
  %m = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
     ins(%sl : tensor<5x4xf32>) outs(%fr : tensor<5xi1>) {
  ^bb0(%a: f32, %acc: i1):
    %c = arith.cmpf oeq, %a, %ninf : f32
    %r = arith.andi %c, %acc : i1
    linalg.yield %r : i1
  } -> tensor<5xi1>
  %o = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
     ins(%p, %m : tensor<5x9xf32>, tensor<5xi1>) outs(%e : tensor<5x9xf32>) {
  ^bb0(%w: f32, %c: i1, %out: f32):
    %r = arith.select %c, %zero, %w : f32
    linalg.yield %r : f32
  } -> tensor<5x9xf32>
  return %o : tensor<5x9xf32>
}

// -----

// 4 rows of an open number of scores.
// CHECK-LABEL: @queries_in_part
func.func @queries_in_part(%q: tensor<2x?x16xf32>, %k: tensor<2x16x9xf32>, %v: tensor<2x9x5xf32>) -> tensor<2x4x5xf32> {
  // CHECK: smx.softmax
  // CHECK-NOT: smx.attention
  // CHECK: return
  %zero = arith.constant 0.0 : f32
  %c1 = arith.constant 1 : index
  %n = tensor.dim %q, %c1 : tensor<2x?x16xf32>
  %es = tensor.empty(%n) : tensor<2x?x9xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<2x?x9xf32>) -> tensor<2x?x9xf32>
  %zo = arith.constant dense<0.0> : tensor<2x4x5xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x?x16xf32>, tensor<2x16x9xf32>) outs(%zs : tensor<2x?x9xf32>) -> tensor<2x?x9xf32>
  %t = tensor.extract_slice %s[0, 0, 0] [2, 4, 9] [1, 1, 1] : tensor<2x?x9xf32> to tensor<2x4x9xf32>
  %e4 = tensor.empty() : tensor<2x4x9xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x4x9xf32>) outs(%e4 : tensor<2x4x9xf32>) -> tensor<2x4x9xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x4x9xf32>, tensor<2x9x5xf32>) outs(%zo : tensor<2x4x5xf32>) -> tensor<2x4x5xf32>
  return %o : tensor<2x4x5xf32>
}

// -----

// 4 keys of an open number.
// CHECK-LABEL: @keys_in_part
func.func @keys_in_part(%q: tensor<2x7x16xf32>, %k: tensor<2x16x?xf32>, %v: tensor<2x4x5xf32>) -> tensor<2x7x5xf32> {
  // CHECK: smx.softmax
  // CHECK-NOT: smx.attention
  // CHECK: return
  %zero = arith.constant 0.0 : f32
  %c2 = arith.constant 2 : index
  %n = tensor.dim %k, %c2 : tensor<2x16x?xf32>
  %es = tensor.empty(%n) : tensor<2x7x?xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<2x7x?xf32>) -> tensor<2x7x?xf32>
  %zo = arith.constant dense<0.0> : tensor<2x7x5xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x7x16xf32>, tensor<2x16x?xf32>) outs(%zs : tensor<2x7x?xf32>) -> tensor<2x7x?xf32>
  %t = tensor.extract_slice %s[0, 0, 0] [2, 7, 4] [1, 1, 1] : tensor<2x7x?xf32> to tensor<2x7x4xf32>
  %e4 = tensor.empty() : tensor<2x7x4xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x7x4xf32>) outs(%e4 : tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x7x4xf32>, tensor<2x4x5xf32>) outs(%zo : tensor<2x7x5xf32>) -> tensor<2x7x5xf32>
  return %o : tensor<2x7x5xf32>
}

// -----

// The first values of an open number of them.
// CHECK-LABEL: @values_in_part
func.func @values_in_part(%q: tensor<2x7x16xf32>, %k: tensor<2x16x4xf32>, %v: tensor<2x?x5xf32>) -> tensor<2x7x5xf32> {
  // CHECK-NOT: smx.attention %{{.+}}, %{{.+}}, %arg2
  // CHECK: return
  %zs = arith.constant dense<0.0> : tensor<2x7x4xf32>
  %zo = arith.constant dense<0.0> : tensor<2x7x5xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x7x16xf32>, tensor<2x16x4xf32>) outs(%zs : tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
  %e4 = tensor.empty() : tensor<2x7x4xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<2x7x4xf32>) outs(%e4 : tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
  %vs = tensor.extract_slice %v[0, 0, 0] [2, 4, 5] [1, 1, 1] : tensor<2x?x5xf32> to tensor<2x4x5xf32>
  %o = linalg.batch_matmul ins(%p, %vs : tensor<2x7x4xf32>, tensor<2x4x5xf32>) outs(%zo : tensor<2x7x5xf32>) -> tensor<2x7x5xf32>
  return %o : tensor<2x7x5xf32>
}

// -----

// 4 of 9 keys: a copy would run over all.
// CHECK-LABEL: @static_keys_in_part
func.func @static_keys_in_part(%q: tensor<2x7x16xf32>, %k: tensor<2x16x9xf32>, %v: tensor<2x4x5xf32>) -> tensor<2x7x5xf32> {
  // CHECK: smx.softmax
  // CHECK-NOT: smx.attention
  // CHECK: return
  %zero = arith.constant 0.0 : f32
  %c2 = arith.constant 2 : index
  %n = tensor.dim %k, %c2 : tensor<2x16x9xf32>
  %es = tensor.empty() : tensor<2x7x9xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %zo = arith.constant dense<0.0> : tensor<2x7x5xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x7x16xf32>, tensor<2x16x9xf32>) outs(%zs : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %t = tensor.extract_slice %s[0, 0, 0] [2, 7, 4] [1, 1, 1] : tensor<2x7x9xf32> to tensor<2x7x4xf32>
  %e4 = tensor.empty() : tensor<2x7x4xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x7x4xf32>) outs(%e4 : tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x7x4xf32>, tensor<2x4x5xf32>) outs(%zo : tensor<2x7x5xf32>) -> tensor<2x7x5xf32>
  return %o : tensor<2x7x5xf32>
}

// -----

#full = affine_map<(b, i, j) -> (b, i, j)>
#mm = affine_map<(b, i, j) -> (i, j)>
#w = affine_map<(j) -> (1, j)>

// A mask of which only row 1 is written: the others are as they were.
// CHECK-LABEL: @one_row_written
func.func @one_row_written(%q: tensor<2x7x16xf32>, %k: tensor<2x16x9xf32>, %v: tensor<2x9x5xf32>) -> tensor<2x7x5xf32> {
  // CHECK: smx.attention
  // CHECK: tensor.extract
  %zs = arith.constant dense<0.0> : tensor<2x7x9xf32>
  %zo = arith.constant dense<0.0> : tensor<2x7x5xf32>
  %zm = arith.constant dense<0.0> : tensor<7x9xf32>
  %hidden = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %c3 = arith.constant 3 : index
  %es = tensor.empty() : tensor<2x7x9xf32>
  %m = linalg.generic {indexing_maps = [#w], iterator_types = ["parallel"]} outs(%zm : tensor<7x9xf32>) {
  ^bb0(%out: f32):
    %j = linalg.index 0 : index
    %c = arith.cmpi sle, %j, %c3 : index
    %r = arith.select %c, %out, %hidden : f32
    linalg.yield %r : f32
  } -> tensor<7x9xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x7x16xf32>, tensor<2x16x9xf32>) outs(%zs : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %t = linalg.generic {indexing_maps = [#full, #mm, #full], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %m : tensor<2x7x9xf32>, tensor<7x9xf32>) outs(%es : tensor<2x7x9xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x7x9xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x7x9xf32>) outs(%es : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x7x9xf32>, tensor<2x9x5xf32>) outs(%zo : tensor<2x7x5xf32>) -> tensor<2x7x5xf32>
  return %o : tensor<2x7x5xf32>
}

// -----

// 4 of 10 rows of a softmax: the scores are no tensor of 4 rows.
// CHECK-LABEL: @rows_in_part
func.func @rows_in_part(%x: tensor<10x8xf32>) -> tensor<4x8xf32> {
  // CHECK-NOT: smx.
  // CHECK: return
  %ninf = arith.constant dense<0xFF800000> : tensor<10xf32>
  %z = arith.constant dense<0.0> : tensor<10xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<10x8xf32>) outs(%ninf : tensor<10xf32>) dimensions = [1]
  %e10 = tensor.empty() : tensor<10x8xf32>
  %mb = linalg.broadcast ins(%m : tensor<10xf32>) outs(%e10 : tensor<10x8xf32>) dimensions = [1]
  %d = arith.subf %x, %mb : tensor<10x8xf32>
  %p = math.exp %d : tensor<10x8xf32>
  %l = linalg.reduce { arith.addf } ins(%p : tensor<10x8xf32>) outs(%z : tensor<10xf32>) dimensions = [1]
  %lb = linalg.broadcast ins(%l : tensor<10xf32>) outs(%e10 : tensor<10x8xf32>) dimensions = [1]
  %ps = tensor.extract_slice %p[0, 0] [4, 8] [1, 1] : tensor<10x8xf32> to tensor<4x8xf32>
  %ls = tensor.extract_slice %lb[0, 0] [4, 8] [1, 1] : tensor<10x8xf32> to tensor<4x8xf32>
  %y = arith.divf %ps, %ls : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// 7 of 9 rows and 9 of 12 keys of masked scores.
// CHECK-LABEL: @scores_in_part
func.func @scores_in_part(%q: tensor<2x9x16xf32>, %k: tensor<2x16x12xf32>, %v: tensor<2x9x5xf32>) -> tensor<2x7x5xf32> {
  // CHECK: smx.softmax
  // CHECK-NOT: smx.attention
  // CHECK: return
  %zs = arith.constant dense<0.0> : tensor<2x9x12xf32>
  %zo = arith.constant dense<0.0> : tensor<2x7x5xf32>
  %es = tensor.empty() : tensor<2x7x9xf32>
  %ninf = arith.constant 0xFF800000 : f32
  %t = linalg.batch_matmul ins(%q, %k : tensor<2x9x16xf32>, tensor<2x16x12xf32>) outs(%zs : tensor<2x9x12xf32>) -> tensor<2x9x12xf32>
  %el = tensor.empty() : tensor<2x9x12xf32>
  %tm = linalg.map ins(%t : tensor<2x9x12xf32>) outs(%el : tensor<2x9x12xf32>) (%a: f32, %o: f32) {
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %c5 = arith.constant 5 : index
    %i5 = arith.addi %i, %c5 : index
    %see = arith.cmpi sle, %j, %i5 : index
    %r = arith.select %see, %a, %ninf : f32
    linalg.yield %r : f32
  }
  %s = tensor.extract_slice %tm[0,0,0][2,7,9][1,1,1] : tensor<2x9x12xf32> to tensor<2x7x9xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<2x7x9xf32>) outs(%es : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x7x9xf32>, tensor<2x9x5xf32>) outs(%zo : tensor<2x7x5xf32>) -> tensor<2x7x5xf32>
  return %o : tensor<2x7x5xf32>
}

// -----

#map = affine_map<(h,i,j) -> (h,i,j)>

// Keys have 2 heads for 6 of the queries, but values have 6.
// CHECK-LABEL: @heads_of_keys_alone
func.func @heads_of_keys_alone(%q: tensor<6x7x16xf32>, %k: tensor<2x9x16xf32>, %v: tensor<6x9x5xf32>) -> tensor<6x7x5xf32> {
  // CHECK: smx.softmax
  // CHECK-NOT: smx.attention
  // CHECK: return
  %zs = arith.constant dense<0.0> : tensor<6x7x9xf32>
  %zo = arith.constant dense<0.0> : tensor<6x7x5xf32>
  %es = tensor.empty() : tensor<6x7x9xf32>
  %t = linalg.generic {indexing_maps=[affine_map<(h,i,j,d)->(h,i,d)>, affine_map<(h,i,j,d)->(h floordiv 3, j, d)>, affine_map<(h,i,j,d)->(h,i,j)>], iterator_types=["parallel","parallel","parallel","reduction"]} ins(%q, %k : tensor<6x7x16xf32>, tensor<2x9x16xf32>) outs(%zs : tensor<6x7x9xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<6x7x9xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<6x7x9xf32>) outs(%es : tensor<6x7x9xf32>) -> tensor<6x7x9xf32>
  %o = linalg.generic {indexing_maps=[affine_map<(h,i,e,j)->(h,i,j)>, affine_map<(h,i,e,j)->(h,j,e)>, affine_map<(h,i,e,j)->(h,i,e)>], iterator_types=["parallel","parallel","parallel","reduction"]} ins(%p, %v : tensor<6x7x9xf32>, tensor<6x9x5xf32>) outs(%zo : tensor<6x7x5xf32>) {
  ^bb0(%a: f32, %b: f32, %oo: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %oo, %m : f32
    linalg.yield %s : f32
  } -> tensor<6x7x5xf32>
  return %o : tensor<6x7x5xf32>
}
