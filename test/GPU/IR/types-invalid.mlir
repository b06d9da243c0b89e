// RUN: softmax-opt %s -split-input-file -verify-diagnostics

// T1
// expected-error @+1 {{a shared tile has two static dimensions of a type of 1, 2, 4 or 8 bytes, got 1 dimensions of 'f32'}}
func.func private @one_dimension(!smx_gpu.shared<64xf32, swizzle = 0>)

// -----

// T1
// expected-error @+1 {{a shared tile has two static dimensions of a type of 1, 2, 4 or 8 bytes, got 2 dimensions of 'i1'}}
func.func private @bits(!smx_gpu.shared<64x64xi1, swizzle = 0>)

// -----

// T1
// expected-error @+1 {{a shared tile has two static dimensions of a type of 1, 2, 4 or 8 bytes, got 2 dimensions of 'index'}}
func.func private @index_elements(!smx_gpu.channel<64x64xindex, swizzle = 0, depth = 1>)

// -----

// T2
// expected-error @+1 {{a swizzle is 0, 32, 64 or 128 bytes and divides the bytes of a row, got 16 for rows of 128 bytes}}
func.func private @narrow_swizzle(!smx_gpu.shared<64x64xbf16, swizzle = 16>)

// -----

// T2
// expected-error @+1 {{a swizzle is 0, 32, 64 or 128 bytes and divides the bytes of a row, got 128 for rows of 192 bytes}}
func.func private @part_of_a_span(!smx_gpu.channel<64x96xbf16, swizzle = 128, depth = 2>)

// -----

// T3
// expected-error @+1 {{a channel has at least one stage, got 0}}
func.func private @no_stage(!smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 0>)

// -----

// T4
// expected-error @+1 {{2 to 7 groups take turns, got 1}}
func.func private @alone(!smx_gpu.turns<1>)

// -----

// T4
// expected-error @+1 {{2 to 7 groups take turns, got 8}}
func.func private @too_many_groups(!smx_gpu.turns<8>)
