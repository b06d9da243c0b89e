// Masked weights of which nothing but a sum in f64 is made need no more bits than unmasked ones.
// RUN: softmax-opt %s --smx-to-gpu='chip=sm_90 alignment=16' | FileCheck %s

// CHECK-LABEL: smx_gpu.kernel @sum_kernel
// CHECK: %[[VALID:.+]] = smx_gpu.parts %{{.+}} : tensor<1x10240xi1,
// CHECK: %[[WEIGHTS:.+]] = math.exp %{{.+}} {result_bits = 22 : i32}
// CHECK: %[[MASKED:.+]] = arith.select %[[VALID]], %[[WEIGHTS]],
// CHECK: smx_gpu.partial_reduce <add> %[[MASKED]]
func.func @sum(%x: tensor<4096x9999xf32>) -> tensor<4096xf32> {
  %y = smx.logsumexp %x axis(1) : tensor<4096x9999xf32> -> tensor<4096xf32>
  return %y : tensor<4096xf32>
}

// Those that a result is made of, too, are right to their last bits.
// CHECK-LABEL: smx_gpu.kernel @weights_kernel
// CHECK-NOT: result_bits
// CHECK: smx_gpu.return
func.func @weights(%x: tensor<4096x9999xf32>) -> tensor<4096x9999xf32> {
  %y = smx.softmax %x axis(1) : tensor<4096x9999xf32> -> tensor<4096x9999xf32>
  return %y : tensor<4096x9999xf32>
}
