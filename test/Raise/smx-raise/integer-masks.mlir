// RUN: softmax-opt %s --smx-raise | FileCheck %s

// Masks of integers that wrap, that are not exact as a double, or whose sign is that of an i1.

#full = affine_map<(b, i, j) -> (b, i, j)>
#both = affine_map<(b, i, j) -> (i, j)>

// A hash that is negative where it wraps.
// CHECK-LABEL: @wraps
func.func @wraps(%q: tensor<2x7x16xf32>, %k: tensor<2x16x9xf32>, %v: tensor<2x9x5xf32>) -> tensor<2x7x5xf32> {
  // CHECK: smx.attention {{.*}} scale(1.000000e+00) visible {
  // CHECK: arith.muli
  %zs = arith.constant dense<0.0> : tensor<2x7x9xf32>
  %zo = arith.constant dense<0.0> : tensor<2x7x5xf32>
  %hidden = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<2x7x9xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x7x16xf32>, tensor<2x16x9xf32>) outs(%zs : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %t = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x7x9xf32>) outs(%es : tensor<2x7x9xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %j32 = arith.index_cast %j : index to i32
    %one = arith.constant 1 : i32
    %zero = arith.constant 0 : i32
    %prime = arith.constant -1640531527 : i32
    %x = arith.addi %j32, %one : i32
    %h = arith.muli %x, %prime : i32
    %c = arith.cmpi sge, %h, %zero : i32
    %r = arith.select %c, %a, %hidden : f32
    linalg.yield %r : f32
  } -> tensor<2x7x9xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x7x9xf32>) outs(%es : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x7x9xf32>, tensor<2x9x5xf32>) outs(%zo : tensor<2x7x5xf32>) -> tensor<2x7x5xf32>
  return %o : tensor<2x7x5xf32>
}

// The same, widened: what has wrapped is no affine function of the position.
// CHECK-LABEL: @wraps_then_widens
func.func @wraps_then_widens(%q: tensor<2x7x16xf32>, %k: tensor<2x16x9xf32>, %v: tensor<2x9x5xf32>) -> tensor<2x7x5xf32> {
  // CHECK: smx.attention {{.*}} scale(1.000000e+00) visible {
  // CHECK: arith.muli
  %zs = arith.constant dense<0.0> : tensor<2x7x9xf32>
  %zo = arith.constant dense<0.0> : tensor<2x7x5xf32>
  %hidden = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<2x7x9xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x7x16xf32>, tensor<2x16x9xf32>) outs(%zs : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %t = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x7x9xf32>) outs(%es : tensor<2x7x9xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %j32 = arith.index_cast %j : index to i32
    %one = arith.constant 1 : i32
    %zero = arith.constant 0 : i64
    %prime = arith.constant -1640531527 : i32
    %x = arith.addi %j32, %one : i32
    %h = arith.muli %x, %prime : i32
    %w = arith.extsi %h : i32 to i64
    %c = arith.cmpi sge, %w, %zero : i64
    %r = arith.select %c, %a, %hidden : f32
    linalg.yield %r : f32
  } -> tensor<2x7x9xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x7x9xf32>) outs(%es : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x7x9xf32>, tensor<2x9x5xf32>) outs(%zo : tensor<2x7x5xf32>) -> tensor<2x7x5xf32>
  return %o : tensor<2x7x5xf32>
}

// A negative difference is large where it is widened without its sign.
// CHECK-LABEL: @unsigned_difference
func.func @unsigned_difference(%q: tensor<2x7x16xf32>, %k: tensor<2x16x9xf32>, %v: tensor<2x9x5xf32>) -> tensor<2x7x5xf32> {
  // CHECK: smx.attention {{.*}} scale(1.000000e+00) visible {
  // CHECK: arith.extui
  %zs = arith.constant dense<0.0> : tensor<2x7x9xf32>
  %zo = arith.constant dense<0.0> : tensor<2x7x5xf32>
  %hidden = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<2x7x9xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x7x16xf32>, tensor<2x16x9xf32>) outs(%zs : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %t = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x7x9xf32>) outs(%es : tensor<2x7x9xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %i32 = arith.index_cast %i : index to i32
    %j32 = arith.index_cast %j : index to i32
    %zero = arith.constant 0 : i64
    %d = arith.subi %i32, %j32 : i32
    %u = arith.extui %d : i32 to i64
    %c = arith.cmpi sge, %u, %zero : i64
    %r = arith.select %c, %a, %hidden : f32
    linalg.yield %r : f32
  } -> tensor<2x7x9xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x7x9xf32>) outs(%es : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x7x9xf32>, tensor<2x9x5xf32>) outs(%zo : tensor<2x7x5xf32>) -> tensor<2x7x5xf32>
  return %o : tensor<2x7x5xf32>
}

