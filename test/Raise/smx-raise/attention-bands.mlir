// RUN: softmax-opt %s --smx-raise | FileCheck %s

#row = affine_map<(b, i, j) -> (i, j)>
#full = affine_map<(b, i, j) -> (b, i, j)>

// Positions compared in the body.
// CHECK-LABEL: @causal
func.func @causal(%q: tensor<2x4x16xf32>, %k: tensor<2x16x6xf32>, %v: tensor<2x6x5xf32>) -> tensor<2x4x5xf32> {
  // CHECK: smx.attention {{.*}} scale(1.000000e+00) mask(#smx.band<top_left, right = 0>) :
  %zs = arith.constant dense<0.0> : tensor<2x4x6xf32>
  %zo = arith.constant dense<0.0> : tensor<2x4x5xf32>
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<2x4x6xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x4x16xf32>, tensor<2x16x6xf32>) outs(%zs : tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %t = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x4x6xf32>) outs(%es : tensor<2x4x6xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %seen = arith.cmpi sle, %j, %i : index
    %r = arith.select %seen, %a, %hidden : f32
    linalg.yield %r : f32
  } -> tensor<2x4x6xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x4x6xf32>) outs(%es : tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x4x6xf32>, tensor<2x6x5xf32>) outs(%zo : tensor<2x4x5xf32>) -> tensor<2x4x5xf32>
  return %o : tensor<2x4x5xf32>
}

// Compared the other way round, as integers, and an off-by-one that is kept.
// CHECK-LABEL: @strictly_causal_plus_two
func.func @strictly_causal_plus_two(%q: tensor<2x4x16xf32>, %k: tensor<2x16x6xf32>, %v: tensor<2x6x5xf32>) -> tensor<2x4x5xf32> {
  // CHECK: smx.attention {{.*}} scale(1.000000e+00) mask(#smx.band<top_left, right = 1>) :
  %zs = arith.constant dense<0.0> : tensor<2x4x6xf32>
  %zo = arith.constant dense<0.0> : tensor<2x4x5xf32>
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<2x4x6xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x4x16xf32>, tensor<2x16x6xf32>) outs(%zs : tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %t = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x4x6xf32>) outs(%es : tensor<2x4x6xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %ii = arith.index_cast %i : index to i64
    %ji = arith.index_cast %j : index to i64
    %two = arith.constant 2 : i64
    %i2 = arith.addi %ii, %two : i64
    %drop = arith.cmpi sle, %i2, %ji : i64
    %r = arith.select %drop, %hidden, %a : f32
    linalg.yield %r : f32
  } -> tensor<2x4x6xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x4x6xf32>) outs(%es : tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x4x6xf32>, tensor<2x6x5xf32>) outs(%zo : tensor<2x4x5xf32>) -> tensor<2x4x5xf32>
  return %o : tensor<2x4x5xf32>
}

// Added 0 or -inf; aligned at the last key.
// CHECK-LABEL: @bottom_right
func.func @bottom_right(%q: tensor<2x4x16xf32>, %k: tensor<2x16x6xf32>, %v: tensor<2x6x5xf32>) -> tensor<2x4x5xf32> {
  // CHECK: smx.attention {{.*}} scale(1.000000e+00) mask(#smx.band<bottom_right, right = 0>) :
  %zs = arith.constant dense<0.0> : tensor<2x4x6xf32>
  %zo = arith.constant dense<0.0> : tensor<2x4x5xf32>
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<2x4x6xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x4x16xf32>, tensor<2x16x6xf32>) outs(%zs : tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %t = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x4x6xf32>) outs(%es : tensor<2x4x6xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %two = arith.constant 2 : index
    %d = arith.subi %j, %i : index
    %seen = arith.cmpi sle, %d, %two : index
    %m = arith.select %seen, %zero, %hidden : f32
    %r = arith.addf %a, %m : f32
    linalg.yield %r : f32
  } -> tensor<2x4x6xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x4x6xf32>) outs(%es : tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x4x6xf32>, tensor<2x6x5xf32>) outs(%zo : tensor<2x4x5xf32>) -> tensor<2x4x5xf32>
  return %o : tensor<2x4x5xf32>
}

