// RUN: softmax-opt %s --smx-raise | FileCheck %s

// Chunks, and causal masks with a prefix, of which tiles are skipped.

#full = affine_map<(b, i, j) -> (b, i, j)>
#matrix = affine_map<(b, i, j) -> (i, j)>

// Chunks of five, causal: a floor division as JAX spells it, of which each place is computed.
// CHECK-LABEL: @causal_chunks
// CHECK: smx.attention {{.*}} mask(#smx.all_of<[#smx.chunks<top_left, size = 5>, #smx.band<top_left, right = 0>]>) :
func.func @causal_chunks(%q: tensor<2x19x8xf32>, %kt: tensor<2x8x19xf32>, %v: tensor<2x19x8xf32>) -> tensor<2x19x8xf32> {
  %zs = arith.constant dense<0.0> : tensor<2x19x19xf32>
  %zo = arith.constant dense<0.0> : tensor<2x19x8xf32>
  %hidden = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<2x19x19xf32>
  %s = linalg.batch_matmul ins(%q, %kt : tensor<2x19x8xf32>, tensor<2x8x19xf32>) outs(%zs : tensor<2x19x19xf32>) -> tensor<2x19x19xf32>
  %t = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x19x19xf32>) outs(%es : tensor<2x19x19xf32>) {
  ^bb0(%a: f32, %out: f32):
    %ii = linalg.index 1 : index
    %jj = linalg.index 2 : index
    %i = arith.index_cast %ii : index to i32
    %j = arith.index_cast %jj : index to i32
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c5 = arith.constant 5 : i32
    %c31 = arith.constant 31 : i32
    %ciq = arith.divsi %i, %c5 : i32
    %ciz = arith.cmpi eq, %i, %c0 : i32
    %cish = arith.shrsi %i, %c31 : i32
    %cior = arith.ori %cish, %c1 : i32
    %cisg = arith.select %ciz, %c0, %cior : i32
    %cine = arith.cmpi ne, %cisg, %c1 : i32
    %cirm = arith.remsi %i, %c5 : i32
    %cirn = arith.cmpi ne, %cirm, %c0 : i32
    %cian = arith.andi %cine, %cirn : i1
    %cim1 = arith.subi %ciq, %c1 : i32
    %ci = arith.select %cian, %cim1, %ciq : i32
    %cjq = arith.divsi %j, %c5 : i32
    %cjz = arith.cmpi eq, %j, %c0 : i32
    %cjsh = arith.shrsi %j, %c31 : i32
    %cjor = arith.ori %cjsh, %c1 : i32
    %cjsg = arith.select %cjz, %c0, %cjor : i32
    %cjne = arith.cmpi ne, %cjsg, %c1 : i32
    %cjrm = arith.remsi %j, %c5 : i32
    %cjrn = arith.cmpi ne, %cjrm, %c0 : i32
    %cjan = arith.andi %cjne, %cjrn : i1
    %cjm1 = arith.subi %cjq, %c1 : i32
    %cj = arith.select %cjan, %cjm1, %cjq : i32
    %s1 = arith.cmpi eq, %ci, %cj : i32
    %s2 = arith.cmpi sge, %i, %j : i32
    %seen = arith.andi %s1, %s2 : i1
    %r = arith.select %seen, %a, %hidden : f32
    linalg.yield %r : f32
  } -> tensor<2x19x19xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x19x19xf32>) outs(%es : tensor<2x19x19xf32>) -> tensor<2x19x19xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x19x19xf32>, tensor<2x19x8xf32>) outs(%zo : tensor<2x19x8xf32>) -> tensor<2x19x8xf32>
  return %o : tensor<2x19x8xf32>
}

