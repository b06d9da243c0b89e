// RUN: softmax-opt %s -split-input-file -verify-diagnostics

// P10
#L = #smx_gpu.fragment<warps = 4>
smx_gpu.kernel @not_transposed(%a: memref<64x128xbf16>, %i: index) warps(4) {
  %x = smx_gpu.load %a[%i, %i] dims [0, 1] : memref<64x128xbf16> -> tensor<64x128xbf16, #L>
  %b = smx_gpu.alloc : !smx_gpu.shared<32x128xbf16, swizzle = 128>
  %zero = arith.constant dense<0.0> : tensor<64x32xf32, #L>
  // expected-error @+1 {{'smx_gpu.mma' op expected shapes m x k, k x n and m x n, got [64, 128], [32, 128] and [64, 32]}}
  %c = smx_gpu.mma %x, %b, %zero : tensor<64x128xbf16, #L>, !smx_gpu.shared<32x128xbf16, swizzle = 128> -> tensor<64x32xf32, #L>
  smx_gpu.return
}

// -----

// P10
#L = #smx_gpu.fragment<warps = 4>
smx_gpu.kernel @other_rows() warps(4) {
  %a = smx_gpu.alloc : !smx_gpu.shared<128x64xbf16, swizzle = 128>
  %b = smx_gpu.alloc : !smx_gpu.shared<32x64xbf16, swizzle = 128>
  %zero = arith.constant dense<0.0> : tensor<64x32xf32, #L>
  // expected-error @+1 {{'smx_gpu.mma' op expected shapes m x k, n x k and m x n, got [128, 64], [32, 64] and [64, 32]}}
  %c = smx_gpu.mma %a, %b, %zero transpose_b : !smx_gpu.shared<128x64xbf16, swizzle = 128>, !smx_gpu.shared<32x64xbf16, swizzle = 128> -> tensor<64x32xf32, #L>
  smx_gpu.return
}

// -----

// P11
#M = #smx_gpu.striped<rows = 8, columns = 16, vector = 2>
smx_gpu.kernel @striped_accumulator() warps(4) {
  %a = smx_gpu.alloc : !smx_gpu.shared<64x64xbf16, swizzle = 128>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #M>
  // expected-error @+1 {{'smx_gpu.mma' op expected an accumulator with a fragment layout, got 'tensor<64x64xf32, #smx_gpu.striped<rows = 8, columns = 16, vector = 2>>'}}
  %c = smx_gpu.mma %a, %a, %zero : !smx_gpu.shared<64x64xbf16, swizzle = 128>, !smx_gpu.shared<64x64xbf16, swizzle = 128> -> tensor<64x64xf32, #M>
  smx_gpu.return
}

// -----

// P11
#L = #smx_gpu.fragment<warps = 4>
#M = #smx_gpu.striped<rows = 8, columns = 16, vector = 2>
smx_gpu.kernel @striped_operand(%x: memref<64x64xbf16>, %i: index) warps(4) {
  %a = smx_gpu.load %x[%i, %i] dims [0, 1] : memref<64x64xbf16> -> tensor<64x64xbf16, #M>
  %b = smx_gpu.alloc : !smx_gpu.shared<64x64xbf16, swizzle = 128>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #L>
  // expected-error @+1 {{'smx_gpu.mma' op expected a register operand in the layout of the accumulator, #smx_gpu.fragment<warps = 4>, got 'tensor<64x64xbf16, #smx_gpu.striped<rows = 8, columns = 16, vector = 2>>'; convert it first}}
  %c = smx_gpu.mma %a, %b, %zero : tensor<64x64xbf16, #M>, !smx_gpu.shared<64x64xbf16, swizzle = 128> -> tensor<64x64xf32, #L>
  smx_gpu.return
}

// -----

// P12
#L = #smx_gpu.fragment<warps = 4>
smx_gpu.kernel @mixed_operands() warps(4) {
  %a = smx_gpu.alloc : !smx_gpu.shared<64x64xf16, swizzle = 128>
  %b = smx_gpu.alloc : !smx_gpu.shared<64x64xbf16, swizzle = 128>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #L>
  // expected-error @+1 {{'smx_gpu.mma' op expected operands of one floating-point type, got 'f16' and 'bf16'}}
  %c = smx_gpu.mma %a, %b, %zero : !smx_gpu.shared<64x64xf16, swizzle = 128>, !smx_gpu.shared<64x64xbf16, swizzle = 128> -> tensor<64x64xf32, #L>
  smx_gpu.return
}

// -----

// P12
#L = #smx_gpu.fragment<warps = 4>
smx_gpu.kernel @narrow_accumulator() warps(4) {
  %a = smx_gpu.alloc : !smx_gpu.shared<64x64xf16, swizzle = 128>
  %zero = arith.constant dense<0.0> : tensor<64x64xf16, #L>
  // expected-error @+1 {{'smx_gpu.mma' op expected an accumulator of 'f32' for operands of 'f16', got 'f16'}}
  %c = smx_gpu.mma %a, %a, %zero : !smx_gpu.shared<64x64xf16, swizzle = 128>, !smx_gpu.shared<64x64xf16, swizzle = 128> -> tensor<64x64xf16, #L>
  smx_gpu.return
}

