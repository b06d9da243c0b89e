// RUN: softmax-opt %s -split-input-file -verify-diagnostics

// P5
smx_gpu.kernel @no_such_dim() warps(4) {
  // expected-error @+1 {{'smx_gpu.position' op expected a dimension from 0 to 1, got 2}}
  %p = smx_gpu.position 2 : tensor<64x64xindex, #smx_gpu.fragment<warps = 4>>
  smx_gpu.return
}

// -----

// P5
smx_gpu.kernel @position_as_float() warps(4) {
  // expected-error @+1 {{'smx_gpu.position' op expected index elements, got 'f32'}}
  %p = smx_gpu.position 1 : tensor<64x64xf32, #smx_gpu.fragment<warps = 4>>
  smx_gpu.return
}

// -----

// P6
#L = #smx_gpu.fragment<warps = 4>
smx_gpu.kernel @other_dim() warps(4) {
  %x = arith.constant dense<0.0> : tensor<64x64xf32, #L>
  // expected-error @+1 {{'smx_gpu.reduce' op expected the slice of the operand, 'tensor<64xf32, #smx_gpu.slice<0, #smx_gpu.fragment<warps = 4>>>', got 'tensor<64xf32, #smx_gpu.slice<1, #smx_gpu.fragment<warps = 4>>>'}}
  %m = smx_gpu.reduce <add> %x dim 0 : tensor<64x64xf32, #L> -> tensor<64xf32, #smx_gpu.slice<1, #L>>
  smx_gpu.return
}

// -----

// P6
#L = #smx_gpu.fragment<warps = 4>
smx_gpu.kernel @reduce_of_a_slice() warps(4) {
  %x = arith.constant dense<0.0> : tensor<64xf32, #smx_gpu.slice<1, #L>>
  // expected-error @+1 {{'smx_gpu.reduce' op expected a two-dimensional tile with a layout, and dimension 0 or 1 of it, got dimension 0 of 'tensor<64xf32, #smx_gpu.slice<1, #smx_gpu.fragment<warps = 4>>>'}}
  %m = smx_gpu.reduce <add> %x dim 0 : tensor<64xf32, #smx_gpu.slice<1, #L>> -> tensor<64xf32, #smx_gpu.slice<1, #L>>
  smx_gpu.return
}

// -----

// P6
#L = #smx_gpu.fragment<warps = 4>
smx_gpu.kernel @no_such_axis() warps(4) {
  %x = arith.constant dense<0.0> : tensor<64x64xf32, #L>
  // expected-error @+1 {{expected a two-dimensional tile with a layout, and dimension 0 or 1 of it, got dimension 2 of 'tensor<64x64xf32}}
  %m = smx_gpu.reduce <add> %x dim 2 : tensor<64x64xf32, #L> -> tensor<64xf32, #smx_gpu.slice<1, #L>>
  smx_gpu.return
}

// -----

// P6: which of the integer maxima, signed or not, is to be said.
#L = #smx_gpu.fragment<warps = 4>
smx_gpu.kernel @largest_index() warps(4) {
  %x = smx_gpu.position 1 : tensor<64x64xindex, #L>
  // expected-error @+1 {{'smx_gpu.reduce' op expected floating-point elements for maximum, got 'index'}}
  %m = smx_gpu.reduce <maximum> %x dim 1 : tensor<64x64xindex, #L> -> tensor<64xindex, #smx_gpu.slice<1, #L>>
  smx_gpu.return
}

// -----

// P6
#L = #smx_gpu.fragment<warps = 4>
smx_gpu.kernel @signed_maximum_of_floats() warps(4) {
  %x = arith.constant dense<0.0> : tensor<64x64xf32, #L>
  // expected-error @+1 {{'smx_gpu.reduce' op expected integer elements for maxsi, got 'f32'}}
  %m = smx_gpu.reduce <maxsi> %x dim 1 : tensor<64x64xf32, #L> -> tensor<64xf32, #smx_gpu.slice<1, #L>>
  smx_gpu.return
}

// -----

