// RUN: softmax-opt %s -split-input-file -verify-diagnostics

// A1
func.func @ranks_differ(%q: tensor<2x7x16xf32>, %k: tensor<9x16xf32>, %v: tensor<9x4xf32>) {
  // expected-error @+1 {{'smx.attention' op expected query, key and value of one rank of at least 2 and one floating-point type (or f8E4M3FN keys and values for queries of f16 or bf16), got 'tensor<2x7x16xf32>', 'tensor<9x16xf32>' and 'tensor<9x4xf32>'}}
  %o = smx.attention %q, %k, %v scale(1.0) : tensor<2x7x16xf32>, tensor<9x16xf32>, tensor<9x4xf32> -> tensor<2x7x4xf32>
  return
}

// -----

// A1
func.func @element_types_differ(%q: tensor<7x16xf32>, %k: tensor<9x16xf16>, %v: tensor<9x4xf16>) {
  // expected-error @+1 {{'smx.attention' op expected query, key and value of one rank of at least 2 and one floating-point type (or f8E4M3FN keys and values for queries of f16 or bf16), got 'tensor<7x16xf32>', 'tensor<9x16xf16>' and 'tensor<9x4xf16>'}}
  %o = smx.attention %q, %k, %v scale(1.0) : tensor<7x16xf32>, tensor<9x16xf16>, tensor<9x4xf16> -> tensor<7x4xf32>
  return
}

// -----

// A1
func.func @quantized_keys_for_wide_queries(%q: tensor<7x16xf32>, %k: tensor<9x16xf8E4M3FN>, %v: tensor<9x4xf8E4M3FN>) {
  // expected-error @+1 {{(or f8E4M3FN keys and values for queries of f16 or bf16), got 'tensor<7x16xf32>', 'tensor<9x16xf8E4M3FN>' and 'tensor<9x4xf8E4M3FN>'}}
  %o = smx.attention %q, %k, %v scale(1.0) : tensor<7x16xf32>, tensor<9x16xf8E4M3FN>, tensor<9x4xf8E4M3FN> -> tensor<7x4xf32>
  return
}

// -----

// A1
func.func @quantized_keys_alone(%q: tensor<7x16xbf16>, %k: tensor<9x16xf8E4M3FN>, %v: tensor<9x4xbf16>) {
  // expected-error @+1 {{got 'tensor<7x16xbf16>', 'tensor<9x16xf8E4M3FN>' and 'tensor<9x4xbf16>'}}
  %o = smx.attention %q, %k, %v scale(1.0) : tensor<7x16xbf16>, tensor<9x16xf8E4M3FN>, tensor<9x4xbf16> -> tensor<7x4xbf16>
  return
}

// -----

// A2
func.func @head_dims_differ(%q: tensor<7x16xf32>, %k: tensor<9x15xf32>, %v: tensor<9x4xf32>) {
  // expected-error @+1 {{'smx.attention' op expected query and key to have the same head dim, got 16 and 15}}
  %o = smx.attention %q, %k, %v scale(1.0) : tensor<7x16xf32>, tensor<9x15xf32>, tensor<9x4xf32> -> tensor<7x4xf32>
  return
}

// -----

// A2
func.func @no_head_dim(%q: tensor<7x16xf32>, %k: tensor<9x16xf32>, %v: tensor<9x0xf32>) {
  // expected-error @+1 {{'smx.attention' op expected head dims of at least 1, got 16, 16 and 0}}
  %o = smx.attention %q, %k, %v scale(1.0) : tensor<7x16xf32>, tensor<9x16xf32>, tensor<9x0xf32> -> tensor<7x0xf32>
  return
}

// -----

// A3
func.func @fewer_values_than_keys(%q: tensor<7x16xf32>, %k: tensor<9x16xf32>, %v: tensor<8x4xf32>) {
  // expected-error @+1 {{'smx.attention' op expected key and value to agree in dim 0, got 9 and 8}}
  %o = smx.attention %q, %k, %v scale(1.0) : tensor<7x16xf32>, tensor<9x16xf32>, tensor<8x4xf32> -> tensor<7x4xf32>
  return
}

