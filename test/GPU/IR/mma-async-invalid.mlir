// RUN: softmax-opt %s -split-input-file -verify-diagnostics

// P14
#L = #smx_gpu.fragment<warps = 4>
!tile = !smx_gpu.shared<64x64xbf16, swizzle = 128>
!acc = tensor<64x64xf32, #L>
smx_gpu.kernel @never_waited_for() warps(4) {
  %a = smx_gpu.alloc : !tile
  %zero = arith.constant dense<0.0> : !acc
  // expected-error @+1 {{'smx_gpu.mma_async' op is never waited for: its result has no use}}
  %s, %t = smx_gpu.mma_async %a, %a, %zero : !tile, !tile -> !acc
  smx_gpu.return
}

// -----

// P14: the matrix unit may still be writing it.
#L = #smx_gpu.fragment<warps = 4>
!tile = !smx_gpu.shared<64x64xbf16, swizzle = 128>
!acc = tensor<64x64xf32, #L>
smx_gpu.kernel @read_before_the_wait() warps(4) {
  %a = smx_gpu.alloc : !tile
  %zero = arith.constant dense<0.0> : !acc
  // expected-error @+1 {{'smx_gpu.mma_async' op has a result that is read before 'smx_gpu.wait'}}
  %s, %t = smx_gpu.mma_async %a, %a, %zero : !tile, !tile -> !acc
  // expected-note @+1 {{used here}}
  %d = arith.addf %s, %zero : !acc
  %r = smx_gpu.wait %t, %s : !acc
  smx_gpu.return
}

// -----

// P14
#L = #smx_gpu.fragment<warps = 4>
!tile = !smx_gpu.shared<64x64xbf16, swizzle = 128>
!acc = tensor<64x64xf32, #L>
smx_gpu.kernel @used_twice() warps(4) {
  %a = smx_gpu.alloc : !tile
  %zero = arith.constant dense<0.0> : !acc
  // expected-error @+1 {{'smx_gpu.mma_async' op has a result that is used twice; the other use would see its registers change}}
  %s, %t = smx_gpu.mma_async %a, %a, %zero : !tile, !tile -> !acc
  // expected-note @+1 {{used here}}
  %u, %v = smx_gpu.mma_async %a, %a, %s : !tile, !tile -> !acc
  %r = smx_gpu.wait %t, %s pending 1 : !acc
  %q = smx_gpu.wait %v, %u : !acc
  smx_gpu.return
}

// -----

// P14
#L = #smx_gpu.fragment<warps = 4>
!tile = !smx_gpu.shared<64x64xbf16, swizzle = 128>
!acc = tensor<64x64xf32, #L>
smx_gpu.kernel @waited_for_and_accumulated_onto() warps(4) {
  %a = smx_gpu.alloc : !tile
  %zero = arith.constant dense<0.0> : !acc
  // expected-error @+1 {{'smx_gpu.mma_async' op is waited for, but its result is accumulated onto; wait for the last product}}
  %s, %t = smx_gpu.mma_async %a, %a, %zero : !tile, !tile -> !acc
  %u, %v = smx_gpu.mma_async %a, %a, %s : !tile, !tile -> !acc
  // expected-note @+1 {{used here}}
  %r = smx_gpu.wait %t, %zero : !acc
  %q = smx_gpu.wait %v, %u : !acc
  smx_gpu.return
}

// -----

// P14: in a loop, it would be waited for many times.
#L = #smx_gpu.fragment<warps = 4>
!tile = !smx_gpu.shared<64x64xbf16, swizzle = 128>
!acc = tensor<64x64xf32, #L>
smx_gpu.kernel @waited_for_in_a_loop(%i: index) warps(4) {
  %a = smx_gpu.alloc : !tile
  %zero = arith.constant dense<0.0> : !acc
  // expected-error @+1 {{'smx_gpu.mma_async' op has a result that is used in another block; wait where the product is issued}}
  %s, %t = smx_gpu.mma_async %a, %a, %zero : !tile, !tile -> !acc
  scf.for %j = %i to %i step %i {
    // expected-note @+1 {{used here}}
    %r = smx_gpu.wait %t, %s : !acc
  }
  smx_gpu.return
}