// P20
#L = #smx_gpu.fragment<warps = 4>
smx_gpu.kernel @assert_a_number() warps(4) {
  %x = arith.constant dense<0> : tensor<64x64xi32, #L>
  // expected-error @+1 {{'smx_gpu.assert' op expected elements of type i1, got 'i32'}}
  smx_gpu.assert %x, "not zero" : tensor<64x64xi32, #L>
  smx_gpu.return
}

// -----

// P21: factors of the columns.
#L = #smx_gpu.fragment<warps = 4>
smx_gpu.kernel @factors_of_columns(%x: f32) warps(4) {
  %t = tensor.splat %x : tensor<64x64xf32, #L>
  %f = tensor.splat %x : tensor<64xf32, #smx_gpu.slice<0, #L>>
  // expected-error @+1 {{'smx_gpu.rescale' op expected a two-dimensional tile with a layout, and its slice along dimension 1, got 'tensor<64x64xf32, #smx_gpu.fragment<warps = 4>>' and 'tensor<64xf32, #smx_gpu.slice<0, #smx_gpu.fragment<warps = 4>>>'}}
  %y = smx_gpu.rescale %t by %f : tensor<64x64xf32, #L>, tensor<64xf32, #smx_gpu.slice<0, #L>>
  smx_gpu.return
}

// -----

// P21: of another tile.
#L = #smx_gpu.fragment<warps = 4>
smx_gpu.kernel @factors_of_a_column(%x: f32) warps(4) {
  %t = tensor.splat %x : tensor<64xf32, #smx_gpu.slice<1, #L>>
  // expected-error @+1 {{'smx_gpu.rescale' op expected a two-dimensional tile with a layout}}
  %y = smx_gpu.rescale %t by %t : tensor<64xf32, #smx_gpu.slice<1, #L>>, tensor<64xf32, #smx_gpu.slice<1, #L>>
  smx_gpu.return
}

// -----

// P7: a slice of other threads.
#L = #smx_gpu.fragment<warps = 4>
#M = #smx_gpu.striped<rows = 8, columns = 16, vector = 4>
smx_gpu.kernel @other_layout(%n: index) warps(4) {
  %m = tensor.splat %n : tensor<64xindex, #smx_gpu.slice<1, #L>>
  // expected-error @+1 {{'smx_gpu.broadcast' op expected the slice of the result, 'tensor<64xindex, #smx_gpu.slice<1, #smx_gpu.striped<rows = 8, columns = 16, vector = 4>>>', got 'tensor<64xindex, #smx_gpu.slice<1, #smx_gpu.fragment<warps = 4>>>'; convert to its layout first}}
  %b = smx_gpu.broadcast %m : tensor<64xindex, #smx_gpu.slice<1, #L>> -> tensor<64x64xindex, #M>
  smx_gpu.return
}

// -----

// P7
#L = #smx_gpu.fragment<warps = 4>
smx_gpu.kernel @other_rows(%n: index) warps(4) {
  %m = tensor.splat %n : tensor<64xindex, #smx_gpu.slice<1, #L>>
  // expected-error @+1 {{'smx_gpu.broadcast' op expected the slice of the result, 'tensor<128xindex, #smx_gpu.slice<1, #smx_gpu.fragment<warps = 4>>>', got}}
  %b = smx_gpu.broadcast %m : tensor<64xindex, #smx_gpu.slice<1, #L>> -> tensor<128x64xindex, #L>
  smx_gpu.return
}

// -----

// P7
#L = #smx_gpu.fragment<warps = 4>
smx_gpu.kernel @broadcast_of_a_tile(%n: index) warps(4) {
  %m = tensor.splat %n : tensor<64x64xindex, #L>
  // expected-error @+1 {{'smx_gpu.broadcast' op expected values with a slice layout and a two-dimensional tile with a layout, got}}
  %b = smx_gpu.broadcast %m : tensor<64x64xindex, #L> -> tensor<64x64xindex, #L>
  smx_gpu.return
}

// -----