// -----

// P12
#L = #smx_gpu.fragment<warps = 4>
smx_gpu.kernel @tf32_of_bf16() warps(4) {
  %a = smx_gpu.alloc : !smx_gpu.shared<64x64xbf16, swizzle = 128>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #L>
  // expected-error @+1 {{'smx_gpu.mma' op expected operands of f32 for precision(tf32x3), got 'bf16'}}
  %c = smx_gpu.mma %a, %a, %zero precision(tf32x3) : !smx_gpu.shared<64x64xbf16, swizzle = 128>, !smx_gpu.shared<64x64xbf16, swizzle = 128> -> tensor<64x64xf32, #L>
  smx_gpu.return
}

// -----

// P13
#L = #smx_gpu.fragment<warps = 4>
smx_gpu.kernel @short_sum() warps(4) {
  %a = smx_gpu.alloc : !smx_gpu.shared<64x8xf16, swizzle = 0>
  %b = smx_gpu.alloc : !smx_gpu.shared<8x32xf16, swizzle = 0>
  %zero = arith.constant dense<0.0> : tensor<64x32xf32, #L>
  // expected-error @+1 {{'smx_gpu.mma' op expected a reduced dimension that is a multiple of 16 for 'f16', got 8; pad it with zeros}}
  %c = smx_gpu.mma %a, %b, %zero : !smx_gpu.shared<64x8xf16, swizzle = 0>, !smx_gpu.shared<8x32xf16, swizzle = 0> -> tensor<64x32xf32, #L>
  smx_gpu.return
}

// -----

// P13
#L = #smx_gpu.fragment<warps = 4>
smx_gpu.kernel @odd_sum() warps(4) {
  %a = smx_gpu.alloc : !smx_gpu.shared<64x12xf32, swizzle = 0>
  %b = smx_gpu.alloc : !smx_gpu.shared<12x32xf32, swizzle = 0>
  %zero = arith.constant dense<0.0> : tensor<64x32xf32, #L>
  // expected-error @+1 {{'smx_gpu.mma' op expected a reduced dimension that is a multiple of 8 for 'f32', got 12; pad it with zeros}}
  %c = smx_gpu.mma %a, %b, %zero : !smx_gpu.shared<64x12xf32, swizzle = 0>, !smx_gpu.shared<12x32xf32, swizzle = 0> -> tensor<64x32xf32, #L>
  smx_gpu.return
}

// -----

#L = #smx_gpu.fragment<warps = 4>
smx_gpu.kernel @unknown_precision() warps(4) {
  %a = smx_gpu.alloc : !smx_gpu.shared<64x64xf32, swizzle = 0>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #L>
  // expected-error @+1 {{expected exact or tf32x3, got 'tf32'}}
  %c = smx_gpu.mma %a, %a, %zero precision(tf32) : !smx_gpu.shared<64x64xf32, swizzle = 0>, !smx_gpu.shared<64x64xf32, swizzle = 0> -> tensor<64x64xf32, #L>
  smx_gpu.return
}

// -----

// P28
#L = #smx_gpu.fragment<warps = 4>
smx_gpu.kernel @terms_without_a_guard() warps(4) {
  %a = smx_gpu.alloc : !smx_gpu.shared<64x64xbf16, swizzle = 128>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #L>
  // expected-error @+1 {{'smx_gpu.mma' op expected 'terms' of a guarded product of 16-bit operands, got no guard, and operands of 'bf16'}}
  %c = smx_gpu.mma %a, %a, %zero terms : !smx_gpu.shared<64x64xbf16, swizzle = 128>, !smx_gpu.shared<64x64xbf16, swizzle = 128> -> tensor<64x64xf32, #L>
  smx_gpu.return
}

// -----

// P28
#L = #smx_gpu.fragment<warps = 4>
smx_gpu.kernel @wide_terms() warps(4) {
  %a = smx_gpu.alloc : !smx_gpu.shared<64x64xf32, swizzle = 0>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #L>
  // expected-error @+1 {{'smx_gpu.mma' op expected 'terms' of a guarded product of 16-bit operands, got operands of 'f32'}}
  %c = smx_gpu.mma %a, %a, %zero guarded terms : !smx_gpu.shared<64x64xf32, swizzle = 0>, !smx_gpu.shared<64x64xf32, swizzle = 0> -> tensor<64x64xf32, #L>
  smx_gpu.return
}

// -----

// P30
smx_gpu.kernel @wide_tile() warps(4) {
  %a = smx_gpu.alloc : !smx_gpu.shared<64x64xf32, swizzle = 0>
  // expected-error @+1 {{'smx_gpu.not_finite' op expected a tile of a floating-point type of 16 bits, got 'f32'}}
  %any = smx_gpu.not_finite %a : !smx_gpu.shared<64x64xf32, swizzle = 0>
  smx_gpu.return
}
