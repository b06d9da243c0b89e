// Products of f32 tiles, and of no others, go to the matrix unit.
// RUN: softmax-opt %s --verify-roundtrip --pass-pipeline='builtin.module(smx_gpu.kernel(smx-gpu-tf32-products))' | FileCheck %s

#L = #smx_gpu.fragment<warps = 4>
!single = !smx_gpu.shared<64x64xf32, swizzle = 128>
!double = !smx_gpu.shared<64x64xf64, swizzle = 128>
!half = !smx_gpu.shared<64x64xf16, swizzle = 128>

// CHECK-LABEL: smx_gpu.kernel @products
smx_gpu.kernel @products() warps(4) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #L>
  %wide = arith.constant dense<0.0> : tensor<64x64xf64, #L>
  %s = smx_gpu.alloc : !single
  %d = smx_gpu.alloc : !double
  %h = smx_gpu.alloc : !half
  // CHECK: smx_gpu.mma %{{.+}}, %{{.+}}, %{{.+}} transpose_b precision(tf32x3) : {{.*}}xf32
  %0 = smx_gpu.mma %s, %s, %zero transpose_b : !single, !single -> tensor<64x64xf32, #L>
  // CHECK: smx_gpu.mma %{{.+}}, %{{.+}}, %{{.+}} guarded precision(tf32x3) : {{.*}}xf32
  %1 = smx_gpu.mma %0, %s, %zero guarded : tensor<64x64xf32, #L>, !single -> tensor<64x64xf32, #L>
  // CHECK: smx_gpu.mma %{{.+}}, %{{.+}}, %{{.+}} : {{.*}}xf64
  %2 = smx_gpu.mma %d, %d, %wide : !double, !double -> tensor<64x64xf64, #L>
  // CHECK: smx_gpu.mma %{{.+}}, %{{.+}}, %{{.+}} : {{.*}}xf16
  %3 = smx_gpu.mma %h, %h, %zero : !half, !half -> tensor<64x64xf32, #L>
  smx_gpu.return
}