// -----

// P14: a token does not go round a loop.
#L = #smx_gpu.fragment<warps = 4>
!tile = !smx_gpu.shared<64x64xbf16, swizzle = 128>
!acc = tensor<64x64xf32, #L>
smx_gpu.kernel @token_in_a_loop(%i: index) warps(4) {
  %a = smx_gpu.alloc : !tile
  %zero = arith.constant dense<0.0> : !acc
  // expected-error @+1 {{'smx_gpu.mma_async' op has a token that goes elsewhere than to 'smx_gpu.wait'}}
  %s, %t = smx_gpu.mma_async %a, %a, %zero : !tile, !tile -> !acc
  %r = smx_gpu.wait %t, %s : !acc
  // expected-note @+1 {{used here}}
  %l = scf.for %j = %i to %i step %i iter_args(%k = %t) -> !smx_gpu.token {
    scf.yield %k : !smx_gpu.token
  }
  smx_gpu.return
}

// -----

// P15
#L = #smx_gpu.fragment<warps = 4>
!tile = !smx_gpu.shared<64x64xbf16, swizzle = 128>
!acc = tensor<64x64xf32, #L>
smx_gpu.kernel @token_of_another() warps(4) {
  %a = smx_gpu.alloc : !tile
  %zero = arith.constant dense<0.0> : !acc
  %s, %t = smx_gpu.mma_async %a, %a, %zero : !tile, !tile -> !acc
  %u, %v = smx_gpu.mma_async %a, %a, %zero : !tile, !tile -> !acc
  // expected-error @+1 {{'smx_gpu.wait' op expected the token and the tile of one 'smx_gpu.mma_async'}}
  %r = smx_gpu.wait %v, %s : !acc
  %q = smx_gpu.wait %t, %u : !acc
  smx_gpu.return
}

// -----

// P15
#L = #smx_gpu.fragment<warps = 4>
!tile = !smx_gpu.shared<64x64xbf16, swizzle = 128>
!acc = tensor<64x64xf32, #L>
smx_gpu.kernel @token_of_nobody() warps(4) {
  %a = smx_gpu.alloc : !tile
  %zero = arith.constant dense<0.0> : !acc
  %t = builtin.unrealized_conversion_cast to !smx_gpu.token
  // expected-error @+1 {{'smx_gpu.wait' op expected the token and the tile of one 'smx_gpu.mma_async'}}
  %r = smx_gpu.wait %t, %zero : !acc
  smx_gpu.return
}

// -----

// P15: one product may run, but none has been issued after the one waited for.
#L = #smx_gpu.fragment<warps = 4>
!tile = !smx_gpu.shared<64x64xbf16, swizzle = 128>
!acc = tensor<64x64xf32, #L>
smx_gpu.kernel @pending_itself() warps(4) {
  %a = smx_gpu.alloc : !tile
  %zero = arith.constant dense<0.0> : !acc
  %s, %t = smx_gpu.mma_async %a, %a, %zero : !tile, !tile -> !acc
  // expected-error @+1 {{'smx_gpu.wait' op expected pending from 0 to 0, the products issued after the one that it waits for, got 1}}
  %r = smx_gpu.wait %t, %s pending 1 : !acc
  smx_gpu.return
}

// -----

// P15
#L = #smx_gpu.fragment<warps = 4>
!tile = !smx_gpu.shared<64x64xbf16, swizzle = 128>
!acc = tensor<64x64xf32, #L>
smx_gpu.kernel @pending_below_zero() warps(4) {
  %a = smx_gpu.alloc : !tile
  %zero = arith.constant dense<0.0> : !acc
  %s, %t = smx_gpu.mma_async %a, %a, %zero : !tile, !tile -> !acc
  %u, %v = smx_gpu.mma_async %a, %a, %zero : !tile, !tile -> !acc
  // expected-error @+1 {{'smx_gpu.wait' op expected pending from 0 to 1, the products issued after the one that it waits for, got -1}}
  %r = smx_gpu.wait %t, %s pending -1 : !acc
  %q = smx_gpu.wait %v, %u : !acc
  smx_gpu.return
}

