// RUN: softmax-opt %s --smx-to-gpu='alignment=16' | FileCheck %s

// One kernel, and one read of the logits: those of the targets are gathered before the row is reduced.

// CHECK-LABEL: smx_gpu.kernel @loss_kernel
// CHECK: %[[T:.+]] = smx_gpu.load {{.+}} memref<64xi64
// CHECK: %[[IN:.+]] = arith.cmpi ult
// CHECK: %[[AT:.+]] = arith.select %[[IN]]
// CHECK: smx_gpu.gather %[[X:.+]][%{{.+}}, %[[AT]]]
// CHECK-COUNT-1: smx_gpu.load %[[X]]
// CHECK-NOT: smx_gpu.load
// CHECK: smx_gpu.reduce <maxnum>
// CHECK: smx_gpu.reduce <add>
// CHECK: math.log
// CHECK-COUNT-2: smx_gpu.store
// CHECK-NOT: smx_gpu.kernel
func.func @loss(%x: tensor<64x1024xbf16>, %t: tensor<64xi64>) -> (tensor<64xf32>, tensor<64xf32>) {
  %y, %l = smx.cross_entropy %x, %t axis(1) ignore(-100) : tensor<64x1024xbf16>, tensor<64xi64> -> tensor<64xf32>, tensor<64xf32>
  return %y, %l : tensor<64xf32>, tensor<64xf32>
}

// Both tensors are read once: the row stays in registers.
// CHECK-LABEL: smx_gpu.kernel @gradient_kernel
// CHECK-COUNT-2: smx_gpu.load
// CHECK-NOT: smx_gpu.load
// CHECK: smx_gpu.reduce <add>
// CHECK-NOT: smx_gpu.load
// CHECK: smx_gpu.store
func.func @gradient(%y: tensor<64x1024xbf16>, %g: tensor<64x1024xbf16>) -> tensor<64x1024xbf16> {
  %0 = smx.softmax_backward %y, %g axis(1) : tensor<64x1024xbf16>, tensor<64x1024xbf16> -> tensor<64x1024xbf16>
  return %0 : tensor<64x1024xbf16>
}
