// Columns of a head dim that is padded are 0 beyond the tensor's end: products need no guard for them, and overlap as others do.
// RUN: softmax-opt %s --smx-to-gpu='alignment=16 chip=sm_90a' | FileCheck %s

// CHECK-LABEL: smx_gpu.kernel @padded_kernel(
// CHECK-NOT: guarded
// CHECK: role @compute
// CHECK: scf.for {{.+}} step %c96 iter_args(
// CHECK: smx_gpu.mma_async {{.+}} transpose_b zero : {{.+}}, <96x80xbf16, swizzle = 32>
// CHECK: smx_gpu.mma_async {{.+}}, <96x80xbf16, swizzle = 32> -> tensor<64x80xf32
// CHECK-NOT: guarded
// CHECK: func.func @padded(
!t = tensor<4x8x768x72xbf16>
func.func @padded(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.118) : !t, !t, !t -> !t
  return %o : !t
}

// All rows of a group are there, so that results leave through shared memory: columns beyond the tensor's end are left out.
// CHECK-LABEL: smx_gpu.kernel @stored_kernel(
// CHECK-NOT: smx_gpu.store
// CHECK: smx_gpu.tensor_store {{.+}} : tensor<64x128xbf16, {{.+}}>, memref<2x8x3840x120xbf16
// CHECK-NOT: smx_gpu.store
// CHECK: func.func @stored(
!u = tensor<2x8x3840x120xbf16>
func.func @stored(%q: !u, %k: !u, %v: !u) -> !u {
  %o = smx.attention %q, %k, %v scale(0.091) mask(#smx.band<top_left, right = 0>) : !u, !u, !u -> !u
  return %o : !u
}