// The same as an index.
// CHECK-LABEL: @unsigned_index
func.func @unsigned_index(%q: tensor<2x7x16xf32>, %k: tensor<2x16x9xf32>, %v: tensor<2x9x5xf32>) -> tensor<2x7x5xf32> {
  // CHECK: smx.attention {{.*}} scale(1.000000e+00) visible {
  // CHECK: arith.index_castui
  %zs = arith.constant dense<0.0> : tensor<2x7x9xf32>
  %zo = arith.constant dense<0.0> : tensor<2x7x5xf32>
  %hidden = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<2x7x9xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x7x16xf32>, tensor<2x16x9xf32>) outs(%zs : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %t = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x7x9xf32>) outs(%es : tensor<2x7x9xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %i32 = arith.index_cast %i : index to i32
    %j32 = arith.index_cast %j : index to i32
    %zero = arith.constant 0 : index
    %d = arith.subi %i32, %j32 : i32
    %u = arith.index_castui %d : i32 to index
    %c = arith.cmpi sge, %u, %zero : index
    %r = arith.select %c, %a, %hidden : f32
    linalg.yield %r : f32
  } -> tensor<2x7x9xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x7x9xf32>) outs(%es : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x7x9xf32>, tensor<2x9x5xf32>) outs(%zo : tensor<2x7x5xf32>) -> tensor<2x7x5xf32>
  return %o : tensor<2x7x5xf32>
}

// No position is below the lowest integer: a difference to it wraps.
// CHECK-LABEL: @lowest_bound
func.func @lowest_bound(%q: tensor<2x7x16xf32>, %k: tensor<2x16x9xf32>, %v: tensor<2x9x5xf32>) -> tensor<2x7x5xf32> {
  // CHECK: smx.attention {{.*}} scale(1.000000e+00) visible {
  // CHECK: arith.cmpi sge
  %zs = arith.constant dense<0.0> : tensor<2x7x9xf32>
  %zo = arith.constant dense<0.0> : tensor<2x7x5xf32>
  %hidden = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<2x7x9xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x7x16xf32>, tensor<2x16x9xf32>) outs(%zs : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %t = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x7x9xf32>) outs(%es : tensor<2x7x9xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %j64 = arith.index_cast %j : index to i64
    %lowest = arith.constant -9223372036854775808 : i64
    %c = arith.cmpi sge, %j64, %lowest : i64
    %r = arith.select %c, %a, %hidden : f32
    linalg.yield %r : f32
  } -> tensor<2x7x9xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x7x9xf32>) outs(%es : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x7x9xf32>, tensor<2x9x5xf32>) outs(%zo : tensor<2x7x5xf32>) -> tensor<2x7x5xf32>
  return %o : tensor<2x7x5xf32>
}