// Every row sees its own key: the lowest number hides like -inf.
// CHECK-LABEL: @finite_chunks
// CHECK: smx.attention {{.*}} mask(#smx.all_of<[#smx.chunks<top_left, size = 5>, #smx.band<top_left, right = 0>]>) :
func.func @finite_chunks(%q: tensor<2x19x8xf32>, %kt: tensor<2x8x19xf32>, %v: tensor<2x19x8xf32>) -> tensor<2x19x8xf32> {
  %zs = arith.constant dense<0.0> : tensor<2x19x19xf32>
  %zo = arith.constant dense<0.0> : tensor<2x19x8xf32>
  %hidden = arith.constant 0xFF7FFFFF : f32
  %es = tensor.empty() : tensor<2x19x19xf32>
  %s = linalg.batch_matmul ins(%q, %kt : tensor<2x19x8xf32>, tensor<2x8x19xf32>) outs(%zs : tensor<2x19x19xf32>) -> tensor<2x19x19xf32>
  %t = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x19x19xf32>) outs(%es : tensor<2x19x19xf32>) {
  ^bb0(%a: f32, %out: f32):
    %ii = linalg.index 1 : index
    %jj = linalg.index 2 : index
    %i = arith.index_cast %ii : index to i32
    %j = arith.index_cast %jj : index to i32
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c5 = arith.constant 5 : i32
    %c31 = arith.constant 31 : i32
    %ciq = arith.divsi %i, %c5 : i32
    %ciz = arith.cmpi eq, %i, %c0 : i32
    %cish = arith.shrsi %i, %c31 : i32
    %cior = arith.ori %cish, %c1 : i32
    %cisg = arith.select %ciz, %c0, %cior : i32
    %cine = arith.cmpi ne, %cisg, %c1 : i32
    %cirm = arith.remsi %i, %c5 : i32
    %cirn = arith.cmpi ne, %cirm, %c0 : i32
    %cian = arith.andi %cine, %cirn : i1
    %cim1 = arith.subi %ciq, %c1 : i32
    %ci = arith.select %cian, %cim1, %ciq : i32
    %cjq = arith.divsi %j, %c5 : i32
    %cjz = arith.cmpi eq, %j, %c0 : i32
    %cjsh = arith.shrsi %j, %c31 : i32
    %cjor = arith.ori %cjsh, %c1 : i32
    %cjsg = arith.select %cjz, %c0, %cjor : i32
    %cjne = arith.cmpi ne, %cjsg, %c1 : i32
    %cjrm = arith.remsi %j, %c5 : i32
    %cjrn = arith.cmpi ne, %cjrm, %c0 : i32
    %cjan = arith.andi %cjne, %cjrn : i1
    %cjm1 = arith.subi %cjq, %c1 : i32
    %cj = arith.select %cjan, %cjm1, %cjq : i32
    %s1 = arith.cmpi eq, %ci, %cj : i32
    %s2 = arith.cmpi sge, %i, %j : i32
    %seen = arith.andi %s1, %s2 : i1
    %r = arith.select %seen, %a, %hidden : f32
    linalg.yield %r : f32
  } -> tensor<2x19x19xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x19x19xf32>) outs(%es : tensor<2x19x19xf32>) -> tensor<2x19x19xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x19x19xf32>, tensor<2x19x8xf32>) outs(%zo : tensor<2x19x8xf32>) -> tensor<2x19x8xf32>
  return %o : tensor<2x19x8xf32>
}

