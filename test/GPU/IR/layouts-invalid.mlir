// RUN: softmax-opt %s -split-input-file -verify-diagnostics

// L1
// expected-error @+1 {{layout #smx_gpu.fragment<warps = 4> needs two dimensions, rows a multiple of 64 (16 a warp) and columns a multiple of 8, got 96x64}}
func.func private @rows(tensor<96x64xf32, #smx_gpu.fragment<warps = 4>>)

// -----

// L1
// expected-error @+1 {{needs two dimensions, rows a multiple of 64 (16 a warp) and columns a multiple of 8, got 64}}
func.func private @one_dimension(tensor<64xf32, #smx_gpu.fragment<warps = 4>>)

// -----

// L1
// expected-error @+1 {{and columns a multiple of 8, got 64x0}}
func.func private @empty(tensor<64x0xf32, #smx_gpu.fragment<warps = 4>>)

// -----

// expected-error @+1 {{a fragment layout has 1 to 32 warps, got 0}}
func.func private @no_warps(tensor<64x64xf32, #smx_gpu.fragment<warps = 0>>)

// -----

// L2
// expected-error @+1 {{layout #smx_gpu.striped<rows = 2, columns = 16, vector = 4> needs two dimensions, rows a multiple of 2 and columns a multiple of 64, got 2x96}}
func.func private @columns(tensor<2x96xf32, #smx_gpu.striped<rows = 2, columns = 16, vector = 4>>)

// -----

// expected-error @+1 {{a striped layout has 1 to 1024 threads and vectors of 1 to 65536 elements, got 32 x 64 threads and vectors of 1}}
func.func private @many_threads(tensor<64x64xf32, #smx_gpu.striped<rows = 32, columns = 64, vector = 1>>)

// -----

// L3
// expected-error @+1 {{a slice reduces dimension 0 or 1, got 2}}
func.func private @third_dimension(tensor<64xf32, #smx_gpu.slice<2, #smx_gpu.fragment<warps = 4>>>)

// -----

// L3
// expected-error @+1 {{layout #smx_gpu.slice<1, #smx_gpu.fragment<warps = 4>> needs one dimension, a multiple of 64, got 100}}
func.func private @slice_rows(tensor<100xf32, #smx_gpu.slice<1, #smx_gpu.fragment<warps = 4>>>)

// -----

// L3
// expected-error @+1 {{needs one dimension, a multiple of 64, got 96}}
func.func private @slice_columns(tensor<96xf32, #smx_gpu.slice<0, #smx_gpu.striped<rows = 2, columns = 16, vector = 4>>>)

// -----

// L3
// expected-error @+1 {{layout #smx_gpu.slice<1, #smx_gpu.fragment<warps = 4>> needs one dimension, a multiple of 64, got 64x64}}
func.func private @slice_of_two_dimensions(tensor<64x64xf32, #smx_gpu.slice<1, #smx_gpu.fragment<warps = 4>>>)

// -----

// L4
smx_gpu.kernel @half_of_the_warps(%x: memref<64x64xf32>, %i: index) warps(8) {
  // expected-error @+1 {{'smx_gpu.load' op expected a layout of 256 threads, which compute the tile here, got 128 in 'tensor<64x64xf32, #smx_gpu.fragment<warps = 4>>'}}
  %t = smx_gpu.load %x[%i, %i] dims [0, 1] : memref<64x64xf32> -> tensor<64x64xf32, #smx_gpu.fragment<warps = 4>>
  smx_gpu.return
}

// -----

// L4: a tile of a role is one of each group.
smx_gpu.kernel @tile_of_the_role() warps(8) {
  smx_gpu.warp_specialize { smx_gpu.role @compute warps(8) group(4) {
    // expected-error @+1 {{'arith.constant' op expected a layout of 128 threads, which compute the tile here, got 256}}
    %m = arith.constant dense<0.0> : tensor<128xf32, #smx_gpu.slice<1, #smx_gpu.fragment<warps = 8>>>
  } }
  smx_gpu.return
}

// -----

// L4
#L = #smx_gpu.fragment<warps = 4>
smx_gpu.kernel @tile_without_layout(%i: index) warps(4) {
  // expected-error @+1 {{'arith.constant' op expected tensors with a layout in a kernel, got 'tensor<64x64xf32>'; a layout says which thread holds which element}}
  %t = arith.constant dense<0.0> : tensor<64x64xf32>
  smx_gpu.return
}

// -----

// A layout mismatch of elementwise code is an error of the op's types.
#L = #smx_gpu.fragment<warps = 4>
#M = #smx_gpu.striped<rows = 8, columns = 16, vector = 4>
smx_gpu.kernel @two_layouts(%n: index) warps(4) {
  // expected-note @+1 {{prior use here}}
  %a = tensor.splat %n : tensor<64x64xindex, #L>
  // expected-error @+1 {{use of value '%a' expects different type than prior uses}}
  %b = arith.addi %a, %a : tensor<64x64xindex, #M>
  smx_gpu.return
}

// -----

// expected-error @+1 {{vectors of 1 to 65536 elements, got 1 x 64 threads and vectors of 4611686018427387904}}
func.func private @long_vector() -> tensor<64x64xf32, #smx_gpu.striped<rows = 1, columns = 64, vector = 4611686018427387904>>
