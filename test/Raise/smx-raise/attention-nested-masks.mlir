// RUN: softmax-opt %s --smx-raise | FileCheck %s

// Masks under masks, under a scale and in a part of a constant.

#all = affine_map<(i, j) -> (i, j)>

// Rows that the inner mask hides within the causal ones are the average of all keys: both hide by the same number.
// CHECK-LABEL: @equally_low
// CHECK: smx.attention {{.*}} score {
func.func @equally_low(%q: tensor<7x8xf32>, %kt: tensor<8x7xf32>, %v: tensor<7x8xf32>) -> tensor<7x8xf32> {
  %zs = arith.constant dense<0.0> : tensor<7x7xf32>
  %zo = arith.constant dense<0.0> : tensor<7x8xf32>
  %c3 = arith.constant 3 : index
  %inner = arith.constant -1.0e30 : f32
  %outer = arith.constant -1.0e30 : f32
  %e = tensor.empty() : tensor<7x7xf32>
  %s = linalg.matmul ins(%q, %kt : tensor<7x8xf32>, tensor<8x7xf32>) outs(%zs : tensor<7x7xf32>) -> tensor<7x7xf32>
  %t = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<7x7xf32>) outs(%e : tensor<7x7xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %pad = arith.cmpi sge, %j, %c3 : index
    %causal = arith.cmpi sge, %i, %j : index
    %x = arith.select %pad, %a, %inner : f32
    %r = arith.select %causal, %x, %outer : f32
    linalg.yield %r : f32
  } -> tensor<7x7xf32>
  %p = linalg.softmax dimension(1) ins(%t : tensor<7x7xf32>) outs(%e : tensor<7x7xf32>) -> tensor<7x7xf32>
  %o = linalg.matmul ins(%p, %v : tensor<7x7xf32>, tensor<7x8xf32>) outs(%zo : tensor<7x8xf32>) -> tensor<7x8xf32>
  return %o : tensor<7x8xf32>
}

// Of those that are hidden by far less, where the outer mask is lower by far.
// CHECK-LABEL: @far_lower
// CHECK: smx.attention {{.*}} mask(#smx.band<top_left, right = 0>) score {
func.func @far_lower(%q: tensor<7x8xf32>, %kt: tensor<8x7xf32>, %v: tensor<7x8xf32>) -> tensor<7x8xf32> {
  %zs = arith.constant dense<0.0> : tensor<7x7xf32>
  %zo = arith.constant dense<0.0> : tensor<7x8xf32>
  %c3 = arith.constant 3 : index
  %inner = arith.constant -1.0e30 : f32
  %outer = arith.constant -1.0e38 : f32
  %e = tensor.empty() : tensor<7x7xf32>
  %s = linalg.matmul ins(%q, %kt : tensor<7x8xf32>, tensor<8x7xf32>) outs(%zs : tensor<7x7xf32>) -> tensor<7x7xf32>
  %t = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<7x7xf32>) outs(%e : tensor<7x7xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %pad = arith.cmpi sge, %j, %c3 : index
    %causal = arith.cmpi sge, %i, %j : index
    %x = arith.select %pad, %a, %inner : f32
    %r = arith.select %causal, %x, %outer : f32
    linalg.yield %r : f32
  } -> tensor<7x7xf32>
  %p = linalg.softmax dimension(1) ins(%t : tensor<7x7xf32>) outs(%e : tensor<7x7xf32>) -> tensor<7x7xf32>
  %o = linalg.matmul ins(%p, %v : tensor<7x7xf32>, tensor<7x8xf32>) outs(%zo : tensor<7x8xf32>) -> tensor<7x8xf32>
  return %o : tensor<7x8xf32>
}

// Scores are scaled together with the mask.
// CHECK-LABEL: @under_a_scale
// CHECK: smx.attention {{.*}} scale(1.250000e-01) mask(#smx.band<top_left, right = 0>) :
func.func @under_a_scale(%q: tensor<7x8xf32>, %kt: tensor<8x7xf32>, %v: tensor<7x8xf32>) -> tensor<7x8xf32> {
  %zs = arith.constant dense<0.0> : tensor<7x7xf32>
  %zo = arith.constant dense<0.0> : tensor<7x8xf32>
  %eighth = arith.constant 0.125 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<7x7xf32>
  %s = linalg.matmul ins(%q, %kt : tensor<7x8xf32>, tensor<8x7xf32>) outs(%zs : tensor<7x7xf32>) -> tensor<7x7xf32>
  %t = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<7x7xf32>) outs(%e : tensor<7x7xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %causal = arith.cmpi sge, %i, %j : index
    %x = arith.select %causal, %a, %hidden : f32
    %r = arith.mulf %x, %eighth : f32
    linalg.yield %r : f32
  } -> tensor<7x7xf32>
  %p = linalg.softmax dimension(1) ins(%t : tensor<7x7xf32>) outs(%e : tensor<7x7xf32>) -> tensor<7x7xf32>
  %o = linalg.matmul ins(%p, %v : tensor<7x7xf32>, tensor<7x8xf32>) outs(%zo : tensor<7x8xf32>) -> tensor<7x8xf32>
  return %o : tensor<7x8xf32>
}

