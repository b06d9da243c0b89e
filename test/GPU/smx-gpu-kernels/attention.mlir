// RUN: softmax-opt %s --smx-to-gpu='alignment=16 chip=sm_90' | FileCheck %s
// RUN: softmax-opt %s --smx-to-gpu | FileCheck %s --check-prefix=UNALIGNED

// Queries stay in registers, keys and values come over channels a round ahead, weights are rounded to the type of the
// values for the second product.

!t = tensor<2x8x256x64xbf16>

// CHECK-LABEL: smx_gpu.kernel @full_kernel
// CHECK-SAME: warps(4) shared_limit(232448)
// CHECK-COUNT-2: smx_gpu.make_channel : <64x64xbf16, swizzle = 128, depth = 2>
// CHECK: %[[Q:.+]] = smx_gpu.load {{.+}} dims [2, 3] {aligned = 16 : i64}
// CHECK-COUNT-2: smx_gpu.put {{.+}} copy(async) {aligned = 16 : i64}
// CHECK: scf.for %[[J:.+]] = %c0 to %c256 step %c64
// CHECK: %[[NEXT:.+]] = arith.addi %[[J]], %c64
// CHECK: scf.if
// CHECK: smx_gpu.put %{{.+}}[%{{.+}}, %{{.+}}, %[[NEXT]], %c0]
// CHECK: %[[K:.+]] = smx_gpu.get
// CHECK: smx_gpu.mma %[[Q]], %[[K]], %{{.+}} transpose_b
// CHECK: smx_gpu.release
// CHECK: smx_gpu.reduce <maxnum>
// CHECK: %[[P:.+]] = math.exp2 {{.+}} : tensor<128x64xf32
// CHECK: %[[P16:.+]] = arith.truncf %[[P]]
// CHECK: %[[V:.+]] = smx_gpu.get
// CHECK: smx_gpu.mma %[[P16]], %[[V]], %{{.+}} : tensor<128x64xbf16
// CHECK: smx_gpu.release

// UNALIGNED-LABEL: smx_gpu.kernel @full_kernel
// UNALIGNED-NOT: copy(async)
// UNALIGNED: copy(plain)
func.func @full(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.125) : !t, !t, !t -> !t
  return %o : !t
}

// Only in tiles that the mask cuts are scores selected, and only there do hidden values need a guard.
// CHECK-LABEL: smx_gpu.kernel @causal_kernel
// CHECK: scf.for
// CHECK: %[[IS_CUT:.+]] = arith.cmpi sge
// CHECK: smx_gpu.mma {{.+}} transpose_b
// CHECK-NOT: smx_gpu.position
// CHECK: scf.if %[[IS_CUT]]
// CHECK: smx_gpu.position
// CHECK: smx_gpu.reduce <maxnum>
// CHECK: scf.if %[[IS_CUT]]
// CHECK: scf.if %[[IS_CUT]]
// CHECK-NEXT: smx_gpu.mma {{.+}} guarded
// CHECK-NOT: scf.for
// CHECK: smx_gpu.store
func.func @causal(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.band<top_left, right = 0>) : !t, !t, !t -> !t
  return %o : !t
}

// One query: a block of 16 rows, of which one is valid.
!q = tensor<1x1x1x64xbf16>
!kv = tensor<1x1x513x64xbf16>
// CHECK-LABEL: smx_gpu.kernel @one_query_kernel
// CHECK-SAME: warps(1)
// CHECK: smx_gpu.load {{.+}} dims [-1, 3]
func.func @one_query(%q: !q, %k: !kv, %v: !kv) -> !q {
  %o = smx.attention %q, %k, %v scale(0.125) : !q, !kv, !kv -> !q
  return %o : !q
}