// Integers that a double does not hold are kept as they are.
// CHECK-LABEL: @inexact_constants
func.func @inexact_constants(%q: tensor<2x7x16xf32>, %k: tensor<2x16x9xf32>, %v: tensor<2x9x5xf32>) -> tensor<2x7x5xf32> {
  // CHECK: smx.attention {{.*}} scale(1.000000e+00) visible {
  // CHECK: arith.constant -7046029254386353131 : i64
  %zs = arith.constant dense<0.0> : tensor<2x7x9xf32>
  %zo = arith.constant dense<0.0> : tensor<2x7x5xf32>
  %hidden = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<2x7x9xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x7x16xf32>, tensor<2x16x9xf32>) outs(%zs : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %t = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x7x9xf32>) outs(%es : tensor<2x7x9xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %i64 = arith.index_cast %i : index to i64
    %j64 = arith.index_cast %j : index to i64
    %prime = arith.constant -7046029254386353131 : i64
    %low = arith.constant 255 : i64
    %half = arith.constant 128 : i64
    %x = arith.muli %j64, %prime : i64
    %y = arith.xori %x, %i64 : i64
    %h = arith.muli %y, %prime : i64
    %b = arith.andi %h, %low : i64
    %c = arith.cmpi slt, %b, %half : i64
    %r = arith.select %c, %a, %hidden : f32
    linalg.yield %r : f32
  } -> tensor<2x7x9xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x7x9xf32>) outs(%es : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x7x9xf32>, tensor<2x9x5xf32>) outs(%zo : tensor<2x7x5xf32>) -> tensor<2x7x5xf32>
  return %o : tensor<2x7x5xf32>
}

// The same in what is added to the scores.
// CHECK-LABEL: @inexact_scores
func.func @inexact_scores(%q: tensor<2x7x16xf32>, %k: tensor<2x16x9xf32>, %v: tensor<2x9x5xf32>) -> tensor<2x7x5xf32> {
  // CHECK: smx.attention {{.*}} score {
  // CHECK: arith.constant -7046029254386353131 : i64
  %zs = arith.constant dense<0.0> : tensor<2x7x9xf32>
  %zo = arith.constant dense<0.0> : tensor<2x7x5xf32>
  %hidden = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<2x7x9xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x7x16xf32>, tensor<2x16x9xf32>) outs(%zs : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %t = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x7x9xf32>) outs(%es : tensor<2x7x9xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %j64 = arith.index_cast %j : index to i64
    %prime = arith.constant -7046029254386353131 : i64
    %low = arith.constant 255 : i64
    %x = arith.xori %j64, %prime : i64
    %b = arith.andi %x, %low : i64
    %f = arith.sitofp %b : i64 to f32
    %r = arith.addf %a, %f : f32
    linalg.yield %r : f32
  } -> tensor<2x7x9xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x7x9xf32>) outs(%es : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x7x9xf32>, tensor<2x9x5xf32>) outs(%zo : tensor<2x7x5xf32>) -> tensor<2x7x5xf32>
  return %o : tensor<2x7x5xf32>
}

// True is -1 where its sign counts: the scores are negated.
// CHECK-LABEL: @minus_one
func.func @minus_one(%q: tensor<2x7x16xf32>, %k: tensor<2x16x9xf32>, %v: tensor<2x9x5xf32>) -> tensor<2x7x5xf32> {
  // CHECK: smx.attention {{.*}} score {
  // CHECK: arith.mulf
  %zs = arith.constant dense<0.0> : tensor<2x7x9xf32>
  %zo = arith.constant dense<0.0> : tensor<2x7x5xf32>
  %hidden = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<2x7x9xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x7x16xf32>, tensor<2x16x9xf32>) outs(%zs : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %t = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x7x9xf32>) outs(%es : tensor<2x7x9xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %j64 = arith.index_cast %j : index to i64
    %zero = arith.constant 0 : i64
    %always = arith.cmpi sge, %j64, %zero : i64
    %m = arith.sitofp %always : i1 to f32
    %r = arith.mulf %a, %m : f32
    linalg.yield %r : f32
  } -> tensor<2x7x9xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x7x9xf32>) outs(%es : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x7x9xf32>, tensor<2x9x5xf32>) outs(%zo : tensor<2x7x5xf32>) -> tensor<2x7x5xf32>
  return %o : tensor<2x7x5xf32>
}