// The last row ends at the last key.
// CHECK-LABEL: @chunks_bottom_right
// CHECK: smx.attention {{.*}} mask(#smx.chunks<bottom_right, size = 5>) :
func.func @chunks_bottom_right(%q: tensor<2x9x8xf32>, %kt: tensor<2x8x19xf32>, %v: tensor<2x19x8xf32>) -> tensor<2x9x8xf32> {
  %zs = arith.constant dense<0.0> : tensor<2x9x19xf32>
  %zo = arith.constant dense<0.0> : tensor<2x9x8xf32>
  %hidden = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<2x9x19xf32>
  %s = linalg.batch_matmul ins(%q, %kt : tensor<2x9x8xf32>, tensor<2x8x19xf32>) outs(%zs : tensor<2x9x19xf32>) -> tensor<2x9x19xf32>
  %t = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x9x19xf32>) outs(%es : tensor<2x9x19xf32>) {
  ^bb0(%a: f32, %out: f32):
    %ii = linalg.index 1 : index
    %jj = linalg.index 2 : index
    %i = arith.index_cast %ii : index to i32
    %j = arith.index_cast %jj : index to i32
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c5 = arith.constant 5 : i32
    %c31 = arith.constant 31 : i32
    %c10 = arith.constant 10 : i32
    %io = arith.addi %i, %c10 : i32
    %ciq = arith.divsi %io, %c5 : i32
    %ciz = arith.cmpi eq, %io, %c0 : i32
    %cish = arith.shrsi %io, %c31 : i32
    %cior = arith.ori %cish, %c1 : i32
    %cisg = arith.select %ciz, %c0, %cior : i32
    %cine = arith.cmpi ne, %cisg, %c1 : i32
    %cirm = arith.remsi %io, %c5 : i32
    %cirn = arith.cmpi ne, %cirm, %c0 : i32
    %cian = arith.andi %cine, %cirn : i1
    %cim1 = arith.subi %ciq, %c1 : i32
    %ci = arith.select %cian, %cim1, %ciq : i32
    %cjq = arith.divsi %j, %c5 : i32
    %cjz = arith.cmpi eq, %j, %c0 : i32
    %cjsh = arith.shrsi %j, %c31 : i32
    %cjor = arith.ori %cjsh, %c1 : i32
    %cjsg = arith.select %cjz, %c0, %cjor : i32
    %cjne = arith.cmpi ne, %cjsg, %c1 : i32
    %cjrm = arith.remsi %j, %c5 : i32
    %cjrn = arith.cmpi ne, %cjrm, %c0 : i32
    %cjan = arith.andi %cjne, %cjrn : i1
    %cjm1 = arith.subi %cjq, %c1 : i32
    %cj = arith.select %cjan, %cjm1, %cjq : i32
    %seen = arith.cmpi eq, %ci, %cj : i32
    %r = arith.select %seen, %a, %hidden : f32
    linalg.yield %r : f32
  } -> tensor<2x9x19xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x9x19xf32>) outs(%es : tensor<2x9x19xf32>) -> tensor<2x9x19xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x9x19xf32>, tensor<2x19x8xf32>) outs(%zo : tensor<2x9x8xf32>) -> tensor<2x9x8xf32>
  return %o : tensor<2x9x8xf32>
}

// Rows that begin elsewhere have no such mask.
// CHECK-LABEL: @chunks_other
// CHECK: smx.attention {{.*}} visible {
func.func @chunks_other(%q: tensor<2x9x8xf32>, %kt: tensor<2x8x19xf32>, %v: tensor<2x19x8xf32>) -> tensor<2x9x8xf32> {
  %zs = arith.constant dense<0.0> : tensor<2x9x19xf32>
  %zo = arith.constant dense<0.0> : tensor<2x9x8xf32>
  %hidden = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<2x9x19xf32>
  %s = linalg.batch_matmul ins(%q, %kt : tensor<2x9x8xf32>, tensor<2x8x19xf32>) outs(%zs : tensor<2x9x19xf32>) -> tensor<2x9x19xf32>
  %t = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x9x19xf32>) outs(%es : tensor<2x9x19xf32>) {
  ^bb0(%a: f32, %out: f32):
    %ii = linalg.index 1 : index
    %jj = linalg.index 2 : index
    %i = arith.index_cast %ii : index to i32
    %j = arith.index_cast %jj : index to i32
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c5 = arith.constant 5 : i32
    %c31 = arith.constant 31 : i32
    %c10 = arith.constant 3 : i32
    %io = arith.addi %i, %c10 : i32
    %ciq = arith.divsi %io, %c5 : i32
    %ciz = arith.cmpi eq, %io, %c0 : i32
    %cish = arith.shrsi %io, %c31 : i32
    %cior = arith.ori %cish, %c1 : i32
    %cisg = arith.select %ciz, %c0, %cior : i32
    %cine = arith.cmpi ne, %cisg, %c1 : i32
    %cirm = arith.remsi %io, %c5 : i32
    %cirn = arith.cmpi ne, %cirm, %c0 : i32
    %cian = arith.andi %cine, %cirn : i1
    %cim1 = arith.subi %ciq, %c1 : i32
    %ci = arith.select %cian, %cim1, %ciq : i32
    %cjq = arith.divsi %j, %c5 : i32
    %cjz = arith.cmpi eq, %j, %c0 : i32
    %cjsh = arith.shrsi %j, %c31 : i32
    %cjor = arith.ori %cjsh, %c1 : i32
    %cjsg = arith.select %cjz, %c0, %cjor : i32
    %cjne = arith.cmpi ne, %cjsg, %c1 : i32
    %cjrm = arith.remsi %j, %c5 : i32
    %cjrn = arith.cmpi ne, %cjrm, %c0 : i32
    %cjan = arith.andi %cjne, %cjrn : i1
    %cjm1 = arith.subi %cjq, %c1 : i32
    %cj = arith.select %cjan, %cjm1, %cjq : i32
    %seen = arith.cmpi eq, %ci, %cj : i32
    %r = arith.select %seen, %a, %hidden : f32
    linalg.yield %r : f32
  } -> tensor<2x9x19xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x9x19xf32>) outs(%es : tensor<2x9x19xf32>) -> tensor<2x9x19xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x9x19xf32>, tensor<2x19x8xf32>) outs(%zo : tensor<2x9x8xf32>) -> tensor<2x9x8xf32>
  return %o : tensor<2x9x8xf32>
}

