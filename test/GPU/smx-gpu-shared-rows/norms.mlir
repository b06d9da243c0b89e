// Beside masks the quotient of a norm leaves a thread 5 accesses of f32 in registers; without them, and of exponentials,
// there are 6.
// RUN: softmax-opt %s --smx-to-gpu='chip=sm_90a alignment=16' | FileCheck %s
// RUN: softmax-opt %s --smx-to-gpu='chip=sm_80 alignment=16' | FileCheck %s --check-prefix=ALONE

// CHECK-LABEL: smx_gpu.kernel @masked
// CHECK: smx_gpu.load {{.*}} -> tensor<1x10240xf32,
// CHECK: smx_gpu.copy
func.func @masked(%x: tensor<64x32000xf32>) -> tensor<64x32000xf32> {
  %y = smx.rms_norm %x axis(1) epsilon(1.0e-5) : tensor<64x32000xf32> -> tensor<64x32000xf32>
  return %y : tensor<64x32000xf32>
}

// CHECK-LABEL: smx_gpu.kernel @whole
// CHECK: smx_gpu.load {{.*}} -> tensor<1x12288xf32,
func.func @whole(%x: tensor<64x32768xf32>) -> tensor<64x32768xf32> {
  %y = smx.rms_norm %x axis(1) epsilon(1.0e-5) : tensor<64x32768xf32> -> tensor<64x32768xf32>
  return %y : tensor<64x32768xf32>
}

// On chips with clusters these hold the row in registers.
// ALONE-LABEL: smx_gpu.kernel @exponentials
// ALONE: smx_gpu.load {{.*}} -> tensor<1x12288xf32,
func.func @exponentials(%x: tensor<64x32000xf32>) -> tensor<64x32000xf32> {
  %y = smx.softmax %x axis(1) : tensor<64x32000xf32> -> tensor<64x32000xf32>
  return %y : tensor<64x32000xf32>
}

// Blocks of a cluster have fewer threads.
// CHECK-LABEL: smx_gpu.kernel @cluster
// CHECK: smx_gpu.load {{.*}} -> tensor<1x6144xf32,
func.func @cluster(%x: tensor<64x50000xf32>) -> tensor<64x50000xf32> {
  %y = smx.rms_norm %x axis(1) epsilon(1.0e-5) : tensor<64x50000xf32> -> tensor<64x50000xf32>
  return %y : tensor<64x50000xf32>
}