// -----

// A3
func.func @values_have_other_heads(%q: tensor<2x7x16xf32>, %k: tensor<2x9x16xf32>, %v: tensor<1x9x4xf32>) {
  // expected-error @+1 {{'smx.attention' op expected key and value to agree in dim 0, got 2 and 1}}
  %o = smx.attention %q, %k, %v scale(1.0) : tensor<2x7x16xf32>, tensor<2x9x16xf32>, tensor<1x9x4xf32> -> tensor<2x7x4xf32>
  return
}

// -----

// A4
func.func @heads_do_not_divide(%q: tensor<3x5x7x16xf32>, %k: tensor<3x2x9x16xf32>, %v: tensor<3x2x9x4xf32>) {
  // expected-error @+1 {{'smx.attention' op expected the number of query heads to be a multiple of the number of key heads, got 5 and 2}}
  %o = smx.attention %q, %k, %v scale(1.0) : tensor<3x5x7x16xf32>, tensor<3x2x9x16xf32>, tensor<3x2x9x4xf32> -> tensor<3x5x7x4xf32>
  return
}

// -----

// A4
func.func @no_heads(%q: tensor<3x0x7x16xf32>, %k: tensor<3x2x9x16xf32>, %v: tensor<3x2x9x4xf32>) {
  // expected-error @+1 {{'smx.attention' op expected the number of query heads to be a multiple of the number of key heads, got 0 and 2}}
  %o = smx.attention %q, %k, %v scale(1.0) : tensor<3x0x7x16xf32>, tensor<3x2x9x16xf32>, tensor<3x2x9x4xf32> -> tensor<3x0x7x4xf32>
  return
}

// -----

// A4: only heads may be grouped.
func.func @batches_differ(%q: tensor<4x2x7x16xf32>, %k: tensor<2x2x9x16xf32>, %v: tensor<2x2x9x4xf32>) {
  // expected-error @+1 {{'smx.attention' op expected query and key to agree in batch dim 0, got 4 and 2}}
  %o = smx.attention %q, %k, %v scale(1.0) : tensor<4x2x7x16xf32>, tensor<2x2x9x16xf32>, tensor<2x2x9x4xf32> -> tensor<4x2x7x4xf32>
  return
}

// -----

// A5
func.func @result_has_the_keys_head_dim(%q: tensor<7x16xf32>, %k: tensor<9x16xf32>, %v: tensor<9x4xf32>) {
  // expected-error @+1 {{'smx.attention' op expected a result of shape [7, 4] with floating-point elements of at least 16 bits, got 'tensor<7x16xf32>'}}
  %o = smx.attention %q, %k, %v scale(1.0) : tensor<7x16xf32>, tensor<9x16xf32>, tensor<9x4xf32> -> tensor<7x16xf32>
  return
}

// -----

// A6
func.func @lse_shape(%q: tensor<2x7x16xf32>, %k: tensor<2x9x16xf32>, %v: tensor<2x9x4xf32>) {
  // expected-error @+1 {{'smx.attention' op expected a log-sum-exp of shape [2, 7] with floating-point elements of at least 16 bits, got 'tensor<2x7x1xf32>'}}
  %o, %l = smx.attention %q, %k, %v scale(1.0) : tensor<2x7x16xf32>, tensor<2x9x16xf32>, tensor<2x9x4xf32> -> tensor<2x7x4xf32>, tensor<2x7x1xf32>
  return
}

// -----

// A6
func.func @lse_of_half_precision(%q: tensor<7x16xf16>, %k: tensor<9x16xf16>, %v: tensor<9x4xf16>) {
  // expected-error @+1 {{'smx.attention' op expected a log-sum-exp of 'f32', got 'f16'}}
  %o, %l = smx.attention %q, %k, %v scale(1.0) : tensor<7x16xf16>, tensor<9x16xf16>, tensor<9x4xf16> -> tensor<7x4xf16>, tensor<7xf16>
  return
}

