// RUN: softmax-opt %s --smx-to-gpu='alignment=16 chip=sm_90a' | FileCheck %s

// An element that all places of a tile read is read once, as a number, and before the products.

!t = tensor<2x8x768x64xbf16>

// CHECK-LABEL: smx_gpu.kernel @slopes_kernel
// CHECK: smx_gpu.role @compute
// CHECK-NOT: smx_gpu.mma_async
// CHECK: %[[SLOPE:.+]] = memref.load %{{.+}}[%{{.+}}] : memref<8xf32
// CHECK-NOT: smx_gpu.gather
// CHECK: smx_gpu.mma_async
// CHECK: tensor.splat %[[SLOPE]]
// CHECK: scf.for
// CHECK-NOT: memref.load
// CHECK: smx_gpu.return
func.func @slopes(%q: !t, %k: !t, %v: !t, %slopes: tensor<8xf32>) -> !t {
  %o = smx.attention %q, %k, %v scale(0.125) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %slope = tensor.extract %slopes[%h] : tensor<8xf32>
    %t = arith.mulf %s, %slope : f32
    smx.yield %t : f32
  } : !t, !t, !t -> !t
  return %o : !t
}

// Rounds of whole tiles and of cut ones read the same number.
// CHECK-LABEL: smx_gpu.kernel @causal_slopes_kernel
// CHECK: smx_gpu.role @compute
// CHECK: memref.load %{{.+}}[%{{.+}}] : memref<8xf32
// CHECK-NOT: memref.load
// CHECK: smx_gpu.return
func.func @causal_slopes(%q: !t, %k: !t, %v: !t, %slopes: tensor<8xf32>) -> !t {
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.band<top_left, right = 0>) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %slope = tensor.extract %slopes[%h] : tensor<8xf32>
    %t = arith.mulf %s, %slope : f32
    smx.yield %t : f32
  } : !t, !t, !t -> !t
  return %o : !t
}

// Lengths of keys end the loops of both roles.
// CHECK-LABEL: smx_gpu.kernel @lengths_kernel
// CHECK: smx_gpu.role @load
// CHECK: memref.load %{{.+}}[%{{.+}}] : memref<2xi32
// CHECK: scf.for
// CHECK: copy(tensor)
// CHECK: smx_gpu.role @compute
// CHECK: memref.load %{{.+}}[%{{.+}}] : memref<2xi32
// CHECK: smx_gpu.mma_async
func.func @lengths(%q: !t, %k: !t, %v: !t, %n: tensor<2xi32>) -> !t {
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.key_lengths) reads(%n : tensor<2xi32>) : !t, !t, !t -> !t
  return %o : !t
}

// Where it is not known that there is one, only rounds that need it read it.
// CHECK-LABEL: smx_gpu.kernel @perhaps_kernel
// CHECK: smx_gpu.role @compute
// CHECK: smx_gpu.mma_async
// CHECK: memref.load %{{.+}}[%{{.+}}] : memref<?xf32
// CHECK: scf.for
// CHECK: memref.load %{{.+}}[%{{.+}}] : memref<?xf32
func.func @perhaps(%q: !t, %k: !t, %v: !t, %slopes: tensor<?xf32>) -> !t {
  %o = smx.attention %q, %k, %v scale(0.125) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %slope = tensor.extract %slopes[%h] : tensor<?xf32>
    %t = arith.mulf %s, %slope : f32
    smx.yield %t : f32
  } : !t, !t, !t -> !t
  return %o : !t
}
