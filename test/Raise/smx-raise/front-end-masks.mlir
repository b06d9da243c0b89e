// RUN: softmax-opt %s --smx-raise | FileCheck %s

// Masks and biases as PyTorch's and JAX's models build them, out of positions and tables.

#key = affine_map<(b, i, j) -> (j)>
#row = affine_map<(b, i, j) -> (i)>
#both = affine_map<(b, i, j) -> (i, j)>
#full = affine_map<(b, i, j) -> (b, i, j)>

// An index that counts from the end where it is negative, which no position is.
// CHECK-LABEL: @counts_from_the_end
// CHECK-SAME: %[[MASK:[^:]+]]: tensor<2x9xi1>
func.func @counts_from_the_end(%mask: tensor<2x9xi1>, %q: tensor<2x7x16xf32>, %k: tensor<2x16x9xf32>, %v: tensor<2x9x5xf32>) -> tensor<2x7x5xf32> {
  // CHECK: smx.attention {{.*}} scale(1.000000e+00) visible {
  // CHECK-NEXT: ^bb0(%[[B:.+]]: index, %{{.+}}: index, %[[J:.+]]: index):
  // CHECK-NEXT: %[[M:.+]] = tensor.extract %[[MASK]][%[[B]], %[[J]]]
  // CHECK-NEXT: smx.yield %[[M]]
  %zs = arith.constant dense<0.0> : tensor<2x7x9xf32>
  %zo = arith.constant dense<0.0> : tensor<2x7x5xf32>
  %es = tensor.empty() : tensor<2x7x9xf32>
  %hidden = arith.constant 0xFF800000 : f32
  %c0 = arith.constant 0 : index
  %n = arith.constant 9 : index
  %limit = arith.constant 0 : index
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x7x16xf32>, tensor<2x16x9xf32>) outs(%zs : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %t = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x7x9xf32>) outs(%es : tensor<2x7x9xf32>) {
  ^bb0(%a: f32, %out: f32):
    %b = linalg.index 0 : index
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %counts = arith.cmpi slt, %j, %limit : index
    %fromEnd = arith.addi %j, %n : index
    %at = arith.select %counts, %fromEnd, %j : index
    %keep = tensor.extract %mask[%b, %at] : tensor<2x9xi1>
    %r = arith.select %keep, %a, %hidden : f32
    linalg.yield %r : f32
  } -> tensor<2x7x9xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x7x9xf32>) outs(%es : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x7x9xf32>, tensor<2x9x5xf32>) outs(%zo : tensor<2x7x5xf32>) -> tensor<2x7x5xf32>
  return %o : tensor<2x7x5xf32>
}

// The first position is moved, too: the place is no affine function of the position.
// CHECK-LABEL: @one_counts_from_the_end
func.func @one_counts_from_the_end(%mask: tensor<2x9xi1>, %q: tensor<2x7x16xf32>, %k: tensor<2x16x9xf32>, %v: tensor<2x9x5xf32>) -> tensor<2x7x5xf32> {
  // CHECK-NOT: smx.attention
  %zs = arith.constant dense<0.0> : tensor<2x7x9xf32>
  %zo = arith.constant dense<0.0> : tensor<2x7x5xf32>
  %es = tensor.empty() : tensor<2x7x9xf32>
  %hidden = arith.constant 0xFF800000 : f32
  %c0 = arith.constant 0 : index
  %n = arith.constant 8 : index
  %limit = arith.constant 1 : index
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x7x16xf32>, tensor<2x16x9xf32>) outs(%zs : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %t = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x7x9xf32>) outs(%es : tensor<2x7x9xf32>) {
  ^bb0(%a: f32, %out: f32):
    %b = linalg.index 0 : index
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %counts = arith.cmpi slt, %j, %limit : index
    %fromEnd = arith.addi %j, %n : index
    %at = arith.select %counts, %fromEnd, %j : index
    %keep = tensor.extract %mask[%b, %at] : tensor<2x9xi1>
    %r = arith.select %keep, %a, %hidden : f32
    linalg.yield %r : f32
  } -> tensor<2x7x9xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x7x9xf32>) outs(%es : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x7x9xf32>, tensor<2x9x5xf32>) outs(%zo : tensor<2x7x5xf32>) -> tensor<2x7x5xf32>
  return %o : tensor<2x7x5xf32>
}