// Nor have keys at a distance of five.
// CHECK-LABEL: @rem
// CHECK: smx.attention {{.*}} visible {
func.func @rem(%q: tensor<2x19x8xf32>, %kt: tensor<2x8x19xf32>, %v: tensor<2x19x8xf32>) -> tensor<2x19x8xf32> {
  %zs = arith.constant dense<0.0> : tensor<2x19x19xf32>
  %zo = arith.constant dense<0.0> : tensor<2x19x8xf32>
  %hidden = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<2x19x19xf32>
  %s = linalg.batch_matmul ins(%q, %kt : tensor<2x19x8xf32>, tensor<2x8x19xf32>) outs(%zs : tensor<2x19x19xf32>) -> tensor<2x19x19xf32>
  %t = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x19x19xf32>) outs(%es : tensor<2x19x19xf32>) {
  ^bb0(%a: f32, %out: f32):
    %ii = linalg.index 1 : index
    %jj = linalg.index 2 : index
    %i = arith.index_cast %ii : index to i32
    %j = arith.index_cast %jj : index to i32
    %c5 = arith.constant 5 : i32
    %ri = arith.remsi %i, %c5 : i32
    %rj = arith.remsi %j, %c5 : i32
    %seen = arith.cmpi eq, %ri, %rj : i32
    %r = arith.select %seen, %a, %hidden : f32
    linalg.yield %r : f32
  } -> tensor<2x19x19xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x19x19xf32>) outs(%es : tensor<2x19x19xf32>) -> tensor<2x19x19xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x19x19xf32>, tensor<2x19x8xf32>) outs(%zo : tensor<2x19x8xf32>) -> tensor<2x19x8xf32>
  return %o : tensor<2x19x8xf32>
}

// The first keys, or causal.
// CHECK-LABEL: @prefix
// CHECK: smx.attention {{.*}} mask(#smx.prefix<top_left, length = 5>) :
func.func @prefix(%q: tensor<2x19x8xf32>, %kt: tensor<2x8x19xf32>, %v: tensor<2x19x8xf32>) -> tensor<2x19x8xf32> {
  %zs = arith.constant dense<0.0> : tensor<2x19x19xf32>
  %zo = arith.constant dense<0.0> : tensor<2x19x8xf32>
  %hidden = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<2x19x19xf32>
  %s = linalg.batch_matmul ins(%q, %kt : tensor<2x19x8xf32>, tensor<2x8x19xf32>) outs(%zs : tensor<2x19x19xf32>) -> tensor<2x19x19xf32>
  %t = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x19x19xf32>) outs(%es : tensor<2x19x19xf32>) {
  ^bb0(%a: f32, %out: f32):
    %ii = linalg.index 1 : index
    %jj = linalg.index 2 : index
    %i = arith.index_cast %ii : index to i32
    %j = arith.index_cast %jj : index to i32
    %c5 = arith.constant 5 : i32
    %s1 = arith.cmpi slt, %j, %c5 : i32
    %s2 = arith.cmpi sge, %i, %j : i32
    %seen = arith.ori %s1, %s2 : i1
    %r = arith.select %seen, %a, %hidden : f32
    linalg.yield %r : f32
  } -> tensor<2x19x19xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x19x19xf32>) outs(%es : tensor<2x19x19xf32>) -> tensor<2x19x19xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x19x19xf32>, tensor<2x19x8xf32>) outs(%zo : tensor<2x19x8xf32>) -> tensor<2x19x8xf32>
  return %o : tensor<2x19x8xf32>
}