// -----

// A6
func.func @lse_of_double_precision(%q: tensor<7x16xf64>, %k: tensor<9x16xf64>, %v: tensor<9x4xf64>) {
  // expected-error @+1 {{'smx.attention' op expected a log-sum-exp of 'f64', got 'f32'}}
  %o, %l = smx.attention %q, %k, %v scale(1.0) : tensor<7x16xf64>, tensor<9x16xf64>, tensor<9x4xf64> -> tensor<7x4xf64>, tensor<7xf32>
  return
}

// -----

// A7
func.func @scale_is_zero(%q: tensor<7x16xf32>, %k: tensor<9x16xf32>, %v: tensor<9x4xf32>) {
  // expected-error @+1 {{'smx.attention' op expected a finite scale other than 0, got 0}}
  %o = smx.attention %q, %k, %v scale(0.0) : tensor<7x16xf32>, tensor<9x16xf32>, tensor<9x4xf32> -> tensor<7x4xf32>
  return
}

// -----

// A7
func.func @scale_is_too_large(%q: tensor<7x16xf32>, %k: tensor<9x16xf32>, %v: tensor<9x4xf32>) {
  // expected-error @+1 {{'smx.attention' op expected a scale of at most 2.358657e+38 for scores that are computed in 'f32', got 1.000000e+300}}
  %o = smx.attention %q, %k, %v scale(1.0e300) : tensor<7x16xf32>, tensor<9x16xf32>, tensor<9x4xf32> -> tensor<7x4xf32>
  return
}

// -----

// A7
func.func @scale_is_too_small(%q: tensor<7x16xf32>, %k: tensor<9x16xf32>, %v: tensor<9x4xf32>) {
  // expected-error @+1 {{'smx.attention' op expected a scale of at least 1.401298e-45 for scores that are computed in 'f32', got 1.000000e-60}}
  %o = smx.attention %q, %k, %v scale(1.0e-60) : tensor<7x16xf32>, tensor<9x16xf32>, tensor<9x4xf32> -> tensor<7x4xf32>
  return
}

// -----

// A8
func.func @score_takes_a_position_per_dim(%q: tensor<2x7x16xf32>, %k: tensor<2x9x16xf32>, %v: tensor<2x9x4xf32>) {
  // expected-error @+1 {{'smx.attention' op expected region 'score' to take ('f32', 'index', 'index', 'index'), got ('f32', 'index', 'index')}}
  %o = smx.attention %q, %k, %v scale(1.0) score {
  ^bb0(%s: f32, %i: index, %j: index):
    smx.yield %s : f32
  } : tensor<2x7x16xf32>, tensor<2x9x16xf32>, tensor<2x9x4xf32> -> tensor<2x7x4xf32>
  return
}

// -----

// A8: scores of 16-bit operands are f32.
func.func @score_of_half_precision(%q: tensor<7x16xf16>, %k: tensor<9x16xf16>, %v: tensor<9x4xf16>) {
  // expected-error @+1 {{'smx.attention' op expected region 'score' to take ('f32', 'index', 'index'), got ('f16', 'index', 'index')}}
  %o = smx.attention %q, %k, %v scale(1.0) score {
  ^bb0(%s: f16, %i: index, %j: index):
    smx.yield %s : f16
  } : tensor<7x16xf16>, tensor<9x16xf16>, tensor<9x4xf16> -> tensor<7x4xf16>
  return
}

// -----

// A8
func.func @visible_yields_a_score(%q: tensor<7x16xf32>, %k: tensor<9x16xf32>, %v: tensor<9x4xf32>, %z: f32) {
  // expected-error @+1 {{'smx.attention' op expected region 'visible' to yield 'i1', got ('f32')}}
  %o = smx.attention %q, %k, %v scale(1.0) visible {
  ^bb0(%i: index, %j: index):
    smx.yield %z : f32
  } : tensor<7x16xf32>, tensor<9x16xf32>, tensor<9x4xf32> -> tensor<7x4xf32>
  return
}