// The same in a comparison: true < false.
// CHECK-LABEL: @true_is_less
func.func @true_is_less(%q: tensor<2x7x16xf32>, %k: tensor<2x16x9xf32>, %v: tensor<2x9x5xf32>) -> tensor<2x7x5xf32> {
  // CHECK: smx.attention {{.*}} mask(#smx.band<top_left, right = 0>) :
  %zs = arith.constant dense<0.0> : tensor<2x7x9xf32>
  %zo = arith.constant dense<0.0> : tensor<2x7x5xf32>
  %hidden = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<2x7x9xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x7x16xf32>, tensor<2x16x9xf32>) outs(%zs : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %t = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x7x9xf32>) outs(%es : tensor<2x7x9xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %i64 = arith.index_cast %i : index to i64
    %j64 = arith.index_cast %j : index to i64
    %false = arith.constant false
    %above = arith.cmpi sgt, %j64, %i64 : i64
    %c = arith.cmpi slt, %above, %false : i1
    %r = arith.select %c, %hidden, %a : f32
    linalg.yield %r : f32
  } -> tensor<2x7x9xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x7x9xf32>) outs(%es : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x7x9xf32>, tensor<2x9x5xf32>) outs(%zo : tensor<2x7x5xf32>) -> tensor<2x7x5xf32>
  return %o : tensor<2x7x5xf32>
}

// Neither is greater than false.
// CHECK-LABEL: @nothing_is_greater
func.func @nothing_is_greater(%q: tensor<2x7x16xf32>, %k: tensor<2x16x9xf32>, %v: tensor<2x9x5xf32>) -> tensor<2x7x5xf32> {
  // CHECK: smx.attention {{.*}} scale(1.000000e+00) :
  %zs = arith.constant dense<0.0> : tensor<2x7x9xf32>
  %zo = arith.constant dense<0.0> : tensor<2x7x5xf32>
  %hidden = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<2x7x9xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x7x16xf32>, tensor<2x16x9xf32>) outs(%zs : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %t = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x7x9xf32>) outs(%es : tensor<2x7x9xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %i64 = arith.index_cast %i : index to i64
    %j64 = arith.index_cast %j : index to i64
    %false = arith.constant false
    %above = arith.cmpi sgt, %j64, %i64 : i64
    %c = arith.cmpi sgt, %above, %false : i1
    %r = arith.select %c, %hidden, %a : f32
    linalg.yield %r : f32
  } -> tensor<2x7x9xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x7x9xf32>) outs(%es : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x7x9xf32>, tensor<2x9x5xf32>) outs(%zo : tensor<2x7x5xf32>) -> tensor<2x7x5xf32>
  return %o : tensor<2x7x5xf32>
}

// A constant mask of negative integers.
// CHECK-LABEL: @negative_marks
func.func @negative_marks(%q: tensor<2x2x16xf32>, %k: tensor<2x16x2xf32>, %v: tensor<2x2x5xf32>) -> tensor<2x2x5xf32> {
  // CHECK: smx.attention {{.*}} mask(#smx.band<top_left, right = 0>) :
  %zs = arith.constant dense<0.0> : tensor<2x2x2xf32>
  %zo = arith.constant dense<0.0> : tensor<2x2x5xf32>
  %es = tensor.empty() : tensor<2x2x2xf32>
  %hidden = arith.constant 0xFF800000 : f32
  %mark = arith.constant -2 : i32
  %mask = arith.constant dense<[[-2, -1], [-2, -2]]> : tensor<2x2xi32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x2x16xf32>, tensor<2x16x2xf32>) outs(%zs : tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
  %t = linalg.generic {indexing_maps = [#full, #both, #full], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %mask : tensor<2x2x2xf32>, tensor<2x2xi32>) outs(%es : tensor<2x2x2xf32>) {
  ^bb0(%a: f32, %b: i32, %out: f32):
    %c = arith.cmpi sle, %b, %mark : i32
    %r = arith.select %c, %a, %hidden : f32
    linalg.yield %r : f32
  } -> tensor<2x2x2xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x2x2xf32>) outs(%es : tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x2x2xf32>, tensor<2x2x5xf32>) outs(%zo : tensor<2x2x5xf32>) -> tensor<2x2x5xf32>
  return %o : tensor<2x2x5xf32>
}

