// Keys and values of 8 bits are copied as they are. Few rows widen them between a stage and the matrix unit, with what scales
// them; for many, that is a kernel of its own, in front of the one that has roles.
// RUN: softmax-opt %s --smx-to-gpu="chip=sm_90a alignment=16" | FileCheck %s

!k = tensor<1x8x65536x128xf8E4M3FN>
!w = tensor<1x8x65536x128xbf16>
#all = affine_map<(b, h, j, d) -> (b, h, j, d)>

// CHECK: smx_gpu.kernel @decode_kernel({{.*}}) warps(1)
// CHECK-DAG: %[[WIDE:.+]] = smx_gpu.alloc : <64x128xbf16, swizzle = 128>
// CHECK-DAG: smx_gpu.make_channel : <64x128xf8E4M3FN
// CHECK: scf.for
// CHECK: smx_gpu.put {{.*}} copy(async) {{.*}} memref<1x8x65536x128xf8E4M3FN
// CHECK: %[[STAGE:.+]] = smx_gpu.get {{.*}} <64x128xf8E4M3FN
// What the last round read of the tile of 16 bits is done with, then parts of it are read and written one after the other.
// CHECK-NEXT: smx_gpu.barrier
// CHECK: %[[CODES:.+]] = smx_gpu.read %[[STAGE]]
// CHECK: %[[SCALES:.+]] = smx_gpu.load {{.*}} dims [2, -1] {{.*}} tensor<64x128xf32
// CHECK: %[[X:.+]] = arith.extf %[[CODES]]
// CHECK: %[[Y:.+]] = arith.mulf %[[X]], %[[SCALES]]
// CHECK: %[[Z:.+]] = arith.truncf %[[Y]]
// CHECK-NEXT: smx_gpu.write %[[Z]], %[[TILE:.+]] :
// CHECK-NEXT: smx_gpu.barrier
// CHECK-NEXT: smx_gpu.mma %{{.+}}, %[[TILE]], {{.*}} transpose_b
// CHECK: smx_gpu.barrier
// CHECK-NEXT: %[[CODES:.+]] = smx_gpu.read
// CHECK-NEXT: %[[X:.+]] = arith.extf %[[CODES]]
// The product of keys has read its tile: values have the same one.
// CHECK-NEXT: smx_gpu.write %[[X]], %[[TILE]] :
func.func @decode(%q: tensor<1x32x1x128xbf16>, %k: !k, %v: !k, %s: tensor<1x8x65536xf32>) -> tensor<1x32x1x128xbf16> {
  %e = tensor.empty() : !w
  %keys = linalg.generic {indexing_maps = [#all, affine_map<(b, h, j, d) -> (b, h, j)>, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%k, %s : !k, tensor<1x8x65536xf32>) outs(%e : !w) {
  ^bb0(%a: f8E4M3FN, %b: f32, %unused: bf16):
    %w = arith.extf %a : f8E4M3FN to f32
    %x = arith.mulf %w, %b : f32
    %y = arith.truncf %x : f32 to bf16
    linalg.yield %y : bf16
  } -> !w
  %values = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v : !k) outs(%e : !w) {
  ^bb0(%a: f8E4M3FN, %unused: bf16):
    %w = arith.extf %a : f8E4M3FN to bf16
    linalg.yield %w : bf16
  } -> !w
  %o = smx.attention %q, %keys, %values scale(0.088388347) : tensor<1x32x1x128xbf16>, !w, !w -> tensor<1x32x1x128xbf16>
  return %o : tensor<1x32x1x128xbf16>
}

!f = tensor<1x8x4096x128xf8E4M3FN>
!o = tensor<1x8x4096x128xbf16>

// CHECK: smx_gpu.kernel @prompt_kernel(
// CHECK: arith.extf {{.*}}f8E4M3FN
// CHECK: smx_gpu.kernel @prompt_kernel_3(
// CHECK-NOT: f8E4M3FN
// CHECK: smx_gpu.mma_async
// CHECK-NOT: f8E4M3FN
// CHECK-LABEL: func.func @prompt
// CHECK-COUNT-4: smx_gpu.launch
func.func @prompt(%q: !f, %k: !f, %v: !f) -> !o {
  %o = smx.attention %q, %k, %v scale(0.088388347) : !f, !f, !f -> !o
  return %o : !o
}
