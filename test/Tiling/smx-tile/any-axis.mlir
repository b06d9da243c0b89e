// RUN: softmax-opt %s --smx-online --smx-tile='rows=8 stream=16 resident-bytes=0' --canonicalize --cse | FileCheck %s

// The stream is the first axis: a tile is a strip of neighbouring rows, as they lie.

// CHECK-LABEL: @first_axis
// CHECK: scf.forall (%[[R:.+]]) = (0) to (64) step (8)
// CHECK: scf.for %[[J:.+]] = %c0 to %c32 step %c16
// CHECK: tensor.extract_slice %{{.+}}[%[[J]], %[[R]]] [16, 8] [1, 1]
// CHECK: scf.for %[[J2:.+]] = %c0 to %c32 step %c16
// CHECK: tensor.insert_slice %{{.+}} into %{{.+}}[%[[J2]], 0] [16, 8] [1, 1]
// CHECK: tensor.parallel_insert_slice %{{.+}} into %{{.+}}[0, %[[R]]] [32, 8] [1, 1]
func.func @first_axis(%x: tensor<32x64xf32>) -> tensor<32x64xf32> {
  %y = smx.softmax %x axis(0) : tensor<32x64xf32> -> tensor<32x64xf32>
  return %y : tensor<32x64xf32>
}

// Only the last row dimension is tiled by more than 1.
// CHECK-LABEL: @middle_axis
// CHECK: scf.forall (%[[A:.+]], %[[B:.+]]) = (0, 0) to (3, 64) step (1, 8)
// CHECK: tensor.extract_slice %{{.+}}[%[[A]], %{{.+}}, %[[B]]] [1, 16, 8] [1, 1, 1]
func.func @middle_axis(%x: tensor<3x32x64xf32>) -> tensor<3x32x64xf32> {
  %y = smx.softmax %x axis(1) : tensor<3x32x64xf32> -> tensor<3x32x64xf32>
  return %y : tensor<3x32x64xf32>
}

// Three heads of queries read the keys of one.
// CHECK-LABEL: @grouped_heads
// CHECK: scf.forall (%[[H:.+]], %[[R:.+]]) = (0, 0) to (6, 32) step (1, 8)
// CHECK: %[[KV:.+]] = affine.apply #{{.+}}(%[[H]])
// CHECK: tensor.extract_slice %{{.+}}[%[[KV]], %{{.+}}, 0] [1, 16, 4] [1, 1, 1] : tensor<2x32x4xf32>
func.func @grouped_heads(%q: tensor<6x32x16xf32>, %k: tensor<2x32x16xf32>, %v: tensor<2x32x4xf32>) -> tensor<6x32x4xf32> {
  %o = smx.attention %q, %k, %v scale(0.25) : tensor<6x32x16xf32>, tensor<2x32x16xf32>, tensor<2x32x4xf32> -> tensor<6x32x4xf32>
  return %o : tensor<6x32x4xf32>
}