// Of open extents, differences in 32 bits do not wrap: nothing that is as long is computed in them.
// CHECK-LABEL: @open_extents
func.func @open_extents(%q: tensor<2x?x16xf32>, %k: tensor<2x?x16xf32>, %v: tensor<2x?x5xf32>) -> tensor<2x?x5xf32> {
  // CHECK: smx.attention {{.*}} mask(#smx.band<top_left, left = 3, right = 0>) :
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %c0 = arith.constant 0 : i32
  %window = arith.constant 4 : i32
  %n = tensor.dim %q, %c1 : tensor<2x?x16xf32>
  %m = tensor.dim %k, %c1 : tensor<2x?x16xf32>
  %es = tensor.empty(%n, %m) : tensor<2x?x?xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<2x?x?xf32>) -> tensor<2x?x?xf32>
  %eo = tensor.empty(%n) : tensor<2x?x5xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x?x5xf32>) -> tensor<2x?x5xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, i, j, f) -> (b, i, f)>, affine_map<(b, i, j, f) -> (b, j, f)>, affine_map<(b, i, j, f) -> (b, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<2x?x16xf32>, tensor<2x?x16xf32>) outs(%zs : tensor<2x?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %ab = arith.mulf %a, %b : f32
    %sum = arith.addf %acc, %ab : f32
    linalg.yield %sum : f32
  } -> tensor<2x?x?xf32>
  %t = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x?x?xf32>) outs(%es : tensor<2x?x?xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %i32 = arith.index_cast %i : index to i32
    %j32 = arith.index_cast %j : index to i32
    %d = arith.subi %i32, %j32 : i32
    %causal = arith.cmpi sge, %d, %c0 : i32
    %near = arith.cmpi slt, %d, %window : i32
    %c = arith.andi %causal, %near : i1
    %r = arith.select %c, %a, %hidden : f32
    linalg.yield %r : f32
  } -> tensor<2x?x?xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x?x?xf32>) outs(%es : tensor<2x?x?xf32>) -> tensor<2x?x?xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x?x?xf32>, tensor<2x?x5xf32>) outs(%zo : tensor<2x?x5xf32>) -> tensor<2x?x5xf32>
  return %o : tensor<2x?x5xf32>
}

// A sum of 8 bits wraps from key 5 on.
// CHECK-LABEL: @narrow_table
func.func @narrow_table(%q: tensor<2x7x16xf32>, %k: tensor<2x16x9xf32>, %v: tensor<2x9x5xf32>) -> tensor<2x7x5xf32> {
  // CHECK: smx.attention {{.*}} scale(1.000000e+00) visible {
  %zs = arith.constant dense<0.0> : tensor<2x7x9xf32>
  %zo = arith.constant dense<0.0> : tensor<2x7x5xf32>
  %es = tensor.empty() : tensor<2x7x9xf32>
  %ninf = arith.constant 0xFF800000 : f32
  %pos = arith.constant dense<[0,1,2,3,4,5,6,7,8]> : tensor<9xi8>
  %c123 = arith.constant 123 : i8
  %c123i32 = arith.constant 123 : i32
  %t = linalg.batch_matmul ins(%q, %k : tensor<2x7x16xf32>, tensor<2x16x9xf32>) outs(%zs : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %m = linalg.generic {indexing_maps = [#full, affine_map<(b, i, j) -> (j)>, #full], iterator_types = ["parallel", "parallel", "parallel"]} ins(%t, %pos : tensor<2x7x9xf32>, tensor<9xi8>) outs(%es : tensor<2x7x9xf32>) {
  ^bb0(%a: f32, %b: i8, %out: f32):
    %i = linalg.index 1 : index
    %i32 = arith.index_cast %i : index to i32
    %sum = arith.addi %b, %c123 : i8
    %w = arith.extsi %sum : i8 to i32
    %w2 = arith.subi %w, %c123i32 : i32
    %see = arith.cmpi sle, %w2, %i32 : i32
    %r = arith.select %see, %a, %ninf : f32
    linalg.yield %r : f32
  } -> tensor<2x7x9xf32>
  %p = linalg.softmax dimension(2) ins(%m : tensor<2x7x9xf32>) outs(%es : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x7x9xf32>, tensor<2x9x5xf32>) outs(%zo : tensor<2x7x5xf32>) -> tensor<2x7x5xf32>
  return %o : tensor<2x7x5xf32>
}