// P8
smx_gpu.kernel @convert_elements(%n: index) warps(4) {
  %a = tensor.splat %n : tensor<64x64xindex, #smx_gpu.fragment<warps = 4>>
  // expected-error @+1 {{'smx_gpu.convert' op expected only the layout to change, got 'tensor<64x64xindex, #smx_gpu.fragment<warps = 4>>' to 'tensor<64x64xi32, #smx_gpu.fragment<warps = 4>>'}}
  %b = smx_gpu.convert %a : tensor<64x64xindex, #smx_gpu.fragment<warps = 4>> -> tensor<64x64xi32, #smx_gpu.fragment<warps = 4>>
  smx_gpu.return
}

// -----

// P9
smx_gpu.kernel @read_of_a_part() warps(4) {
  %s = smx_gpu.alloc : !smx_gpu.shared<128x64xbf16, swizzle = 128>
  // expected-error @+1 {{'smx_gpu.read' op expected tiles of one shape and element type, got 'tensor<64x64xbf16, #smx_gpu.fragment<warps = 4>>' and '!smx_gpu.shared<128x64xbf16, swizzle = 128>'}}
  %t = smx_gpu.read %s : !smx_gpu.shared<128x64xbf16, swizzle = 128> -> tensor<64x64xbf16, #smx_gpu.fragment<warps = 4>>
  smx_gpu.return
}

// -----

// P9
smx_gpu.kernel @write_of_others() warps(4) {
  %s = smx_gpu.alloc : !smx_gpu.shared<64x64xbf16, swizzle = 128>
  %t = arith.constant dense<0.0> : tensor<64x64xf16, #smx_gpu.fragment<warps = 4>>
  // expected-error @+1 {{'smx_gpu.write' op expected tiles of one shape and element type}}
  smx_gpu.write %t, %s : tensor<64x64xf16, #smx_gpu.fragment<warps = 4>>, !smx_gpu.shared<64x64xbf16, swizzle = 128>
  smx_gpu.return
}

// -----

// P16
smx_gpu.kernel @tile_of_the_cluster() warps(4) cluster(2) {
  %t = arith.constant dense<0.0> : tensor<64x64xf32, #smx_gpu.fragment<warps = 4>>
  // expected-error @+1 {{'smx_gpu.cluster_reduce' op expected values with a slice layout, got 'tensor<64x64xf32, #smx_gpu.fragment<warps = 4>>'; reduce the tile in the block first}}
  %m = smx_gpu.cluster_reduce <add> %t : tensor<64x64xf32, #smx_gpu.fragment<warps = 4>>
  smx_gpu.return
}

// -----

// P19
smx_gpu.kernel @gather_with_one_index(%x: memref<8x8xf32>) warps(4) {
  %i = smx_gpu.position 0 : tensor<64x64xindex, #smx_gpu.fragment<warps = 4>>
  // expected-error @+1 {{'smx_gpu.gather' op expected one index per dimension of the memref, 2, got 1}}
  %t = smx_gpu.gather %x[%i] : memref<8x8xf32> -> tensor<64x64xf32, #smx_gpu.fragment<warps = 4>>
  smx_gpu.return
}

// -----

// P4
smx_gpu.kernel @gather_of_another_type(%x: memref<8xf16>) warps(4) {
  %i = smx_gpu.position 0 : tensor<64x64xindex, #smx_gpu.fragment<warps = 4>>
  // expected-error @+1 {{'smx_gpu.gather' op expected a memref and a tile of one element type, got 'f16' and 'f32'}}
  %t = smx_gpu.gather %x[%i] : memref<8xf16> -> tensor<64x64xf32, #smx_gpu.fragment<warps = 4>>
  smx_gpu.return
}

// -----

// P25: columns that do not divide.
#L = #smx_gpu.fragment<warps = 4>
smx_gpu.kernel @columns_left(%x: f32) warps(4) {
  %t = tensor.splat %x : tensor<64x24xf32, #L>
  // expected-error @+1 {{'smx_gpu.partial_reduce' op expected two tiles of one layout, and as many columns of the second as divide those of the first and are a multiple of what a row of its threads holds, got 'tensor<64x24xf32, #smx_gpu.fragment<warps = 4>>' and 'tensor<64x16xf32, #smx_gpu.fragment<warps = 4>>'}}
  %s = smx_gpu.partial_reduce <add> %t : tensor<64x24xf32, #L> -> tensor<64x16xf32, #L>
  smx_gpu.return
}