// Positions that the front end has computed into tables, with an offset of 2.
// CHECK-LABEL: @positions_in_tables
func.func @positions_in_tables(%q: tensor<2x7x16xf32>, %k: tensor<2x16x9xf32>, %v: tensor<2x9x5xf32>) -> tensor<2x7x5xf32> {
  // CHECK: smx.attention {{.*}} mask(#smx.band<bottom_right, right = 0>) :
  %zs = arith.constant dense<0.0> : tensor<2x7x9xf32>
  %zo = arith.constant dense<0.0> : tensor<2x7x5xf32>
  %es = tensor.empty() : tensor<2x7x9xf32>
  %hidden = arith.constant -3.40282347E+38 : f32
  %rows = arith.constant dense<[2, 3, 4, 5, 6, 7, 8]> : tensor<7xi32>
  %keys = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8]> : tensor<9xi32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x7x16xf32>, tensor<2x16x9xf32>) outs(%zs : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %t = linalg.generic {indexing_maps = [#full, #row, #key, #full], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %rows, %keys : tensor<2x7x9xf32>, tensor<7xi32>, tensor<9xi32>) outs(%es : tensor<2x7x9xf32>) {
  ^bb0(%a: f32, %ii: i32, %jj: i32, %out: f32):
    %fits = arith.cmpi sle, %jj, %ii : i32
    %r = arith.select %fits, %a, %hidden : f32
    linalg.yield %r : f32
  } -> tensor<2x7x9xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x7x9xf32>) outs(%es : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x7x9xf32>, tensor<2x9x5xf32>) outs(%zo : tensor<2x7x5xf32>) -> tensor<2x7x5xf32>
  return %o : tensor<2x7x5xf32>
}

// Two keys change places: no band.
// CHECK-LABEL: @uneven_table
func.func @uneven_table(%q: tensor<2x7x16xf32>, %k: tensor<2x16x9xf32>, %v: tensor<2x9x5xf32>) -> tensor<2x7x5xf32> {
  // CHECK: smx.attention {{.*}} score {
  // CHECK: tensor.extract
  // CHECK: arith.select
  %zs = arith.constant dense<0.0> : tensor<2x7x9xf32>
  %zo = arith.constant dense<0.0> : tensor<2x7x5xf32>
  %es = tensor.empty() : tensor<2x7x9xf32>
  %hidden = arith.constant -3.40282347E+38 : f32
  %rows = arith.constant dense<[2, 3, 4, 5, 6, 7, 8]> : tensor<7xi32>
  %keys = arith.constant dense<[0, 1, 2, 3, 4, 5, 7, 6, 8]> : tensor<9xi32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x7x16xf32>, tensor<2x16x9xf32>) outs(%zs : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %t = linalg.generic {indexing_maps = [#full, #row, #key, #full], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %rows, %keys : tensor<2x7x9xf32>, tensor<7xi32>, tensor<9xi32>) outs(%es : tensor<2x7x9xf32>) {
  ^bb0(%a: f32, %ii: i32, %jj: i32, %out: f32):
    %fits = arith.cmpi sle, %jj, %ii : i32
    %r = arith.select %fits, %a, %hidden : f32
    linalg.yield %r : f32
  } -> tensor<2x7x9xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x7x9xf32>) outs(%es : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x7x9xf32>, tensor<2x9x5xf32>) outs(%zo : tensor<2x7x5xf32>) -> tensor<2x7x5xf32>
  return %o : tensor<2x7x5xf32>
}

