// RUN: softmax-opt %s --smx-to-gpu='alignment=16 chip=sm_90a' | FileCheck %s

// An element that all places of a tile read is read once, as a number.

!t = tensor<2x8x1024x64xbf16>

// CHECK-LABEL: smx_gpu.kernel @slopes_kernel
// CHECK: smx_gpu.role @compute
// CHECK: %[[SLOPE:.+]] = memref.load %{{.+}}[%{{.+}}] : memref<8xf32
// CHECK-NOT: smx_gpu.gather
// CHECK: tensor.splat %[[SLOPE]]
func.func @slopes(%q: !t, %k: !t, %v: !t, %slopes: tensor<8xf32>) -> !t {
  %o = smx.attention %q, %k, %v scale(0.125) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %slope = tensor.extract %slopes[%h] : tensor<8xf32>
    %t = arith.mulf %s, %slope : f32
    smx.yield %t : f32
  } : !t, !t, !t -> !t
  return %o : !t
}