// -----

// P25: columns of stripes that do not divide.
#M = #smx_gpu.striped<rows = 8, columns = 16, vector = 4>
smx_gpu.kernel @striped_columns(%x: f32) warps(4) {
  %t = tensor.splat %x : tensor<64x192xf32, #M>
  // expected-error @+1 {{expected two tiles of one layout}}
  %s = smx_gpu.partial_reduce <add> %t : tensor<64x192xf32, #M> -> tensor<64x128xf32, #M>
  smx_gpu.return
}

// -----

// P25: a combiner of integers.
#L = #smx_gpu.fragment<warps = 4>
smx_gpu.kernel @integers_combined(%x: f32) warps(4) {
  %t = tensor.splat %x : tensor<64x24xf32, #L>
  // expected-error @+1 {{'smx_gpu.partial_reduce' op expected integer elements for maxsi, got 'f32'}}
  %s = smx_gpu.partial_reduce <maxsi> %t : tensor<64x24xf32, #L> -> tensor<64x8xf32, #L>
  smx_gpu.return
}

// -----

// P26: not a truth.
#L = #smx_gpu.fragment<warps = 4>
smx_gpu.kernel @any_number(%x: i32) warps(4) {
  %t = tensor.splat %x : tensor<64x64xi32, #L>
  // expected-error @+1 {{'smx_gpu.any' op expected elements of i1, got 'i32'}}
  %a = smx_gpu.any %t : tensor<64x64xi32, #L>
  smx_gpu.return
}

// -----

// P27: a row begins in one warp and ends in the next.
#M = #smx_gpu.striped<rows = 4, columns = 24, vector = 4>
smx_gpu.kernel @largest_of_lanes(%x: f32) warps(3) {
  %t = tensor.splat %x : tensor<4x96xf32, #M>
  // expected-error @+1 {{'smx_gpu.largest' op expected a striped tile of f32, f16 or bf16 whose rows whole warps or equal parts of a warp hold, got 'tensor<4x96xf32, #smx_gpu.striped<rows = 4, columns = 24, vector = 4>>'}}
  %v, %c = smx_gpu.largest %t : tensor<4x96xf32, #M> -> tensor<4xf32, #smx_gpu.slice<1, #M>> at tensor<4xindex, #smx_gpu.slice<1, #M>>
  smx_gpu.return
}

// -----

// P27: elements without a place of their own in 64 bits.
#M = #smx_gpu.striped<rows = 1, columns = 32, vector = 2>
smx_gpu.kernel @largest_of_doubles(%x: f64) warps(1) {
  %t = tensor.splat %x : tensor<1x64xf64, #M>
  // expected-error @+1 {{expected a striped tile of f32, f16 or bf16}}
  %v, %c = smx_gpu.largest %t : tensor<1x64xf64, #M> -> tensor<1xf64, #smx_gpu.slice<1, #M>> at tensor<1xindex, #smx_gpu.slice<1, #M>>
  smx_gpu.return
}

// -----

