// RUN: softmax-opt %s -split-input-file -verify-diagnostics

// B1
func.func @open_page(%p: tensor<9x?x2x8xf32>, %t: tensor<2x3xi32>, %n: tensor<2xi32>) {
  // expected-error @+1 {{'smx.paged' op expected pages of [pages, page, heads, dim] with a static extent of a page of at least 1, got 'tensor<9x?x2x8xf32>'}}
  %k = smx.paged %p by(%t, %n : tensor<2x3xi32>, tensor<2xi32>) : tensor<9x?x2x8xf32> -> tensor<2x2x?x8xf32>
  return
}

// -----

// B1
func.func @pages_without_heads(%p: tensor<9x4x8xf32>, %t: tensor<2x3xi32>, %n: tensor<2xi32>) {
  // expected-error @+1 {{'smx.paged' op expected pages of [pages, page, heads, dim] with a static extent of a page of at least 1, got 'tensor<9x4x8xf32>'}}
  %k = smx.paged %p by(%t, %n : tensor<2x3xi32>, tensor<2xi32>) : tensor<9x4x8xf32> -> tensor<2x2x12x8xf32>
  return
}

// -----

// B2
func.func @table_of_floats(%p: tensor<9x4x2x8xf32>, %t: tensor<2x3xf32>, %n: tensor<2xi32>) {
  // expected-error @+1 {{'smx.paged' op expected a table of [batch, pages of a sequence] and lengths of [batch], of integers of more than 1 bit, got 'tensor<2x3xf32>' and 'tensor<2xi32>'}}
  %k = smx.paged %p by(%t, %n : tensor<2x3xf32>, tensor<2xi32>) : tensor<9x4x2x8xf32> -> tensor<2x2x12x8xf32>
  return
}

// -----

// B2
func.func @lengths_of_others(%p: tensor<9x4x2x8xf32>, %t: tensor<2x3xi32>, %n: tensor<3xi32>) {
  // expected-error @+1 {{'smx.paged' op expected a table of [batch, pages of a sequence] and lengths of [batch], of integers of more than 1 bit, got 'tensor<2x3xi32>' and 'tensor<3xi32>'}}
  %k = smx.paged %p by(%t, %n : tensor<2x3xi32>, tensor<3xi32>) : tensor<9x4x2x8xf32> -> tensor<2x2x12x8xf32>
  return
}

// -----

// B2: page 1 would be page -1.
func.func @table_of_one_bit(%p: tensor<9x4x2x8xf32>, %t: tensor<2x3xi1>, %n: tensor<2xi32>) {
  // expected-error @+1 {{'smx.paged' op expected a table of [batch, pages of a sequence] and lengths of [batch], of integers of more than 1 bit, got 'tensor<2x3xi1>' and 'tensor<2xi32>'}}
  %k = smx.paged %p by(%t, %n : tensor<2x3xi1>, tensor<2xi32>) : tensor<9x4x2x8xf32> -> tensor<2x2x12x8xf32>
  return
}

// -----

// B3
func.func @too_few_keys(%p: tensor<9x4x2x8xf32>, %t: tensor<2x3xi32>, %n: tensor<2xi32>) {
  // expected-error @+1 {{'smx.paged' op expected a result of shape [2, 2, 12, 8] of 'f32', got 'tensor<2x2x3x8xf32>'}}
  %k = smx.paged %p by(%t, %n : tensor<2x3xi32>, tensor<2xi32>) : tensor<9x4x2x8xf32> -> tensor<2x2x3x8xf32>
  return
}

// -----

// B3
func.func @other_elements(%p: tensor<9x4x2x8xf32>, %t: tensor<2x3xi32>, %n: tensor<2xi32>) {
  // expected-error @+1 {{'smx.paged' op expected a result of shape [2, 2, 12, 8] of 'f32', got 'tensor<2x2x12x8xf16>'}}
  %k = smx.paged %p by(%t, %n : tensor<2x3xi32>, tensor<2xi32>) : tensor<9x4x2x8xf32> -> tensor<2x2x12x8xf16>
  return
}
