// What this lowering does not do says so.
// RUN: softmax-opt %s --smx-gpu-to-nvvm -split-input-file -verify-diagnostics

!ring = !smx_gpu.channel<16x64xbf16, swizzle = 128, depth = 2>
!stage = !smx_gpu.shared<16x64xbf16, swizzle = 128>

smx_gpu.kernel @tensor_copy(%x: memref<?x64xbf16>) warps(1) {
  %c0 = arith.constant 0 : index
  %c = smx_gpu.make_channel : !ring
  // expected-error @+2 {{'smx_gpu.put' op by tensor copies needs sm_90 or newer; 'async' and 'plain' do without}}
  // expected-error @+1 {{failed to legalize operation 'smx_gpu.put'}}
  smx_gpu.put %x[%c0, %c0] into %c dims [0, 1] copy(tensor) : memref<?x64xbf16>, !ring
  %s = smx_gpu.get %c : !ring -> !stage
  smx_gpu.release %c : !ring
  smx_gpu.return
}

// -----

#L = #smx_gpu.fragment<warps = 1>
!bytes = !smx_gpu.shared<16x16xf8E4M3FN, swizzle = 0>

smx_gpu.kernel @type(%x: memref<?x16xf8E4M3FN>) warps(1) {
  %c0 = arith.constant 0 : index
  %a = smx_gpu.alloc : !bytes
  %acc = arith.constant dense<0.0> : tensor<16x16xf32, #L>
  // expected-error @+2 {{'smx_gpu.mma' op of 'f8E4M3FN' is not lowered; f16, bf16, f32 and f64 operands are}}
  // expected-error @+1 {{failed to legalize operation 'smx_gpu.mma'}}
  %r = smx_gpu.mma %a, %a, %acc : !bytes, !bytes -> tensor<16x16xf32, #L>
  smx_gpu.return
}

// -----

#L = #smx_gpu.fragment<warps = 4>
!s = !smx_gpu.shared<64x64xbf16, swizzle = 128>

smx_gpu.kernel @asynchronous() warps(4) {
  %a = smx_gpu.alloc : !s
  %acc = arith.constant dense<0.0> : tensor<64x64xf32, #L>
  // expected-error @+2 {{'smx_gpu.mma_async' op needs the matrix unit of sm_90a; on other chips 'smx_gpu.mma' multiplies, all warps in step}}
  // expected-error @+1 {{failed to legalize operation 'smx_gpu.mma_async'}}
  %r, %t = smx_gpu.mma_async %a, %a, %acc transpose_b : !s, !s -> tensor<64x64xf32, #L>
  %w = smx_gpu.wait %t, %r : tensor<64x64xf32, #L>
  smx_gpu.return
}

// -----

// Nothing is computed on 8 bits.
#N = #smx_gpu.striped<rows = 1, columns = 32, vector = 4>
smx_gpu.kernel @narrow(%x: memref<?x128xf8E4M3FN>) warps(1) {
  %c0 = arith.constant 0 : index
  %t = smx_gpu.load %x[%c0, %c0] dims [0, 1] : memref<?x128xf8E4M3FN> -> tensor<1x128xf8E4M3FN, #N>
  // expected-error @+1 {{'smx_gpu.reduce' op has no form on floats of 8 bits; f8E4M3FN can be converted by 'arith.extf' and 'arith.truncf', and f16 has all its numbers}}
  %m = smx_gpu.reduce <maxnum> %t dim 1 : tensor<1x128xf8E4M3FN, #N> -> tensor<1xf8E4M3FN, #smx_gpu.slice<1, #N>>
  smx_gpu.return
}

// -----

!ring = !smx_gpu.channel<32x64xbf16, swizzle = 128, depth = 2>
smx_gpu.kernel @both_ways(%x: memref<?x64xbf16>) warps(4) cluster(2) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{'smx_gpu.make_channel' op is filled by 1 puts for the cluster and 1 for their own block; its stages are for one or the other}}
  %c = smx_gpu.make_channel : !ring
  smx_gpu.put %x[%c0, %c0] into %c dims [0, 1] copy(tensor) {multicast} : memref<?x64xbf16>, !ring
  smx_gpu.put %x[%c0, %c0] into %c dims [0, 1] copy(tensor) : memref<?x64xbf16>, !ring
  %a = smx_gpu.get %c : !ring -> !smx_gpu.shared<32x64xbf16, swizzle = 128>
  smx_gpu.release %c : !ring
  smx_gpu.return
}

// -----

// Tiles that fit to the byte leave no room for the barriers of a channel.
// expected-error @+1 {{'smx_gpu.kernel' op needs 101392 bytes of shared memory with barriers and scratch, the limit is 101376; with tiles of at most 384 rows or keys (tile-rows, tile-stream), it fits}}
smx_gpu.kernel @barriers(%x: memref<?x128xbf16>) warps(1) {
  %k = smx_gpu.make_channel : !smx_gpu.channel<396x128xbf16, swizzle = 128, depth = 1>
  smx_gpu.return
}

// -----

!numbers = !smx_gpu.channel<1x1xi32, swizzle = 0, depth = 1>

smx_gpu.kernel @one_stage(%counts: memref<1xi32>) warps(4) {
  %c0 = arith.constant 0 : index
  %numbers = smx_gpu.make_channel : !numbers
  // expected-error @+2 {{'smx_gpu.draw' op into a channel of one stage is not lowered; two do}}
  // expected-error @+1 {{failed to legalize operation 'smx_gpu.draw'}}
  %n = smx_gpu.draw %counts[%c0] into %numbers : memref<1xi32>, !numbers
  %tile = smx_gpu.get %numbers : !numbers -> !smx_gpu.shared<1x1xi32, swizzle = 0>
  smx_gpu.release %numbers : !numbers
  smx_gpu.return
}
