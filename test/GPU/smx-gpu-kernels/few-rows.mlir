// One query against a long cache: the heads that share keys are the rows of one product, a block has a part of the keys,
// and a second kernel merges the parts.
// RUN: softmax-opt %s --smx-to-gpu="chip=sm_90a alignment=16" | FileCheck %s

// CHECK: smx_gpu.kernel @decode_kernel({{.*}}) warps(1)
// CHECK: %[[V:.+]] = smx_gpu.make_channel : <64x128xbf16
// CHECK: %[[K:.+]] = smx_gpu.make_channel : <64x128xbf16
// CHECK: smx_gpu.load %{{.+}} valid(%c4, %c128) dims [1, 3]
// CHECK: scf.for
// CHECK: smx_gpu.put {{.*}} copy(async)
// CHECK: smx_gpu.mma {{.*}} transpose_b
// CHECK-COUNT-2: smx_gpu.store {{.*}} valid(%c4) dims [1] {{.*}} memref<1x32x1x32xf32>
// CHECK: smx_gpu.store {{.*}} valid(%c4, %c128) dims [1, 4] {{.*}} memref<1x32x1x32x128xf32>

// All parts are one tile, whose loads are under way together. Four blocks for each head have 32 columns each.
// CHECK: smx_gpu.kernel @decode_kernel_1
// CHECK-COUNT-3: smx_gpu.load {{.*}} -> tensor<32x32xf32
// CHECK-NOT: smx_gpu.load
// CHECK-NOT: scf.for
// What all columns have in common is written once.
// CHECK: smx_gpu.store {{.*}} dims [3]
// CHECK: smx_gpu.store {{.*}} valid(%c1{{.*}}) dims [-1] {{.*}} memref<1x32x1xf32

// CHECK-LABEL: func.func @decode
// CHECK: smx_gpu.launch @decode_kernel grid(%c256,
// CHECK: smx_gpu.launch @decode_kernel_1 grid(%c128,
func.func @decode(%q: tensor<1x32x1x128xbf16>, %k: tensor<1x8x65536x128xbf16>, %v: tensor<1x8x65536x128xbf16>)
    -> (tensor<1x32x1x128xbf16>, tensor<1x32x1xf32>) {
  %o, %l = smx.attention %q, %k, %v scale(0.088388347)
      : tensor<1x32x1x128xbf16>, tensor<1x8x65536x128xbf16>, tensor<1x8x65536x128xbf16> -> tensor<1x32x1x128xbf16>, tensor<1x32x1xf32>
  return %o, %l : tensor<1x32x1x128xbf16>, tensor<1x32x1xf32>
}
