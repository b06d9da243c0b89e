// RUN: softmax-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expected exp or exp2, got 'exp10'}}
func.func private @base() attributes {test.a = #smx.softmax<exp10>}

// -----

// expected-error @+1 {{expected scale or masked_row, got 'temperature'}}
func.func private @parameter() attributes {test.a = #smx.softmax<exp, temperature = 2.0>}

// -----

// expected-error @+1 {{expected scale once}}
func.func private @twice() attributes {test.a = #smx.softmax<exp, scale = 0.1, scale = 0.2>}

// -----

// expected-error @+1 {{expected nan or zero, got 'one'}}
func.func private @masked_row() attributes {test.a = #smx.softmax<exp, masked_row = one>}

// -----

// A state keeps max(scale*s) = scale*max(s), which a negative scale breaks.
// expected-error @+1 {{expected a finite scale above 0, got -1}}
func.func private @negative_scale() attributes {test.a = #smx.softmax<exp, scale = -1.0>}

// -----

// expected-error @+1 {{expected a finite scale above 0, got 0}}
func.func private @zero_scale() attributes {test.a = #smx.softmax<exp2, scale = 0.0>}

// -----

// expected-error @+1 {{unknown anchor 'middle', expected top_left or bottom_right}}
func.func private @anchor() attributes {test.a = #smx.band<middle, right = 0>}

// -----

// expected-error @+1 {{expected 'left' or 'right' once, got 'up'}}
func.func private @side() attributes {test.a = #smx.band<top_left, up = 0>}

// -----

// expected-error @+1 {{expected 'left' or 'right' once, got 'left'}}
func.func private @side_twice() attributes {test.a = #smx.band<top_left, left = 0, left = 1>}

// -----

// expected-error @+1 {{band is empty: left = 3 and right = -4, expected left >= -right}}
func.func private @empty_band() attributes {test.a = #smx.band<top_left, left = 3, right = -4>}

// -----

// expected-error @+1 {{expected sides of a band between -2^62 and 2^62, got -9223372036854775808; a side that is left out is unbounded}}
func.func private @right_without_negative() attributes {test.a = #smx.band<top_left, left = 0, right = -9223372036854775808>}

// -----

// expected-error @+1 {{expected sides of a band between -2^62 and 2^62, got 4611686018427387904; a side that is left out is unbounded}}
func.func private @wide_left() attributes {test.a = #smx.band<top_left, left = 4611686018427387904>}

// -----

// expected-error @+2 {{expected ::mlir::smx::MaskedRow to be one of: nan, zero}}
// expected-error @+1 {{failed to parse Smx_MaskedRowAttr parameter 'value'}}
func.func private @masked_row_attribute() attributes {test.a = #smx.masked_row<half>}

// -----

// expected-error @+1 {{expected a length of at least 0, got -1}}
func.func private @negative_prefix() attributes {test.a = #smx.prefix<top_left, length = -1>}

// -----

// expected-error @+1 {{expected chunks of at least 1 key, got 0}}
func.func private @no_chunk() attributes {test.a = #smx.chunks<top_left, size = 0>}

// -----

// expected-error @+1 {{expected blocks of at least 1 row and 1 key, got 64 and 0}}
func.func private @no_key() attributes {test.a = #smx.blocks<rows = 64, keys = 0>}

// -----

// expected-error @+1 {{expected at least 1 query, got 0}}
func.func private @no_query() attributes {test.a = #smx.packed<#smx.key_lengths, queries = 0>}

// -----

// expected-error @+1 {{expected a mask that reads nothing for each row, got #smx.key_ranges}}
func.func private @packed_rows() attributes {test.a = #smx.packed<#smx.key_ranges, queries = 4>}

// -----

// expected-error @+1 {{expected 'causal'}}
func.func private @other_lengths() attributes {test.a = #smx.key_lengths<windowed>}

// -----

// expected-error @+1 {{expected at least 2 masks, got 1}}
func.func private @all_of_one() attributes {test.a = #smx.all_of<[#smx.key_lengths]>}

// -----

// expected-error @+1 {{expected each of the masks to be one, got 7 : i64}}
func.func private @all_of_a_number() attributes {test.a = #smx.all_of<[#smx.key_lengths, 7]>}

// -----

// expected-error @+1 {{expected a finite epsilon of at least 0, got -1}}
func.func private @negative_epsilon() attributes {test.a = #smx.moments<epsilon = -1.0 : f64>}

// -----

// expected-error @+1 {{expected a finite epsilon of at least 0, got INF}}
func.func private @infinite_epsilon() attributes {test.a = #smx.mean_square<epsilon = 0x7FF0000000000000 : f64>}

// -----

// expected-error @+1 {{expected a smoothing in [0, 1), got 1}}
func.func private @whole_smoothing() attributes {test.a = #smx.cross_entropy<#smx.softmax<exp>, smoothing = 1.0 : f64>}

// -----

// expected-error @+1 {{expected a finite scale other than 0, got 0}}
func.func private @no_scale() attributes {test.a = #smx.gradient<softmax, scale = 0.0 : f64>}

// -----

// expected-error @+1 {{expected k in [1, 64], got 65}}
func.func private @too_many_keys() attributes {test.a = #smx.topk<#smx.softmax<exp>, k = 65>}

// -----

// Q1
// expected-error @+1 {{expected an algebra that merges many states at a time, got #smx.topk<#smx.softmax<exp>, k = 9>}}
func.func private @no_parts() attributes {test.a = #smx.parts<#smx.topk<#smx.softmax<exp>, k = 9>>}

// -----

// An attribute that is no mask.
func.func @not_a_mask(%q: tensor<7x16xf32>, %k: tensor<9x16xf32>, %v: tensor<9x4xf32>) {
  // expected-error @+1 {{invalid kind of attribute specified}}
  %o = smx.attention %q, %k, %v scale(1.0) mask(#smx.softmax<exp>) : tensor<7x16xf32>, tensor<9x16xf32>, tensor<9x4xf32> -> tensor<7x4xf32>
  return
}

// -----

// A mask that is no algebra.
func.func @not_an_algebra() {
  // expected-error @+1 {{invalid kind of attribute specified}}
  %o:2 = smx.identity #smx.band<top_left> -> tensor<4xf32>, tensor<4xf32>
  return
}