// Two conditions make a window.
// CHECK-LABEL: @window
func.func @window(%q: tensor<2x4x16xf32>, %k: tensor<2x16x6xf32>, %v: tensor<2x6x5xf32>) -> tensor<2x4x5xf32> {
  // CHECK: smx.attention {{.*}} scale(1.000000e+00) mask(#smx.band<top_left, left = 2, right = 0>) :
  %zs = arith.constant dense<0.0> : tensor<2x4x6xf32>
  %zo = arith.constant dense<0.0> : tensor<2x4x5xf32>
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<2x4x6xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x4x16xf32>, tensor<2x16x6xf32>) outs(%zs : tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %t = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x4x6xf32>) outs(%es : tensor<2x4x6xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %three = arith.constant 3 : index
    %j3 = arith.addi %j, %three : index
    %c0 = arith.cmpi sle, %j, %i : index
    %c1 = arith.cmpi slt, %i, %j3 : index
    %seen = arith.andi %c0, %c1 : i1
    %r = arith.select %seen, %a, %hidden : f32
    linalg.yield %r : f32
  } -> tensor<2x4x6xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x4x6xf32>) outs(%es : tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x4x6xf32>, tensor<2x6x5xf32>) outs(%zo : tensor<2x4x5xf32>) -> tensor<2x4x5xf32>
  return %o : tensor<2x4x5xf32>
}

// Every row sees a key: the lowest finite value hides as -inf does.
// CHECK-LABEL: @causal_finite
func.func @causal_finite(%q: tensor<2x4x16xf32>, %k: tensor<2x16x6xf32>, %v: tensor<2x6x5xf32>) -> tensor<2x4x5xf32> {
  // CHECK: smx.attention {{.*}} scale(1.000000e+00) mask(#smx.band<top_left, right = 0>) :
  %zs = arith.constant dense<0.0> : tensor<2x4x6xf32>
  %zo = arith.constant dense<0.0> : tensor<2x4x5xf32>
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant -3.40282347E+38 : f32
  %es = tensor.empty() : tensor<2x4x6xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x4x16xf32>, tensor<2x16x6xf32>) outs(%zs : tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %t = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x4x6xf32>) outs(%es : tensor<2x4x6xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %seen = arith.cmpi sle, %j, %i : index
    %r = arith.select %seen, %a, %hidden : f32
    linalg.yield %r : f32
  } -> tensor<2x4x6xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x4x6xf32>) outs(%es : tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x4x6xf32>, tensor<2x6x5xf32>) outs(%zo : tensor<2x4x5xf32>) -> tensor<2x4x5xf32>
  return %o : tensor<2x4x5xf32>
}

// The first row sees no key: a finite value stays in the score.
// CHECK-LABEL: @finite_empty_row
func.func @finite_empty_row(%q: tensor<2x4x16xf32>, %k: tensor<2x16x6xf32>, %v: tensor<2x6x5xf32>) -> tensor<2x4x5xf32> {
  // CHECK: smx.attention {{.*}} scale(1.000000e+00) score {
  %zs = arith.constant dense<0.0> : tensor<2x4x6xf32>
  %zo = arith.constant dense<0.0> : tensor<2x4x5xf32>
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant -3.40282347E+38 : f32
  %es = tensor.empty() : tensor<2x4x6xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x4x16xf32>, tensor<2x16x6xf32>) outs(%zs : tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %t = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x4x6xf32>) outs(%es : tensor<2x4x6xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %seen = arith.cmpi slt, %j, %i : index
    %r = arith.select %seen, %a, %hidden : f32
    linalg.yield %r : f32
  } -> tensor<2x4x6xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x4x6xf32>) outs(%es : tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x4x6xf32>, tensor<2x6x5xf32>) outs(%zo : tensor<2x4x5xf32>) -> tensor<2x4x5xf32>
  return %o : tensor<2x4x5xf32>
}

// Other scores may be -inf: a finite value stays in the score.
// CHECK-LABEL: @finite_beside_bias
func.func @finite_beside_bias(%q: tensor<2x4x16xf32>, %k: tensor<2x16x6xf32>, %v: tensor<2x6x5xf32>, %bias: tensor<4x6xf32>) -> tensor<2x4x5xf32> {
  // CHECK: smx.attention {{.*}} scale(1.000000e+00) score {
  %zs = arith.constant dense<0.0> : tensor<2x4x6xf32>
  %zo = arith.constant dense<0.0> : tensor<2x4x5xf32>
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant -3.40282347E+38 : f32
  %es = tensor.empty() : tensor<2x4x6xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x4x16xf32>, tensor<2x16x6xf32>) outs(%zs : tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %t = linalg.generic {indexing_maps = [#full, #row, #full], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %bias : tensor<2x4x6xf32>, tensor<4x6xf32>) outs(%es : tensor<2x4x6xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %seen = arith.cmpi sle, %j, %i : index
    %ab = arith.addf %a, %b : f32
    %r = arith.select %seen, %ab, %hidden : f32
    linalg.yield %r : f32
  } -> tensor<2x4x6xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x4x6xf32>) outs(%es : tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x4x6xf32>, tensor<2x6x5xf32>) outs(%zo : tensor<2x4x5xf32>) -> tensor<2x4x5xf32>
  return %o : tensor<2x4x5xf32>
}