// CHECK-LABEL: @prefix_br
// CHECK: smx.attention {{.*}} mask(#smx.prefix<bottom_right, length = 5>) :
func.func @prefix_br(%q: tensor<2x9x8xf32>, %kt: tensor<2x8x19xf32>, %v: tensor<2x19x8xf32>) -> tensor<2x9x8xf32> {
  %zs = arith.constant dense<0.0> : tensor<2x9x19xf32>
  %zo = arith.constant dense<0.0> : tensor<2x9x8xf32>
  %hidden = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<2x9x19xf32>
  %s = linalg.batch_matmul ins(%q, %kt : tensor<2x9x8xf32>, tensor<2x8x19xf32>) outs(%zs : tensor<2x9x19xf32>) -> tensor<2x9x19xf32>
  %t = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x9x19xf32>) outs(%es : tensor<2x9x19xf32>) {
  ^bb0(%a: f32, %out: f32):
    %ii = linalg.index 1 : index
    %jj = linalg.index 2 : index
    %i = arith.index_cast %ii : index to i32
    %j = arith.index_cast %jj : index to i32
    %c5 = arith.constant 5 : i32
    %c10 = arith.constant 10 : i32
    %io = arith.addi %i, %c10 : i32
    %s1 = arith.cmpi slt, %j, %c5 : i32
    %s2 = arith.cmpi sge, %io, %j : i32
    %seen = arith.ori %s1, %s2 : i1
    %r = arith.select %seen, %a, %hidden : f32
    linalg.yield %r : f32
  } -> tensor<2x9x19xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x9x19xf32>) outs(%es : tensor<2x9x19xf32>) -> tensor<2x9x19xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x9x19xf32>, tensor<2x19x8xf32>) outs(%zo : tensor<2x9x8xf32>) -> tensor<2x9x8xf32>
  return %o : tensor<2x9x8xf32>
}

// Constant matrices: zeros and -inf that are added.
// CHECK-LABEL: @add_causal
// CHECK: smx.attention {{.*}} mask(#smx.band<top_left, right = 0>) :
func.func @add_causal(%q: tensor<2x6x8xf32>, %kt: tensor<2x8x6xf32>, %v: tensor<2x6x8xf32>) -> tensor<2x6x8xf32> {
  %zs = arith.constant dense<0.0> : tensor<2x6x6xf32>
  %zo = arith.constant dense<0.0> : tensor<2x6x8xf32>
  %m = arith.constant dense<[[0.0, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000], [0.0, 0.0, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000], [0.0, 0.0, 0.0, 0xFF800000, 0xFF800000, 0xFF800000], [0.0, 0.0, 0.0, 0.0, 0xFF800000, 0xFF800000], [0.0, 0.0, 0.0, 0.0, 0.0, 0xFF800000], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]]> : tensor<6x6xf32>
  %es = tensor.empty() : tensor<2x6x6xf32>
  %s = linalg.batch_matmul ins(%q, %kt : tensor<2x6x8xf32>, tensor<2x8x6xf32>) outs(%zs : tensor<2x6x6xf32>) -> tensor<2x6x6xf32>
  %t = linalg.generic {indexing_maps = [#full, #matrix, #full], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %m : tensor<2x6x6xf32>, tensor<6x6xf32>) outs(%es : tensor<2x6x6xf32>) {
  ^bb0(%a: f32, %mm: f32, %out: f32):
    %r = arith.addf %a, %mm : f32
    linalg.yield %r : f32
  } -> tensor<2x6x6xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x6x6xf32>) outs(%es : tensor<2x6x6xf32>) -> tensor<2x6x6xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x6x6xf32>, tensor<2x6x8xf32>) outs(%zo : tensor<2x6x8xf32>) -> tensor<2x6x8xf32>
  return %o : tensor<2x6x8xf32>
}

