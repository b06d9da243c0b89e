// RUN: softmax-opt %s --smx-raise --smx-online --smx-tile='rows=4 stream=32 resident-bytes=0 deferred-bytes=0' --canonicalize --cse | FileCheck %s --check-prefixes=CHECK,RAISED
// RUN: softmax-opt %s --smx-online --smx-tile='rows=4 stream=32 resident-bytes=0 deferred-bytes=0' --canonicalize --cse | FileCheck %s --check-prefixes=CHECK,WHOLE

// Upstream's linalg.softmax lets itself be tiled along the axis that it normalises over, which gives the softmax of every
// tile. It is raised; where it is not, it stays whole.

// CHECK-LABEL: @alone
// RAISED-NOT: linalg.softmax
// RAISED: smx.finish {{.*}} "softmax"
// WHOLE: linalg.softmax dimension(1) ins(%{{.+}} : tensor<8x128xf32>)
// CHECK: return
func.func @alone(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %e = tensor.empty() : tensor<8x128xf32>
  %y = linalg.softmax dimension(1) ins(%x : tensor<8x128xf32>) outs(%e : tensor<8x128xf32>) -> tensor<8x128xf32>
  return %y : tensor<8x128xf32>
}

// CHECK-LABEL: @in_front_of_a_reduction
// WHOLE: linalg.softmax dimension(1) ins(%{{.+}} : tensor<8x128xf32>)
// CHECK: scf.forall
// CHECK-NOT: linalg.softmax
// CHECK: smx.finish {{.*}} "logsumexp"
// CHECK: return
func.func @in_front_of_a_reduction(%x: tensor<8x128xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8x128xf32>
  %s = linalg.softmax dimension(1) ins(%x : tensor<8x128xf32>) outs(%e : tensor<8x128xf32>) -> tensor<8x128xf32>
  %y = smx.logsumexp %s axis(1) : tensor<8x128xf32> -> tensor<8xf32>
  return %y : tensor<8xf32>
}