// A constant that is a band, exactly.
// CHECK-LABEL: @constant
func.func @constant(%q: tensor<2x4x16xf32>, %k: tensor<2x16x6xf32>, %v: tensor<2x6x5xf32>) -> tensor<2x4x5xf32> {
  // CHECK: smx.attention {{.*}} scale(1.000000e+00) mask(#smx.band<top_left, right = 0>) :
  %zs = arith.constant dense<0.0> : tensor<2x4x6xf32>
  %zo = arith.constant dense<0.0> : tensor<2x4x5xf32>
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %mask = arith.constant dense<[[true,false,false,false,false,false],[true,true,false,false,false,false],[true,true,true,false,false,false],[true,true,true,true,false,false]]> : tensor<4x6xi1>
  %es = tensor.empty() : tensor<2x4x6xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x4x16xf32>, tensor<2x16x6xf32>) outs(%zs : tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %t = linalg.generic {indexing_maps = [#full, #row, #full], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %mask : tensor<2x4x6xf32>, tensor<4x6xi1>) outs(%es : tensor<2x4x6xf32>) {
  ^bb0(%a: f32, %b: i1, %out: f32):
    %r = arith.select %b, %a, %hidden : f32
    linalg.yield %r : f32
  } -> tensor<2x4x6xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x4x6xf32>) outs(%es : tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x4x6xf32>, tensor<2x6x5xf32>) outs(%zo : tensor<2x4x5xf32>) -> tensor<2x4x5xf32>
  return %o : tensor<2x4x5xf32>
}

// The same in numbers, compared with 0.
// CHECK-LABEL: @constant_compared
func.func @constant_compared(%q: tensor<2x4x16xf32>, %k: tensor<2x16x6xf32>, %v: tensor<2x6x5xf32>) -> tensor<2x4x5xf32> {
  // CHECK: smx.attention {{.*}} scale(1.000000e+00) mask(#smx.band<top_left, right = 0>) :
  %zs = arith.constant dense<0.0> : tensor<2x4x6xf32>
  %zo = arith.constant dense<0.0> : tensor<2x4x5xf32>
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %mask = arith.constant dense<[[1.0, 0.0, 0.0, 0.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0, 0.0, 0.0], [1.0, 1.0, 1.0, 0.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0, 0.0, 0.0]]> : tensor<4x6xf32>
  %es = tensor.empty() : tensor<2x4x6xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x4x16xf32>, tensor<2x16x6xf32>) outs(%zs : tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %t = linalg.generic {indexing_maps = [#full, #row, #full], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %mask : tensor<2x4x6xf32>, tensor<4x6xf32>) outs(%es : tensor<2x4x6xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %drop = arith.cmpf oeq, %b, %zero : f32
    %r = arith.select %drop, %hidden, %a : f32
    linalg.yield %r : f32
  } -> tensor<2x4x6xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x4x6xf32>) outs(%es : tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x4x6xf32>, tensor<2x6x5xf32>) outs(%zo : tensor<2x4x5xf32>) -> tensor<2x4x5xf32>
  return %o : tensor<2x4x5xf32>
}

