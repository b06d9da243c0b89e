// Tiles that a list or a table names are fetched as others are: the role reads the numbers itself.
// RUN: softmax-opt %s --smx-to-gpu="chip=sm_90a alignment=16" | FileCheck %s

// CHECK-LABEL: smx_gpu.kernel @blocks_kernel_3(
// CHECK: smx_gpu.role @load
// CHECK: scf.for %{{.+}} = %block_id_x
// CHECK: scf.for %[[N:[^ ]+]] = %{{[^ ]+}} to %{{[^ ]+}} step %c1
// CHECK: memref.load %{{.+}}, %[[N]]]
// CHECK: smx_gpu.put {{.*}} copy(tensor)
// CHECK: smx_gpu.mma_async
!t = tensor<512x64xbf16>
func.func @blocks(%q: !t, %k: !t, %v: !t, %m: tensor<4x4xi8>) -> !t {
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.blocks<rows = 128, keys = 128>) reads(%m : tensor<4x4xi8>) : !t, !t, !t -> !t
  return %o : !t
}

// CHECK-LABEL: smx_gpu.kernel @pages_kernel(
// CHECK: smx_gpu.role @load
// CHECK: scf.for %{{[^ ]+}} = %c0 to %{{[^ ]+}} step %c128
// CHECK: %[[ENTRY:.+]] = memref.load
// CHECK: %[[NUMBER:.+]] = arith.index_cast %[[ENTRY]]
// CHECK: %[[PAGE:.+]] = arith.select %{{.+}}, %[[NUMBER]], %{{.+}}
// CHECK: smx_gpu.put %{{.+}}[%[[PAGE]], {{.*}} copy(tensor)
// CHECK: smx_gpu.mma_async
!q = tensor<1x4x300x64xbf16>
!p = tensor<9x128x4x64xbf16>
!k = tensor<1x4x512x64xbf16>
func.func @pages(%q: !q, %kp: !p, %vp: !p, %t: tensor<1x4xi32>, %n: tensor<1xi32>) -> !q {
  %k = smx.paged %kp by(%t, %n : tensor<1x4xi32>, tensor<1xi32>) : !p -> !k
  %v = smx.paged %vp by(%t, %n : tensor<1x4xi32>, tensor<1xi32>) : !p -> !k
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.key_lengths) reads(%n : tensor<1xi32>) : !q, !k, !k -> !q
  return %o : !q
}