// A negative scale makes the hidden scores the largest.
// CHECK-LABEL: @under_a_negative_scale
// CHECK: smx.attention {{.*}} score {
func.func @under_a_negative_scale(%q: tensor<7x8xf32>, %kt: tensor<8x7xf32>, %v: tensor<7x8xf32>) -> tensor<7x8xf32> {
  %zs = arith.constant dense<0.0> : tensor<7x7xf32>
  %zo = arith.constant dense<0.0> : tensor<7x8xf32>
  %eighth = arith.constant -0.125 : f32
  %low = arith.constant -1.0e4 : f32
  %e = tensor.empty() : tensor<7x7xf32>
  %s = linalg.matmul ins(%q, %kt : tensor<7x8xf32>, tensor<8x7xf32>) outs(%zs : tensor<7x7xf32>) -> tensor<7x7xf32>
  %t = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<7x7xf32>) outs(%e : tensor<7x7xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %causal = arith.cmpi sge, %i, %j : index
    %x = arith.select %causal, %a, %low : f32
    %r = arith.mulf %x, %eighth : f32
    linalg.yield %r : f32
  } -> tensor<7x7xf32>
  %p = linalg.softmax dimension(1) ins(%t : tensor<7x7xf32>) outs(%e : tensor<7x7xf32>) -> tensor<7x7xf32>
  %o = linalg.matmul ins(%p, %v : tensor<7x7xf32>, tensor<7x8xf32>) outs(%zo : tensor<7x8xf32>) -> tensor<7x8xf32>
  return %o : tensor<7x8xf32>
}

// A buffer for longer sequences, of which the first rows and keys are read.
// CHECK-LABEL: @part_of_a_constant
// CHECK: smx.attention {{.*}} mask(#smx.band<top_left, right = 0>) :
func.func @part_of_a_constant(%q: tensor<7x8xf32>, %kt: tensor<8x7xf32>, %v: tensor<7x8xf32>) -> tensor<7x8xf32> {
  %zs = arith.constant dense<0.0> : tensor<7x7xf32>
  %zo = arith.constant dense<0.0> : tensor<7x8xf32>
  %buffer = arith.constant dense<[[true, false, false, false, false, false, false, false, false], [true, true, false, false, false, false, false, false, false], [true, true, true, false, false, false, false, false, false], [true, true, true, true, false, false, false, false, false], [true, true, true, true, true, false, false, false, false], [true, true, true, true, true, true, false, false, false], [true, true, true, true, true, true, true, false, false], [true, true, true, true, true, true, true, true, false], [true, true, true, true, true, true, true, true, true]]> : tensor<9x9xi1>
  %hidden = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<7x7xf32>
  %s = linalg.matmul ins(%q, %kt : tensor<7x8xf32>, tensor<8x7xf32>) outs(%zs : tensor<7x7xf32>) -> tensor<7x7xf32>
  %m = tensor.extract_slice %buffer[0, 0] [7, 7] [1, 1] : tensor<9x9xi1> to tensor<7x7xi1>
  %t = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]} ins(%s, %m : tensor<7x7xf32>, tensor<7x7xi1>) outs(%e : tensor<7x7xf32>) {
  ^bb0(%a: f32, %seen: i1, %out: f32):
    %r = arith.select %seen, %a, %hidden : f32
    linalg.yield %r : f32
  } -> tensor<7x7xf32>
  %p = linalg.softmax dimension(1) ins(%t : tensor<7x7xf32>) outs(%e : tensor<7x7xf32>) -> tensor<7x7xf32>
  %o = linalg.matmul ins(%p, %v : tensor<7x7xf32>, tensor<7x8xf32>) outs(%zo : tensor<7x8xf32>) -> tensor<7x8xf32>
  return %o : tensor<7x8xf32>
}

// The rows at the end of a longer sequence see more keys.
// CHECK-LABEL: @lower_part
// CHECK: smx.attention {{.*}} mask(#smx.band<top_left, right = 2>) :
func.func @lower_part(%q: tensor<7x8xf32>, %kt: tensor<8x7xf32>, %v: tensor<7x8xf32>) -> tensor<7x8xf32> {
  %zs = arith.constant dense<0.0> : tensor<7x7xf32>
  %zo = arith.constant dense<0.0> : tensor<7x8xf32>
  %buffer = arith.constant dense<[[true, false, false, false, false, false, false, false, false], [true, true, false, false, false, false, false, false, false], [true, true, true, false, false, false, false, false, false], [true, true, true, true, false, false, false, false, false], [true, true, true, true, true, false, false, false, false], [true, true, true, true, true, true, false, false, false], [true, true, true, true, true, true, true, false, false], [true, true, true, true, true, true, true, true, false], [true, true, true, true, true, true, true, true, true]]> : tensor<9x9xi1>
  %hidden = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<7x7xf32>
  %s = linalg.matmul ins(%q, %kt : tensor<7x8xf32>, tensor<8x7xf32>) outs(%zs : tensor<7x7xf32>) -> tensor<7x7xf32>
  %m = tensor.extract_slice %buffer[2, 0] [7, 7] [1, 1] : tensor<9x9xi1> to tensor<7x7xi1>
  %t = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]} ins(%s, %m : tensor<7x7xf32>, tensor<7x7xi1>) outs(%e : tensor<7x7xf32>) {
  ^bb0(%a: f32, %seen: i1, %out: f32):
    %r = arith.select %seen, %a, %hidden : f32
    linalg.yield %r : f32
  } -> tensor<7x7xf32>
  %p = linalg.softmax dimension(1) ins(%t : tensor<7x7xf32>) outs(%e : tensor<7x7xf32>) -> tensor<7x7xf32>
  %o = linalg.matmul ins(%p, %v : tensor<7x7xf32>, tensor<7x8xf32>) outs(%zo : tensor<7x8xf32>) -> tensor<7x8xf32>
  return %o : tensor<7x8xf32>
}
