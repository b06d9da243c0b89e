// RUN: softmax-opt %s -split-input-file -verify-diagnostics

// K1
// expected-error @+1 {{'smx_gpu.kernel' op expected 1 to 32 warps, got 0}}
smx_gpu.kernel @no_warps() warps(0) { smx_gpu.return }

// -----

// K1
// expected-error @+1 {{'smx_gpu.kernel' op expected 1 to 32 warps, got 33}}
smx_gpu.kernel @too_many_warps() warps(33) { smx_gpu.return }

// -----

// K2
// expected-error @+1 {{'smx_gpu.kernel' op expected a cluster of 1, 2, 4, 8 or 16 blocks, got 3}}
smx_gpu.kernel @cluster_of_three() warps(4) cluster(3) { smx_gpu.return }

// -----

// K8
// expected-error @+1 {{'smx_gpu.kernel' op expected min_blocks from 1 to 32, got 0}}
smx_gpu.kernel @no_blocks() warps(4) min_blocks(0) { smx_gpu.return }

// -----

// K3: less depth and fewer rows would fit.
// expected-error @+1 {{'smx_gpu.kernel' op needs 262144 bytes of shared memory, the limit is 232448; with depth = 3, or tiles of at most 112 rows or keys (tile-rows, tile-stream), it fits}}
smx_gpu.kernel @deep() warps(4) shared_limit(232448) {
  %k = smx_gpu.make_channel : !smx_gpu.channel<128x128xbf16, swizzle = 128, depth = 4>
  %v = smx_gpu.make_channel : !smx_gpu.channel<128x128xbf16, swizzle = 128, depth = 4>
  smx_gpu.return
}

// -----

// K3: the depth is 1 already.
// expected-error @+1 {{'smx_gpu.kernel' op needs 131072 bytes of shared memory, the limit is 101376; with tiles of at most 96 rows or keys (tile-rows, tile-stream), it fits}}
smx_gpu.kernel @rows() warps(4) {
  %q = smx_gpu.alloc : !smx_gpu.shared<128x256xf16, swizzle = 128>
  %k = smx_gpu.make_channel : !smx_gpu.channel<128x256xf16, swizzle = 128, depth = 1>
  smx_gpu.return
}

// -----

// K3: tiles start at multiples of 1024 bytes.
// expected-error @+1 {{'smx_gpu.kernel' op needs 2048 bytes of shared memory, the limit is 1056; tiles of 16 rows do not fit either, they must be narrower or fewer}}
smx_gpu.kernel @two_small_ones() warps(4) shared_limit(1056) {
  %a = smx_gpu.alloc : !smx_gpu.shared<8x8xf32, swizzle = 0>
  %b = smx_gpu.alloc : !smx_gpu.shared<8x8xf32, swizzle = 0>
  smx_gpu.return
}

// -----

// K4
// expected-error @+1 {{'smx_gpu.kernel' op expected arguments that are memrefs with strides in global memory, index, integer or float values, got 'tensor<4xf32>'}}
smx_gpu.kernel @tensor_argument(%x: tensor<4xf32>) warps(4) { smx_gpu.return }

// -----

// K4: how the elements lie must be a matter of strides.
// expected-error @+1 {{got 'memref<8x8xf32, affine_map<(d0, d1) -> (d0 floordiv 2, d1, d0 mod 2)>>'}}
smx_gpu.kernel @tiled_argument(%x: memref<8x8xf32, affine_map<(i, j) -> (i floordiv 2, j, i mod 2)>>) warps(4) { smx_gpu.return }

// -----