// -----

// M1
func.func @mask_of_integers(%s: tensor<4x8xi32>, %c: index) {
  // expected-error @+1 {{'smx.mask' op expected floating-point elements, got 'i32'}}
  %0 = smx.mask %s by #smx.band<top_left, right = 0> dims(0, 1) at(%c, %c) of(%c, %c) : tensor<4x8xi32>
  return
}

// -----

// M2
func.func @mask_along_one_dim(%s: tensor<4x8xf32>, %c: index) {
  // expected-error @+1 {{'smx.mask' op expected two different dims below the rank 2, got 1 and 1}}
  %0 = smx.mask %s by #smx.band<top_left, right = 0> dims(1, 1) at(%c, %c) of(%c, %c) : tensor<4x8xf32>
  return
}

// -----

// M2
func.func @mask_dim_out_of_range(%s: tensor<4x8xf32>, %c: index) {
  // expected-error @+1 {{'smx.mask' op expected two different dims below the rank 2, got 0 and 2}}
  %0 = smx.mask %s by #smx.band<top_left, right = 0> dims(0, 2) at(%c, %c) of(%c, %c) : tensor<4x8xf32>
  return
}

// -----

// A9
func.func @nothing_to_read(%q: tensor<2x7x16xf32>, %k: tensor<2x9x16xf32>, %v: tensor<2x9x4xf32>) {
  // expected-error @+1 {{'smx.attention' op expected as many tensors as the mask reads, 1, got 0}}
  %o = smx.attention %q, %k, %v scale(1.0) mask(#smx.key_lengths) : tensor<2x7x16xf32>, tensor<2x9x16xf32>, tensor<2x9x4xf32> -> tensor<2x7x4xf32>
  return
}

// -----

// A9
func.func @nobody_reads(%q: tensor<2x7x16xf32>, %k: tensor<2x9x16xf32>, %v: tensor<2x9x4xf32>, %n: tensor<2xi32>) {
  // expected-error @+1 {{'smx.attention' op expected as many tensors as the mask reads, 0, got 1}}
  %o = smx.attention %q, %k, %v scale(1.0) reads(%n : tensor<2xi32>) : tensor<2x7x16xf32>, tensor<2x9x16xf32>, tensor<2x9x4xf32> -> tensor<2x7x4xf32>
  return
}

// -----

// A9
func.func @ranges_of_keys(%q: tensor<2x7x16xf32>, %k: tensor<2x9x16xf32>, %v: tensor<2x9x4xf32>, %n: tensor<2x7xi32>, %m: tensor<2x9xi32>) {
  // expected-error @+1 {{'smx.attention' op expected the mask to read integers of shape [2, 7], got 'tensor<2x9xi32>'}}
  %o = smx.attention %q, %k, %v scale(1.0) mask(#smx.key_ranges) reads(%n, %m : tensor<2x7xi32>, tensor<2x9xi32>) : tensor<2x7x16xf32>, tensor<2x9x16xf32>, tensor<2x9x4xf32> -> tensor<2x7x4xf32>
  return
}

// -----

// A9
func.func @lengths_are_floats(%q: tensor<2x7x16xf32>, %k: tensor<2x9x16xf32>, %v: tensor<2x9x4xf32>, %n: tensor<2xf32>) {
  // expected-error @+1 {{'smx.attention' op expected the mask to read integers of shape [2], got 'tensor<2xf32>'}}
  %o = smx.attention %q, %k, %v scale(1.0) mask(#smx.key_lengths) reads(%n : tensor<2xf32>) : tensor<2x7x16xf32>, tensor<2x9x16xf32>, tensor<2x9x4xf32> -> tensor<2x7x4xf32>
  return
}

// -----

// A9
func.func @blocks_of_keys(%q: tensor<2x7x16xf32>, %k: tensor<2x9x16xf32>, %v: tensor<2x9x4xf32>, %n: tensor<2x2x2xi8>) {
  // expected-error @+1 {{'smx.attention' op expected the mask to read integers of shape [2, 2, 3], got 'tensor<2x2x2xi8>'}}
  %o = smx.attention %q, %k, %v scale(1.0) mask(#smx.blocks<rows = 4, keys = 4>) reads(%n : tensor<2x2x2xi8>) : tensor<2x7x16xf32>, tensor<2x9x16xf32>, tensor<2x9x4xf32> -> tensor<2x7x4xf32>
  return
}

// -----

// A9
func.func @blocks_of_other_heads(%q: tensor<4x7x16xf32>, %k: tensor<4x9x16xf32>, %v: tensor<4x9x4xf32>, %n: tensor<2x2x3xi8>) {
  // expected-error @+1 {{'smx.attention' op expected the mask to read integers of shape [4, 2, 3], got 'tensor<2x2x3xi8>'}}
  %o = smx.attention %q, %k, %v scale(1.0) mask(#smx.blocks<rows = 4, keys = 4>) reads(%n : tensor<2x2x3xi8>) : tensor<4x7x16xf32>, tensor<4x9x16xf32>, tensor<4x9x4xf32> -> tensor<4x7x4xf32>
  return
}

// -----

// A9: 1 would be -1. Marks of blocks may be i1.
func.func @lengths_of_one_bit(%q: tensor<2x7x16xf32>, %k: tensor<2x9x16xf32>, %v: tensor<2x9x4xf32>, %n: tensor<2xi1>, %b: tensor<2x2x3xi1>) {
  %p = smx.attention %q, %k, %v scale(1.0) mask(#smx.blocks<rows = 4, keys = 4>) reads(%b : tensor<2x2x3xi1>) : tensor<2x7x16xf32>, tensor<2x9x16xf32>, tensor<2x9x4xf32> -> tensor<2x7x4xf32>
  // expected-error @+1 {{'smx.attention' op expected the mask to read integers of shape [2] and of more than 1 bit, got 'tensor<2xi1>'}}
  %o = smx.attention %q, %k, %v scale(1.0) mask(#smx.key_lengths) reads(%n : tensor<2xi1>) : tensor<2x7x16xf32>, tensor<2x9x16xf32>, tensor<2x9x4xf32> -> tensor<2x7x4xf32>
  return
}

// -----

// A9
func.func @ranges_of_one_bit(%q: tensor<2x7x16xf32>, %k: tensor<2x9x16xf32>, %v: tensor<2x9x4xf32>, %n: tensor<2x7xi32>, %m: tensor<2x7xi1>) {
  // expected-error @+1 {{'smx.attention' op expected the mask to read integers of shape [2, 7] and of more than 1 bit, got 'tensor<2x7xi1>'}}
  %o = smx.attention %q, %k, %v scale(1.0) mask(#smx.key_ranges) reads(%n, %m : tensor<2x7xi32>, tensor<2x7xi1>) : tensor<2x7x16xf32>, tensor<2x9x16xf32>, tensor<2x9x4xf32> -> tensor<2x7x4xf32>
  return
}

// -----

// A9
func.func @unsigned_lengths(%q: tensor<2x7x16xf32>, %k: tensor<2x9x16xf32>, %v: tensor<2x9x4xf32>, %n: tensor<2xui8>) {
  // expected-error @+1 {{'smx.attention' op expected the mask to read integers of shape [2], got 'tensor<2xui8>'}}
  %o = smx.attention %q, %k, %v scale(1.0) mask(#smx.key_lengths) reads(%n : tensor<2xui8>) : tensor<2x7x16xf32>, tensor<2x9x16xf32>, tensor<2x9x4xf32> -> tensor<2x7x4xf32>
  return
}

// -----

// M3
func.func @mask_reads_lengths_of_one_bit(%s: tensor<4x8x8xf32>, %c: index, %n: tensor<4xi1>) {
  // expected-error @+1 {{'smx.mask' op expected the mask to read integers of shape [4] and of more than 1 bit, got 'tensor<4xi1>'}}
  %0 = smx.mask %s by #smx.key_lengths reads(%n : tensor<4xi1>) dims(1, 2) at(%c, %c) of(%c, %c) : tensor<4x8x8xf32>
  return
}

// -----

// M3
func.func @mask_reads_rows_as_heads(%s: tensor<4x8xf32>, %c: index, %n: tensor<4xi32>) {
  // expected-error @+1 {{'smx.mask' op expected the mask to read integers of shape [], got 'tensor<4xi32>'}}
  %0 = smx.mask %s by #smx.key_lengths reads(%n : tensor<4xi32>) dims(0, 1) at(%c, %c) of(%c, %c) : tensor<4x8xf32>
  return
}

// -----

// A10
func.func @sinks_of_key_heads(%q: tensor<4x7x16xf32>, %k: tensor<2x9x16xf32>, %v: tensor<2x9x4xf32>, %s: tensor<2xf32>) {
  // expected-error @+1 {{'smx.attention' op expected one sink for each query head, [4] of 'f32', got 'tensor<2xf32>'}}
  %o = smx.attention %q, %k, %v scale(1.0) sinks(%s : tensor<2xf32>) : tensor<4x7x16xf32>, tensor<2x9x16xf32>, tensor<2x9x4xf32> -> tensor<4x7x4xf32>
  return
}

// -----

// A10
func.func @sinks_of_another_type(%q: tensor<4x7x16xf16>, %k: tensor<2x9x16xf16>, %v: tensor<2x9x4xf16>, %s: tensor<4xf16>) {
  // expected-error @+1 {{'smx.attention' op expected one sink for each query head, [4] of 'f32', got 'tensor<4xf16>'}}
  %o = smx.attention %q, %k, %v scale(1.0) sinks(%s : tensor<4xf16>) : tensor<4x7x16xf16>, tensor<2x9x16xf16>, tensor<2x9x4xf16> -> tensor<4x7x4xf16>
  return
}

// -----

// A10
func.func @sinks_without_heads(%q: tensor<7x16xf32>, %k: tensor<9x16xf32>, %v: tensor<9x4xf32>, %s: tensor<1xf32>) {
  // expected-error @+1 {{'smx.attention' op expected one sink for each query head, but there are no heads}}
  %o = smx.attention %q, %k, %v scale(1.0) sinks(%s : tensor<1xf32>) : tensor<7x16xf32>, tensor<9x16xf32>, tensor<9x4xf32> -> tensor<7x4xf32>
  return
}

// -----

func.func @yields_nothing(%q: tensor<7x16xf32>) {
  // expected-error @+1 {{'smx.attention' op expected region 'score' to yield 'f32', got ()}}
  %o = "smx.attention"(%q, %q, %q) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>, scale = 2.5e-01 : f64}> ({
  ^bb0(%s: f32, %i: index, %j: index):
    "smx.yield"() : () -> ()
  }, {
  }) : (tensor<7x16xf32>, tensor<7x16xf32>, tensor<7x16xf32>) -> tensor<7x16xf32>
  return
}

// -----

// A8
func.func @score_that_stores(%q: tensor<7x16xf32>, %m: memref<f32>) {
  // expected-error @+1 {{'smx.attention' op expected region 'score' to compute from tensors and numbers, got 'memref.store' on memory}}
  %o = smx.attention %q, %q, %q scale(1.0) score {
  ^bb0(%s: f32, %i: index, %j: index):
    memref.store %s, %m[] : memref<f32>
    smx.yield %s : f32
  } : tensor<7x16xf32>, tensor<7x16xf32>, tensor<7x16xf32> -> tensor<7x16xf32>
  return
}