// P27: no results.
#M = #smx_gpu.striped<rows = 1, columns = 32, vector = 1>
smx_gpu.kernel @none_of_the_largest(%x: f32) warps(1) {
  %t = tensor.splat %x : tensor<1x32xf32, #M>
  // expected-error @+1 {{'smx_gpu.largest' op expected 1 to 32 results, got 0}}
  "smx_gpu.largest"(%t) <{operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>}> : (tensor<1x32xf32, #M>) -> ()
  smx_gpu.return
}

// -----

// P27: columns are of type index.
#M = #smx_gpu.striped<rows = 1, columns = 32, vector = 2>
smx_gpu.kernel @largest_at_integers(%x: f32) warps(1) {
  %t = tensor.splat %x : tensor<1x64xf32, #M>
  // expected-error @+1 {{'smx_gpu.largest' op expected results of 'tensor<1xf32, #smx_gpu.slice<1, #smx_gpu.striped<rows = 1, columns = 32, vector = 2>>>' and 'tensor<1xindex, #smx_gpu.slice<1, #smx_gpu.striped<rows = 1, columns = 32, vector = 2>>>', got 'tensor<1xi64}}
  %v, %c = smx_gpu.largest %t : tensor<1x64xf32, #M> -> tensor<1xf32, #smx_gpu.slice<1, #M>> at tensor<1xi64, #smx_gpu.slice<1, #M>>
  smx_gpu.return
}

// -----

// P27: ranks without a column each.
#M = #smx_gpu.striped<rows = 1, columns = 32, vector = 2>
#N = #smx_gpu.striped<rows = 1, columns = 32, vector = 1>
smx_gpu.kernel @more_ranks_than_columns(%x: f32) warps(1) {
  %t = tensor.splat %x : tensor<1x64xf32, #M>
  // expected-error @+1 {{'smx_gpu.largest' op expected a tile of values with a column for each of 33 ranks, got 'tensor<1x32xf32}}
  %v, %c = smx_gpu.largest %t ranks(33) : tensor<1x64xf32, #M> -> tensor<1x32xf32, #N> at tensor<1x32xindex, #N>
  smx_gpu.return
}

// -----

// P27: ranks in vectors.
#M = #smx_gpu.striped<rows = 1, columns = 32, vector = 2>
smx_gpu.kernel @ranks_in_vectors(%x: f32) warps(1) {
  %t = tensor.splat %x : tensor<1x64xf32, #M>
  // expected-error @+1 {{'smx_gpu.largest' op expected results of 'tensor<1x64xf32, #smx_gpu.striped<rows = 1, columns = 32, vector = 1>>' and 'tensor<1x64xindex, #smx_gpu.striped<rows = 1, columns = 32, vector = 1>>', got 'tensor<1x64xf32, #smx_gpu.striped<rows = 1, columns = 32, vector = 2>>'}}
  %v, %c = smx_gpu.largest %t ranks(3) : tensor<1x64xf32, #M> -> tensor<1x64xf32, #M> at tensor<1x64xindex, #M>
  smx_gpu.return
}

// -----

// P7: vectors may differ, but not how many threads have a row.
#M = #smx_gpu.striped<rows = 2, columns = 32, vector = 2>
#N = #smx_gpu.striped<rows = 1, columns = 64, vector = 1>
smx_gpu.kernel @other_threads(%x: f32) warps(2) {
  %m = tensor.splat %x : tensor<2xf32, #smx_gpu.slice<1, #M>>
  // expected-error @+1 {{'smx_gpu.broadcast' op expected the slice of the result}}
  %b = smx_gpu.broadcast %m : tensor<2xf32, #smx_gpu.slice<1, #M>> -> tensor<2x64xf32, #N>
  smx_gpu.return
}

// -----

// P7: vectors may differ, but not the rows.
#M = #smx_gpu.striped<rows = 1, columns = 32, vector = 2>
#N = #smx_gpu.striped<rows = 1, columns = 32, vector = 1>
smx_gpu.kernel @fewer_rows(%x: f32) warps(1) {
  %m = tensor.splat %x : tensor<2xf32, #smx_gpu.slice<1, #M>>
  // expected-error @+1 {{'smx_gpu.broadcast' op expected the slice of the result}}
  %b = smx_gpu.broadcast %m : tensor<2xf32, #smx_gpu.slice<1, #M>> -> tensor<1x64xf32, #N>
  smx_gpu.return
}

// -----

// P27: memory of other elements.
#M = #smx_gpu.striped<rows = 1, columns = 32, vector = 2>
smx_gpu.kernel @largest_of_other_elements(%x: f32, %m: memref<?x4096xf16>) warps(1) {
  %c0 = arith.constant 0 : index
  %t = tensor.splat %x : tensor<1x64xf32, #M>
  // expected-error @+1 {{'smx_gpu.largest' op expected memory with elements of 'f32' and an offset for each of its dimensions, got 'memref<?x4096xf16>' and 2 offsets}}
  %v, %c = smx_gpu.largest %t of %m[%c0, %c0] extent(4096) : tensor<1x64xf32, #M>, memref<?x4096xf16> -> tensor<1xf32, #smx_gpu.slice<1, #M>> at tensor<1xindex, #smx_gpu.slice<1, #M>>
  smx_gpu.return
}

// -----

// P27: a row that is shorter than a tile.
#M = #smx_gpu.striped<rows = 1, columns = 32, vector = 2>
smx_gpu.kernel @largest_of_a_part(%x: f32, %m: memref<?x4096xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %t = tensor.splat %x : tensor<1x64xf32, #M>
  // expected-error @+1 {{'smx_gpu.largest' op expected maxima of one row, a vector for each thread, and an extent that is not less than their number, got 'tensor<1x64xf32, #smx_gpu.striped<rows = 1, columns = 32, vector = 2>>' and an extent of 62}}
  %v, %c = smx_gpu.largest %t of %m[%c0, %c0] extent(62) : tensor<1x64xf32, #M>, memref<?x4096xf32> -> tensor<1xf32, #smx_gpu.slice<1, #M>> at tensor<1xindex, #smx_gpu.slice<1, #M>>
  smx_gpu.return
}

// -----

// P27: rounds that end within the tile.
#M = #smx_gpu.striped<rows = 1, columns = 32, vector = 2>
#T = #smx_gpu.slice<1, #smx_gpu.striped<rows = 32, columns = 1, vector = 2>>
smx_gpu.kernel @largest_of_cut_rounds(%x: f32, %i: i32, %m: memref<?x4096xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %t = tensor.splat %x : tensor<1x64xf32, #M>
  %s = tensor.splat %i : tensor<32xi32, #T>
  %n = tensor.splat %x : tensor<32xf32, #T>
  // expected-error @+1 {{'smx_gpu.largest' op expected rounds of a row in memory, an i32 and an element of each of 32 threads, and a span that is a multiple of 64, got 'tensor<32xi32, #smx_gpu.slice<1, #smx_gpu.striped<rows = 32, columns = 1, vector = 2>>>', 'tensor<32xf32, #smx_gpu.slice<1, #smx_gpu.striped<rows = 32, columns = 1, vector = 2>>>' and 96}}
  %v, %c = smx_gpu.largest %t of %m[%c0, %c0] extent(4096) rounds(%s, %n span 96) : tensor<1x64xf32, #M>, memref<?x4096xf32> rounds tensor<32xi32, #T>, tensor<32xf32, #T>
      -> tensor<1xf32, #smx_gpu.slice<1, #M>> at tensor<1xindex, #smx_gpu.slice<1, #M>>
  smx_gpu.return
}

// -----

// P27: some of a tile.
#M = #smx_gpu.striped<rows = 1, columns = 32, vector = 2>
smx_gpu.kernel @largest_of_some_of_a_tile(%x: f32, %n: index) warps(1) {
  %t = tensor.splat %x : tensor<1x64xf32, #M>
  // expected-error @+1 {{'smx_gpu.largest' op expected all of a row that is in no memory}}
  %v, %c = smx_gpu.largest %t valid(%n) : tensor<1x64xf32, #M> -> tensor<1xf32, #smx_gpu.slice<1, #M>> at tensor<1xindex, #smx_gpu.slice<1, #M>>
  smx_gpu.return
}

// -----

// P27: more maxima than a vector for each thread.
#M = #smx_gpu.striped<rows = 1, columns = 32, vector = 2>
smx_gpu.kernel @maxima_of_two_vectors(%x: f32, %m: memref<?x4096xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %t = tensor.splat %x : tensor<1x128xf32, #M>
  // expected-error @+1 {{expected maxima of one row, a vector for each thread}}
  %v, %c = smx_gpu.largest %t of %m[%c0, %c0] extent(4096) : tensor<1x128xf32, #M>, memref<?x4096xf32> -> tensor<1xf32, #smx_gpu.slice<1, #M>> at tensor<1xindex, #smx_gpu.slice<1, #M>>
  smx_gpu.return
}
