// Pairs of blocks whose rows are of one head can fetch its keys together.
// RUN: softmax-opt %s --smx-to-gpu='alignment=16 chip=sm_90a' --split-input-file | softmax-opt --smx-gpu-multicast=cluster=2 --split-input-file | FileCheck %s
// RUN: softmax-opt %s --smx-to-gpu='alignment=16 chip=sm_90a' --split-input-file | softmax-opt --smx-gpu-multicast=cluster=2 --split-input-file --remarks-filter=smx-gpu-multicast 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// Keys and values, and those of the last tile, which is shorter.
// REMARK: Multicast{{.*}}channels=4, cluster=2
// REMARK: Multicast{{.*}}channels=2, cluster=2
// REMARK-NOT: Multicast

// 22 tiles of rows to a head.
// CHECK-LABEL: smx_gpu.kernel @even_kernel(
// CHECK-SAME: cluster(2)
// CHECK: role @load
// CHECK: scf.for
// CHECK: scf.for
// CHECK-NEXT: smx_gpu.put {{.+}} copy(tensor) {aligned = 16 : i64, multicast}
// CHECK: scf.if
// CHECK-COUNT-3: smx_gpu.put {{.+}} copy(tensor) {aligned = 16 : i64} :
// CHECK-NEXT: }
// CHECK-NEXT: smx_gpu.put {{.+}} copy(tensor) {aligned = 16 : i64, multicast}
// CHECK: role @compute
// CHECK: smx_gpu.cluster_barrier
// CHECK-NEXT: smx_gpu.return
!t = tensor<1x12x4224x128xbf16>
func.func @even(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.088) : !t, !t, !t -> !t
  return %o : !t
}

// -----

// So they do where the next tile begins under the end of this one: the tile that is begun again is the same
// distance away for both.
// CHECK-LABEL: smx_gpu.kernel @begins_under_kernel
// CHECK-SAME: cluster(2)
// CHECK: smx_gpu.cluster_barrier
!t = tensor<16x16x1024x128xbf16>
func.func @begins_under(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.088) : !t, !t, !t -> !t
  return %o : !t
}

// -----

// Rows end at the diagonal: one of two blocks reads longer.
// CHECK-LABEL: smx_gpu.kernel @causal_kernel
// CHECK-NOT: cluster(
// CHECK-NOT: multicast
!t = tensor<4x32x4096x128xbf16>
func.func @causal(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.088) mask(#smx.band<top_left, right = 0>) : !t, !t, !t -> !t
  return %o : !t
}

// -----

// 43 tiles of rows: a pair would have rows of two heads.
// CHECK-LABEL: smx_gpu.kernel @odd_kernel
// CHECK-NOT: multicast
!t = tensor<4x32x8192x128xbf16>
func.func @odd(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.088) : !t, !t, !t -> !t
  return %o : !t
}

// -----

// Unknown how many.
// CHECK-LABEL: smx_gpu.kernel @open_kernel
// CHECK-NOT: multicast
!t = tensor<4x32x?x128xbf16>
func.func @open(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.088) : !t, !t, !t -> !t
  return %o : !t
}