// K4
// expected-error @+1 {{got 'memref<8xf32, #gpu.address_space<workgroup>>'}}
smx_gpu.kernel @shared_argument(%x: memref<8xf32, #gpu.address_space<workgroup>>) warps(4) { smx_gpu.return }

// -----

// K4
// expected-error @+1 {{'smx_gpu.kernel' op expected no results, got '() -> index'; write them to a memref}}
"smx_gpu.kernel"() <{sym_name = "results", function_type = () -> index, warps = 4 : i64}> ({
  smx_gpu.return
}) : () -> ()

// -----

// K6
func.func @no_kernel(%n: index) {
  // expected-error @+1 {{'smx_gpu.launch' op expected a kernel of name @none, got none}}
  smx_gpu.launch @none grid(%n, %n, %n)
  return
}

// -----

// K6
func.func @not_a_kernel(%n: index) { // expected-note {{the name is defined here}}
  // expected-error @+1 {{'smx_gpu.launch' op expected a kernel of name @not_a_kernel, got another op}}
  smx_gpu.launch @not_a_kernel grid(%n, %n, %n)
  return
}

// -----

// K6
// expected-note @+1 {{the kernel is defined here}}
smx_gpu.kernel @two(%x: memref<4xf32>, %n: index) warps(4) { smx_gpu.return }
func.func @one_argument(%n: index, %x: memref<4xf32>) {
  // expected-error @+1 {{'smx_gpu.launch' op expected 2 arguments for @two, got 1}}
  smx_gpu.launch @two grid(%n, %n, %n) (%x : memref<4xf32>)
  return
}

// -----

// K6: a static extent is another type.
// expected-note @+1 {{the kernel is defined here}}
smx_gpu.kernel @dynamic(%x: memref<?xf32>) warps(4) { smx_gpu.return }
func.func @other_type(%n: index, %x: memref<4xf32>) {
  // expected-error @+1 {{'smx_gpu.launch' op expected argument 0 of @dynamic to be 'memref<?xf32>', got 'memref<4xf32>'}}
  smx_gpu.launch @dynamic grid(%n, %n, %n) (%x : memref<4xf32>)
  return
}

// -----

// K6
smx_gpu.kernel @launches_itself(%n: index) warps(4) {
  // expected-error @+1 {{'smx_gpu.launch' op expected to stand in code of the host, a kernel can not launch}}
  smx_gpu.launch @launches_itself grid(%n, %n, %n) (%n : index)
  smx_gpu.return
}

// -----

// K10
// expected-error @+1 {{'smx_gpu.kernel' op expected a body that ends with 'smx_gpu.return', got 'llvm.unreachable'}}
smx_gpu.kernel @ends_otherwise() warps(4) { llvm.unreachable }

// -----

// K10
smx_gpu.kernel @thread_code() warps(4) {
  // expected-error @+1 {{'gpu.thread_id' op is code of a single thread, a kernel on whole tiles has gpu.block_id and gpu.grid_dim only}}
  %t = gpu.thread_id x
  smx_gpu.return
}

// -----

// K10: a barrier of the gpu dialect knows nothing of roles.
smx_gpu.kernel @thread_barrier(%c: i1) warps(4) {
  scf.if %c {
    // expected-error @+1 {{'gpu.barrier' op is code of a single thread}}
    gpu.barrier
  }
  smx_gpu.return
}

// -----

// K11
func.func @barrier_of_the_host() {
  // expected-error @+1 {{'smx_gpu.barrier' op expected to stand in a 'smx_gpu.kernel'}}
  smx_gpu.barrier
  return
}

// -----

// K11
func.func @load_of_the_host(%x: memref<64x64xf32>, %i: index) {
  // expected-error @+1 {{'smx_gpu.load' op expected to stand in a 'smx_gpu.kernel'}}
  %t = smx_gpu.load %x[%i, %i] dims [0, 1] : memref<64x64xf32> -> tensor<64x64xf32, #smx_gpu.fragment<warps = 4>>
  return
}

// -----

smx_gpu.kernel @alloc_in_a_loop(%i: index) warps(4) {
  scf.for %j = %i to %i step %i {
    // expected-error @+1 {{'smx_gpu.alloc' op expects parent op 'smx_gpu.kernel'}}
    %s = smx_gpu.alloc : !smx_gpu.shared<64x64xf32, swizzle = 0>
  }
  smx_gpu.return
}