// CHECK-LABEL: @add_chunks
// CHECK: smx.attention {{.*}} mask(#smx.chunks<top_left, size = 2>) :
func.func @add_chunks(%q: tensor<2x6x8xf32>, %kt: tensor<2x8x6xf32>, %v: tensor<2x6x8xf32>) -> tensor<2x6x8xf32> {
  %zs = arith.constant dense<0.0> : tensor<2x6x6xf32>
  %zo = arith.constant dense<0.0> : tensor<2x6x8xf32>
  %m = arith.constant dense<[[0.0, 0.0, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000], [0.0, 0.0, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000], [0xFF800000, 0xFF800000, 0.0, 0.0, 0xFF800000, 0xFF800000], [0xFF800000, 0xFF800000, 0.0, 0.0, 0xFF800000, 0xFF800000], [0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0.0, 0.0], [0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0.0, 0.0]]> : tensor<6x6xf32>
  %es = tensor.empty() : tensor<2x6x6xf32>
  %s = linalg.batch_matmul ins(%q, %kt : tensor<2x6x8xf32>, tensor<2x8x6xf32>) outs(%zs : tensor<2x6x6xf32>) -> tensor<2x6x6xf32>
  %t = linalg.generic {indexing_maps = [#full, #matrix, #full], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %m : tensor<2x6x6xf32>, tensor<6x6xf32>) outs(%es : tensor<2x6x6xf32>) {
  ^bb0(%a: f32, %mm: f32, %out: f32):
    %r = arith.addf %a, %mm : f32
    linalg.yield %r : f32
  } -> tensor<2x6x6xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x6x6xf32>) outs(%es : tensor<2x6x6xf32>) -> tensor<2x6x6xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x6x6xf32>, tensor<2x6x8xf32>) outs(%zo : tensor<2x6x8xf32>) -> tensor<2x6x8xf32>
  return %o : tensor<2x6x8xf32>
}

// CHECK-LABEL: @add_odd
// CHECK: smx.attention {{.*}} visible {
func.func @add_odd(%q: tensor<2x6x8xf32>, %kt: tensor<2x8x6xf32>, %v: tensor<2x6x8xf32>) -> tensor<2x6x8xf32> {
  %zs = arith.constant dense<0.0> : tensor<2x6x6xf32>
  %zo = arith.constant dense<0.0> : tensor<2x6x8xf32>
  %m = arith.constant dense<[[0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0xFF800000, 0.0, 0.0, 0xFF800000, 0.0], [0.0, 0.0, 0xFF800000, 0.0, 0.0, 0xFF800000], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0xFF800000, 0.0, 0.0, 0xFF800000, 0.0], [0.0, 0.0, 0xFF800000, 0.0, 0.0, 0xFF800000]]> : tensor<6x6xf32>
  %es = tensor.empty() : tensor<2x6x6xf32>
  %s = linalg.batch_matmul ins(%q, %kt : tensor<2x6x8xf32>, tensor<2x8x6xf32>) outs(%zs : tensor<2x6x6xf32>) -> tensor<2x6x6xf32>
  %t = linalg.generic {indexing_maps = [#full, #matrix, #full], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %m : tensor<2x6x6xf32>, tensor<6x6xf32>) outs(%es : tensor<2x6x6xf32>) {
  ^bb0(%a: f32, %mm: f32, %out: f32):
    %r = arith.addf %a, %mm : f32
    linalg.yield %r : f32
  } -> tensor<2x6x6xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x6x6xf32>) outs(%es : tensor<2x6x6xf32>) -> tensor<2x6x6xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x6x6xf32>, tensor<2x6x8xf32>) outs(%zo : tensor<2x6x8xf32>) -> tensor<2x6x8xf32>
  return %o : tensor<2x6x8xf32>
}