// -----

// P15
#L = #smx_gpu.fragment<warps = 4>
!tile = !smx_gpu.shared<64x64xbf16, swizzle = 128>
!acc = tensor<64x64xf32, #L>
smx_gpu.kernel @waited_for_twice() warps(4) {
  %a = smx_gpu.alloc : !tile
  %zero = arith.constant dense<0.0> : !acc
  // expected-error @+1 {{'smx_gpu.mma_async' op is waited for twice; use the result of the first wait}}
  %s, %t = smx_gpu.mma_async %a, %a, %zero : !tile, !tile -> !acc
  // expected-note @+1 {{used here}}
  %r = smx_gpu.wait %t, %s : !acc
  %q = smx_gpu.wait %t, %s : !acc
  smx_gpu.return
}

// -----

// P18
#L = #smx_gpu.fragment<warps = 4>
!tile = !smx_gpu.shared<64x64xf32, swizzle = 128>
!acc = tensor<64x64xf32, #L>
smx_gpu.kernel @async_f32() warps(4) {
  %a = smx_gpu.alloc : !tile
  %zero = arith.constant dense<0.0> : !acc
  // expected-error @+1 {{'smx_gpu.mma_async' op expected operands of a 16-bit type, got 'f32'; smx_gpu.mma takes wider ones}}
  %s, %t = smx_gpu.mma_async %a, %a, %zero : !tile, !tile -> !acc
  %r = smx_gpu.wait %t, %s : !acc
  smx_gpu.return
}

// -----

// P18
#L = #smx_gpu.fragment<warps = 4>
!tile = !smx_gpu.shared<64x64xbf16, swizzle = 0>
!acc = tensor<64x64xf32, #L>
smx_gpu.kernel @async_plain_rows() warps(4) {
  %a = smx_gpu.alloc : !tile
  %zero = arith.constant dense<0.0> : !acc
  // expected-error @+1 {{'smx_gpu.mma_async' op expected shared operands with a swizzle of 32, 64 or 128 bytes, got '!smx_gpu.shared<64x64xbf16, swizzle = 0>'}}
  %s, %t = smx_gpu.mma_async %a, %a, %zero : !tile, !tile -> !acc
  %r = smx_gpu.wait %t, %s : !acc
  smx_gpu.return
}

// -----

// P18
#L = #smx_gpu.fragment<warps = 1>
!tile = !smx_gpu.shared<64x64xbf16, swizzle = 128>
!acc = tensor<64x64xf32, #L>
smx_gpu.kernel @async_of_one_warp() warps(4) {
  %a = smx_gpu.alloc : !tile
  %zero = arith.constant dense<0.0> : !acc
  // expected-error @+1 {{'smx_gpu.mma_async' op expected a fragment of 4 warps, a warpgroup, got 1}}
  %s, %t = smx_gpu.mma_async %a, %a, %zero : !tile, !tile -> !acc
  %r = smx_gpu.wait %t, %s : !acc
  smx_gpu.return
}

// -----

// P29
#L = #smx_gpu.fragment<warps = 4>
!tile = !smx_gpu.shared<64x64xbf16, swizzle = 128>
!acc = tensor<64x64xf32, #L>
smx_gpu.kernel @nothing_to_leave(%none: i1) warps(4) {
  %a = smx_gpu.alloc : !tile
  %zero = arith.constant dense<0.0> : !acc
  // expected-error @+1 {{'smx_gpu.mma_async' op starts from zero, and has no accumulator to leave as it is; 'unless' needs one}}
  %s, %t = smx_gpu.mma_async %a, %a, %zero zero unless %none : !tile, !tile -> !acc
  %r = smx_gpu.wait %t, %s : !acc
  smx_gpu.return
}
