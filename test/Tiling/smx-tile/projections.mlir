// RUN: softmax-opt %s --smx-online --smx-tile='rows=64 stream=128' --canonicalize --cse | FileCheck %s

// The scores are made tile by tile; what they are made from is not made again for every tile.

// CHECK-LABEL: @projected_keys
// CHECK: %[[K:.+]] = linalg.matmul {{.*}} -> tensor<1024x64xf32>
// CHECK: scf.forall
// CHECK: scf.for
// CHECK-NOT: linalg.matmul
// CHECK: tensor.extract_slice %[[K]]
// CHECK: linalg.generic {{.*}} "reduction"]
// CHECK-NOT: linalg.matmul
// CHECK: return
func.func @projected_keys(%q: tensor<1024x64xf32>, %x: tensor<1024x64xf32>, %w: tensor<64x64xf32>, %v: tensor<1024x64xf32>) -> tensor<1024x64xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1024x64xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1024x64xf32>) -> tensor<1024x64xf32>
  %k = linalg.matmul ins(%x, %w : tensor<1024x64xf32>, tensor<64x64xf32>) outs(%f : tensor<1024x64xf32>) -> tensor<1024x64xf32>
  %o = smx.attention %q, %k, %v scale(0.125) : tensor<1024x64xf32>, tensor<1024x64xf32>, tensor<1024x64xf32> -> tensor<1024x64xf32>
  return %o : tensor<1024x64xf32>
}