// Constant matrices of truth values.
// CHECK-LABEL: @sel_prefix
// CHECK: smx.attention {{.*}} mask(#smx.prefix<top_left, length = 3>) :
func.func @sel_prefix(%q: tensor<2x6x8xf32>, %kt: tensor<2x8x6xf32>, %v: tensor<2x6x8xf32>) -> tensor<2x6x8xf32> {
  %zs = arith.constant dense<0.0> : tensor<2x6x6xf32>
  %zo = arith.constant dense<0.0> : tensor<2x6x8xf32>
  %hidden = arith.constant 0xFF800000 : f32
  %m = arith.constant dense<[[true, true, true, false, false, false], [true, true, true, false, false, false], [true, true, true, false, false, false], [true, true, true, true, false, false], [true, true, true, true, true, false], [true, true, true, true, true, true]]> : tensor<6x6xi1>
  %es = tensor.empty() : tensor<2x6x6xf32>
  %s = linalg.batch_matmul ins(%q, %kt : tensor<2x6x8xf32>, tensor<2x8x6xf32>) outs(%zs : tensor<2x6x6xf32>) -> tensor<2x6x6xf32>
  %t = linalg.generic {indexing_maps = [#full, #matrix, #full], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %m : tensor<2x6x6xf32>, tensor<6x6xi1>) outs(%es : tensor<2x6x6xf32>) {
  ^bb0(%a: f32, %mm: i1, %out: f32):
    %r = arith.select %mm, %a, %hidden : f32
    linalg.yield %r : f32
  } -> tensor<2x6x6xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x6x6xf32>) outs(%es : tensor<2x6x6xf32>) -> tensor<2x6x6xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x6x6xf32>, tensor<2x6x8xf32>) outs(%zo : tensor<2x6x8xf32>) -> tensor<2x6x8xf32>
  return %o : tensor<2x6x8xf32>
}

// CHECK-LABEL: @sel_chunks_br
// CHECK: smx.attention {{.*}} mask(#smx.chunks<bottom_right, size = 3>) :
func.func @sel_chunks_br(%q: tensor<2x4x8xf32>, %kt: tensor<2x8x6xf32>, %v: tensor<2x6x8xf32>) -> tensor<2x4x8xf32> {
  %zs = arith.constant dense<0.0> : tensor<2x4x6xf32>
  %zo = arith.constant dense<0.0> : tensor<2x4x8xf32>
  %hidden = arith.constant 0xFF800000 : f32
  %m = arith.constant dense<[[true, true, true, false, false, false], [false, false, false, true, true, true], [false, false, false, true, true, true], [false, false, false, true, true, true]]> : tensor<4x6xi1>
  %es = tensor.empty() : tensor<2x4x6xf32>
  %s = linalg.batch_matmul ins(%q, %kt : tensor<2x4x8xf32>, tensor<2x8x6xf32>) outs(%zs : tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %t = linalg.generic {indexing_maps = [#full, #matrix, #full], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %m : tensor<2x4x6xf32>, tensor<4x6xi1>) outs(%es : tensor<2x4x6xf32>) {
  ^bb0(%a: f32, %mm: i1, %out: f32):
    %r = arith.select %mm, %a, %hidden : f32
    linalg.yield %r : f32
  } -> tensor<2x4x6xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x4x6xf32>) outs(%es : tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x4x6xf32>, tensor<2x6x8xf32>) outs(%zo : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  return %o : tensor<2x4x8xf32>
}

// A constant that hides nothing of an attention stays as it was.
// CHECK-LABEL: @not_a_mask
// CHECK-NOT: arith.select
// CHECK: arith.constant dense<{{.*}}0.000000e+00, 0xFF800000
// CHECK-NOT: arith.select
func.func @not_a_mask(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %m = arith.constant dense<[[0.0, 0xFF800000], [0.0, 0.0]]> : tensor<2x2xf32>
  %y = arith.addf %x, %m : tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}