// One element is off the band: the constant is read instead.
// CHECK-LABEL: @constant_with_a_hole
func.func @constant_with_a_hole(%q: tensor<2x4x16xf32>, %k: tensor<2x16x6xf32>, %v: tensor<2x6x5xf32>) -> tensor<2x4x5xf32> {
  // CHECK: smx.attention {{.*}} scale(1.000000e+00) visible {
  %zs = arith.constant dense<0.0> : tensor<2x4x6xf32>
  %zo = arith.constant dense<0.0> : tensor<2x4x5xf32>
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %mask = arith.constant dense<[[true,false,false,false,false,false],[true,true,false,false,false,false],[true,false,true,false,false,false],[true,true,true,true,false,false]]> : tensor<4x6xi1>
  %es = tensor.empty() : tensor<2x4x6xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x4x16xf32>, tensor<2x16x6xf32>) outs(%zs : tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %t = linalg.generic {indexing_maps = [#full, #row, #full], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %mask : tensor<2x4x6xf32>, tensor<4x6xi1>) outs(%es : tensor<2x4x6xf32>) {
  ^bb0(%a: f32, %b: i1, %out: f32):
    %r = arith.select %b, %a, %hidden : f32
    linalg.yield %r : f32
  } -> tensor<2x4x6xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x4x6xf32>) outs(%es : tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x4x6xf32>, tensor<2x6x5xf32>) outs(%zo : tensor<2x4x5xf32>) -> tensor<2x4x5xf32>
  return %o : tensor<2x4x5xf32>
}

// A prefix of keys is no band: it is computed in a region.
// CHECK-LABEL: @prefix
func.func @prefix(%q: tensor<2x4x16xf32>, %k: tensor<2x16x6xf32>, %v: tensor<2x6x5xf32>) -> tensor<2x4x5xf32> {
  // CHECK: smx.attention {{.*}} scale(1.000000e+00) visible {
  %zs = arith.constant dense<0.0> : tensor<2x4x6xf32>
  %zo = arith.constant dense<0.0> : tensor<2x4x5xf32>
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<2x4x6xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x4x16xf32>, tensor<2x16x6xf32>) outs(%zs : tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %t = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x4x6xf32>) outs(%es : tensor<2x4x6xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %three = arith.constant 3 : index
    %seen = arith.cmpi slt, %j, %three : index
    %r = arith.select %seen, %a, %hidden : f32
    linalg.yield %r : f32
  } -> tensor<2x4x6xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x4x6xf32>) outs(%es : tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x4x6xf32>, tensor<2x6x5xf32>) outs(%zo : tensor<2x4x5xf32>) -> tensor<2x4x5xf32>
  return %o : tensor<2x4x5xf32>
}

// Positions are not negative: they compare without a sign as with one.
// CHECK-LABEL: @unsigned
func.func @unsigned(%q: tensor<2x4x16xf32>, %k: tensor<2x16x6xf32>, %v: tensor<2x6x5xf32>) -> tensor<2x4x5xf32> {
  // CHECK: smx.attention {{.*}} mask(#smx.band<top_left, right = 0>)
  %zs = arith.constant dense<0.0> : tensor<2x4x6xf32>
  %zo = arith.constant dense<0.0> : tensor<2x4x5xf32>
  %hidden = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<2x4x6xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x4x16xf32>, tensor<2x16x6xf32>) outs(%zs : tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %t = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x4x6xf32>) outs(%es : tensor<2x4x6xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %seen = arith.cmpi ule, %j, %i : index
    %r = arith.select %seen, %a, %hidden : f32
    linalg.yield %r : f32
  } -> tensor<2x4x6xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x4x6xf32>) outs(%es : tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x4x6xf32>, tensor<2x6x5xf32>) outs(%zo : tensor<2x4x5xf32>) -> tensor<2x4x5xf32>
  return %o : tensor<2x4x5xf32>
}

// What may be negative does not: a window of two keys, and no band for what wraps around.
// CHECK-LABEL: @unsigned_difference
func.func @unsigned_difference(%q: tensor<2x4x16xf32>, %k: tensor<2x16x6xf32>, %v: tensor<2x6x5xf32>) -> tensor<2x4x5xf32> {
  // CHECK: smx.attention {{.*}} visible {
  %zs = arith.constant dense<0.0> : tensor<2x4x6xf32>
  %zo = arith.constant dense<0.0> : tensor<2x4x5xf32>
  %hidden = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<2x4x6xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x4x16xf32>, tensor<2x16x6xf32>) outs(%zs : tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %t = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x4x6xf32>) outs(%es : tensor<2x4x6xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %two = arith.constant 2 : index
    %back = arith.subi %i, %j : index
    %seen = arith.cmpi ult, %back, %two : index
    %r = arith.select %seen, %a, %hidden : f32
    linalg.yield %r : f32
  } -> tensor<2x4x6xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x4x6xf32>) outs(%es : tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x4x6xf32>, tensor<2x6x5xf32>) outs(%zo : tensor<2x4x5xf32>) -> tensor<2x4x5xf32>
  return %o : tensor<2x4x5xf32>
}