// A triangle cut out of true, and a choice with a side that is never taken.
// CHECK-LABEL: @triangle
func.func @triangle(%q: tensor<2x7x16xf32>, %k: tensor<2x16x9xf32>, %v: tensor<2x9x5xf32>) -> tensor<2x7x5xf32> {
  // CHECK: smx.attention {{.*}} mask(#smx.band<top_left, right = 0>) :
  %zs = arith.constant dense<0.0> : tensor<2x7x9xf32>
  %zo = arith.constant dense<0.0> : tensor<2x7x5xf32>
  %es = tensor.empty() : tensor<2x7x9xf32>
  %hidden = arith.constant -3.40282347E+38 : f32
  %true = arith.constant true
  %false = arith.constant false
  %zero = arith.constant 0 : index
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x7x16xf32>, tensor<2x16x9xf32>) outs(%zs : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %t = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x7x9xf32>) outs(%es : tensor<2x7x9xf32>) {
  ^bb0(%a: f32, %out: f32):
    %b = linalg.index 0 : index
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %below = arith.cmpi sge, %i, %j : index
    %lower = arith.select %below, %true, %false : i1
    %other = arith.cmpi slt, %j, %zero : index
    %both = arith.select %other, %false, %lower : i1
    %r = arith.select %both, %a, %hidden : f32
    linalg.yield %r : f32
  } -> tensor<2x7x9xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x7x9xf32>) outs(%es : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x7x9xf32>, tensor<2x9x5xf32>) outs(%zo : tensor<2x7x5xf32>) -> tensor<2x7x5xf32>
  return %o : tensor<2x7x5xf32>
}

// A key that either says to see is not one that both say to see.
// CHECK-LABEL: @triangle_or
func.func @triangle_or(%keep: tensor<9xi1>, %q: tensor<2x7x16xf32>, %k: tensor<2x16x9xf32>, %v: tensor<2x9x5xf32>) -> tensor<2x7x5xf32> {
  // CHECK: smx.attention {{.*}} scale(1.000000e+00) visible {
  // CHECK-NOT: band
  %zs = arith.constant dense<0.0> : tensor<2x7x9xf32>
  %zo = arith.constant dense<0.0> : tensor<2x7x5xf32>
  %es = tensor.empty() : tensor<2x7x9xf32>
  %hidden = arith.constant 0xFF800000 : f32
  %true = arith.constant true
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x7x16xf32>, tensor<2x16x9xf32>) outs(%zs : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %t = linalg.generic {indexing_maps = [#full, #key, #full], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %keep : tensor<2x7x9xf32>, tensor<9xi1>) outs(%es : tensor<2x7x9xf32>) {
  ^bb0(%a: f32, %also: i1, %out: f32):
    %b = linalg.index 0 : index
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %below = arith.cmpi sge, %i, %j : index
    %either = arith.select %below, %true, %also : i1
    %r = arith.select %either, %a, %hidden : f32
    linalg.yield %r : f32
  } -> tensor<2x7x9xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x7x9xf32>) outs(%es : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x7x9xf32>, tensor<2x9x5xf32>) outs(%zo : tensor<2x7x5xf32>) -> tensor<2x7x5xf32>
  return %o : tensor<2x7x5xf32>
}

// Padding on the left hides whole rows by a finite value, which weighs them evenly: a power of two, which scaling does not round.
// CHECK-LABEL: @padded_decoder
// CHECK-SAME: %[[KEEP:[^:]+]]: tensor<9xi1>
func.func @padded_decoder(%keep: tensor<9xi1>, %q: tensor<2x7x16xf32>, %k: tensor<2x16x9xf32>, %v: tensor<2x9x5xf32>) -> tensor<2x7x5xf32> {
  // CHECK: smx.attention {{.*}} scale(1.000000e+00) score {
  // CHECK-NEXT: ^bb0(%[[S:.+]]: f32, %{{.+}}: index, %[[I:.+]]: index, %[[J:.+]]: index):
  // CHECK-DAG: %[[BELOW:.+]] = arith.cmpi sle, %[[J]], %[[I]]
  // CHECK-DAG: %[[K:.+]] = tensor.extract %[[KEEP]][%[[J]]]
  // CHECK-DAG: %[[BOTH:.+]] = arith.andi %[[BELOW]], %[[K]]
  // CHECK-DAG: %[[LOW:.+]] = arith.constant -8.50705917E+37
  // CHECK: %[[R:.+]] = arith.select %[[BOTH]], %[[S]], %[[LOW]]
  // CHECK-NEXT: smx.yield %[[R]]
  %zs = arith.constant dense<0.0> : tensor<2x7x9xf32>
  %zo = arith.constant dense<0.0> : tensor<2x7x5xf32>
  %es = tensor.empty() : tensor<2x7x9xf32>
  %hidden = arith.constant -3.40282347E+38 : f32
  %none = arith.constant 0.0 : f32
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x7x16xf32>, tensor<2x16x9xf32>) outs(%zs : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %t = linalg.generic {indexing_maps = [#full, #key, #full], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %keep : tensor<2x7x9xf32>, tensor<9xi1>) outs(%es : tensor<2x7x9xf32>) {
  ^bb0(%a: f32, %isKey: i1, %out: f32):
    %b = linalg.index 0 : index
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %below = arith.cmpi sle, %j, %i : index
    %both = arith.andi %below, %isKey : i1
    %m = arith.select %both, %none, %hidden : f32
    %r = arith.addf %a, %m : f32
    linalg.yield %r : f32
  } -> tensor<2x7x9xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x7x9xf32>) outs(%es : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x7x9xf32>, tensor<2x9x5xf32>) outs(%zo : tensor<2x7x5xf32>) -> tensor<2x7x5xf32>
  return %o : tensor<2x7x5xf32>
}

