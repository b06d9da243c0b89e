// RUN: softmax-opt %s --smx-online --smx-tile='rows=4 stream=32 resident-bytes=0 deferred-bytes=0' --canonicalize --cse | FileCheck %s

// What only the reduction needs is computed tile by tile: elementwise ops always, products if every tile is asked for once.

// CHECK-LABEL: @elementwise_in_both_passes
// CHECK-NOT: linalg.exp
// CHECK: scf.forall
// CHECK: scf.for
// CHECK: %[[A:.+]] = linalg.exp {{.*}} -> tensor<4x32xf32>
// CHECK: smx.update {{.*}} with(%[[A]] :
// CHECK: scf.for
// CHECK: %[[B:.+]] = linalg.exp {{.*}} -> tensor<4x32xf32>
// CHECK: smx.finish {{.*}} with(%[[B]] :
func.func @elementwise_in_both_passes(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %e = tensor.empty() : tensor<8x128xf32>
  %s = linalg.exp ins(%x : tensor<8x128xf32>) outs(%e : tensor<8x128xf32>) -> tensor<8x128xf32>
  %y = smx.softmax %s axis(1) : tensor<8x128xf32> -> tensor<8x128xf32>
  return %y : tensor<8x128xf32>
}

// CHECK-LABEL: @somebody_else_needs_it
// CHECK: %[[S:.+]] = linalg.exp {{.*}} -> tensor<8x128xf32>
// CHECK: scf.forall
// CHECK-NOT: linalg.exp
// CHECK: return %{{.+}}, %[[S]]
func.func @somebody_else_needs_it(%x: tensor<8x128xf32>) -> (tensor<8xf32>, tensor<8x128xf32>) {
  %e = tensor.empty() : tensor<8x128xf32>
  %s = linalg.exp ins(%x : tensor<8x128xf32>) outs(%e : tensor<8x128xf32>) -> tensor<8x128xf32>
  %y = smx.logsumexp %s axis(1) : tensor<8x128xf32> -> tensor<8xf32>
  return %y, %s : tensor<8xf32>, tensor<8x128xf32>
}

// Two passes would compute the product twice.
// CHECK-LABEL: @product_of_a_softmax
// CHECK: linalg.matmul {{.*}} -> tensor<8x128xf32>
// CHECK: scf.forall
// CHECK-NOT: linalg.matmul
// CHECK: return
func.func @product_of_a_softmax(%a: tensor<8x16xf32>, %b: tensor<16x128xf32>, %c: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %s = linalg.matmul ins(%a, %b : tensor<8x16xf32>, tensor<16x128xf32>) outs(%c : tensor<8x128xf32>) -> tensor<8x128xf32>
  %y = smx.softmax %s axis(1) : tensor<8x128xf32> -> tensor<8x128xf32>
  return %y : tensor<8x128xf32>
}

// The scores of an attention are never there as a whole.
// CHECK-LABEL: @scores
// CHECK-NOT: tensor<64x128xf32>
// CHECK: scf.forall
// CHECK: linalg.generic {{.*}} "reduction"]{{.*}} outs(%{{.+}} : tensor<4x32xf32>)
// CHECK-NOT: tensor<64x128xf32>
// CHECK: return
func.func @scores(%q: tensor<64x16xf32>, %k: tensor<128x16xf32>, %v: tensor<128x4xf32>) -> tensor<64x4xf32> {
  %o = smx.attention %q, %k, %v scale(0.25) : tensor<64x16xf32>, tensor<128x16xf32>, tensor<128x4xf32> -> tensor<64x4xf32>
  return %o : tensor<64x4xf32>
}