// A bias may be -inf: the value that hides stays in the score, as a power of two that no factor makes infinite.
// CHECK-LABEL: @padded_bias
func.func @padded_bias(%keep: tensor<9xi1>, %bias: tensor<7x9xf32>, %q: tensor<2x7x16xf32>, %k: tensor<2x16x9xf32>, %v: tensor<2x9x5xf32>) -> tensor<2x7x5xf32> {
  // CHECK: smx.attention {{.*}} scale(1.000000e+00) score {
  // CHECK: arith.addf
  // CHECK: arith.constant -8.50705917E+37
  // CHECK: arith.select
  %zs = arith.constant dense<0.0> : tensor<2x7x9xf32>
  %zo = arith.constant dense<0.0> : tensor<2x7x5xf32>
  %es = tensor.empty() : tensor<2x7x9xf32>
  %hidden = arith.constant -3.40282347E+38 : f32
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x7x16xf32>, tensor<2x16x9xf32>) outs(%zs : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %t = linalg.generic {indexing_maps = [#full, #key, #both, #full], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %keep, %bias : tensor<2x7x9xf32>, tensor<9xi1>, tensor<7x9xf32>) outs(%es : tensor<2x7x9xf32>) {
  ^bb0(%a: f32, %isKey: i1, %x: f32, %out: f32):
    %sum = arith.addf %a, %x : f32
    %r = arith.select %isKey, %sum, %hidden : f32
    linalg.yield %r : f32
  } -> tensor<2x7x9xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x7x9xf32>) outs(%es : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x7x9xf32>, tensor<2x9x5xf32>) outs(%zo : tensor<2x7x5xf32>) -> tensor<2x7x5xf32>
  return %o : tensor<2x7x5xf32>
}

// A mask that hides no key adds 0.
// CHECK-LABEL: @nothing_added
func.func @nothing_added(%q: tensor<2x7x16xf32>, %k: tensor<2x16x9xf32>, %v: tensor<2x9x5xf32>) -> tensor<2x7x5xf32> {
  // CHECK: smx.attention %{{.+}} scale(1.000000e+00) :
  %zs = arith.constant dense<0.0> : tensor<2x7x9xf32>
  %zo = arith.constant dense<0.0> : tensor<2x7x5xf32>
  %es = tensor.empty() : tensor<2x7x9xf32>
  %none = arith.constant 0.0 : f32
  %zero = arith.constant 0 : index
  %hidden = arith.constant 0xFF800000 : f32
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x7x16xf32>, tensor<2x16x9xf32>) outs(%zs : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %t = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x7x9xf32>) outs(%es : tensor<2x7x9xf32>) {
  ^bb0(%a: f32, %out: f32):
    %b = linalg.index 0 : index
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %always = arith.cmpi sge, %j, %zero : index
    %m = arith.select %always, %none, %hidden : f32
    %r = arith.addf %m, %a : f32
    linalg.yield %r : f32
  } -> tensor<2x7x9xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x7x9xf32>) outs(%es : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x7x9xf32>, tensor<2x9x5xf32>) outs(%zo : tensor<2x7x5xf32>) -> tensor<2x7x5xf32>
  return %o : tensor<2x7x5xf32>
}

// A bias looked up by buckets of distances: read from where it is stored.
// CHECK-LABEL: @bias_of_buckets
func.func @bias_of_buckets(%buckets: tensor<7x9xi64>, %table: tensor<32xf32>, %q: tensor<2x7x16xf32>, %k: tensor<2x16x9xf32>, %v: tensor<2x9x5xf32>) -> tensor<2x7x5xf32> {
  // CHECK: %[[BIAS:.+]] = linalg.generic
  // CHECK: tensor.extract
  // CHECK: smx.attention {{.*}} scale(1.000000e+00) score {
  // CHECK-NEXT: ^bb0(%[[S:.+]]: f32, %{{.+}}: index, %[[I:.+]]: index, %[[J:.+]]: index):
  // CHECK-NEXT: %[[X:.+]] = tensor.extract %[[BIAS]][%[[I]], %[[J]]]
  // CHECK-NEXT: %[[R:.+]] = arith.addf %[[S]], %[[X]]
  // CHECK-NEXT: smx.yield %[[R]]
  %zs = arith.constant dense<0.0> : tensor<2x7x9xf32>
  %zo = arith.constant dense<0.0> : tensor<2x7x5xf32>
  %es = tensor.empty() : tensor<2x7x9xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x7x16xf32>, tensor<2x16x9xf32>) outs(%zs : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %eb = tensor.empty() : tensor<7x9xf32>
  %bias = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%buckets : tensor<7x9xi64>) outs(%eb : tensor<7x9xf32>) {
  ^bb0(%bucket: i64, %out: f32):
    %at = arith.index_cast %bucket : i64 to index
    %x = tensor.extract %table[%at] : tensor<32xf32>
    linalg.yield %x : f32
  } -> tensor<7x9xf32>
  %t = linalg.generic {indexing_maps = [#full, #both, #full], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %bias : tensor<2x7x9xf32>, tensor<7x9xf32>) outs(%es : tensor<2x7x9xf32>) {
  ^bb0(%a: f32, %x: f32, %out: f32):
    %r = arith.addf %a, %x : f32
    linalg.yield %r : f32
  } -> tensor<2x7x9xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x7x9xf32>) outs(%es : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x7x9xf32>, tensor<2x9x5xf32>) outs(%zo : tensor<2x7x5xf32>) -> tensor<2x7x5xf32>
  return %o : tensor<2x7x5xf32>
}

// What is looked up may be -inf, and so leave a row that the finite value hides whole: no band.
// CHECK-LABEL: @causal_bias_of_buckets
func.func @causal_bias_of_buckets(%buckets: tensor<7x9xi64>, %table: tensor<32xf32>, %q: tensor<2x7x16xf32>, %k: tensor<2x16x9xf32>, %v: tensor<2x9x5xf32>) -> tensor<2x7x5xf32> {
  // CHECK: smx.attention {{.*}} scale(1.000000e+00) score {
  // CHECK: tensor.extract
  // CHECK: arith.select
  %zs = arith.constant dense<0.0> : tensor<2x7x9xf32>
  %zo = arith.constant dense<0.0> : tensor<2x7x5xf32>
  %es = tensor.empty() : tensor<2x7x9xf32>
  %hidden = arith.constant -3.40282347E+38 : f32
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x7x16xf32>, tensor<2x16x9xf32>) outs(%zs : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %eb = tensor.empty() : tensor<7x9xf32>
  %bias = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%buckets : tensor<7x9xi64>) outs(%eb : tensor<7x9xf32>) {
  ^bb0(%bucket: i64, %out: f32):
    %at = arith.index_cast %bucket : i64 to index
    %x = tensor.extract %table[%at] : tensor<32xf32>
    linalg.yield %x : f32
  } -> tensor<7x9xf32>
  %t = linalg.generic {indexing_maps = [#full, #both, #full], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %bias : tensor<2x7x9xf32>, tensor<7x9xf32>) outs(%es : tensor<2x7x9xf32>) {
  ^bb0(%a: f32, %x: f32, %out: f32):
    %b = linalg.index 0 : index
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %sum = arith.addf %a, %x : f32
    %below = arith.cmpi sle, %j, %i : index
    %r = arith.select %below, %sum, %hidden : f32
    linalg.yield %r : f32
  } -> tensor<2x7x9xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x7x9xf32>) outs(%es : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x7x9xf32>, tensor<2x9x5xf32>) outs(%zo : tensor<2x7x5xf32>) -> tensor<2x7x5xf32>
  return %o : tensor<2x7x5xf32>
}
