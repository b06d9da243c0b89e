// Rows in memory that are two to four whole parts, and only read, are cut into them.
// RUN: softmax-opt %s --smx-online --smx-split='parts=1 longest-bytes=1048576 part-bytes=1024' | FileCheck %s

// CHECK-LABEL: func @three
// CHECK-DAG: tensor.extract_slice %{{.+}}[0, 0] [8, 256] [1, 1]
// CHECK-DAG: tensor.extract_slice %{{.+}}[0, 256] [8, 256] [1, 1]
// CHECK-DAG: tensor.extract_slice %{{.+}}[0, 512] [8, 256] [1, 1]
// CHECK: smx.merge
func.func @three(%x: tensor<8x768xf32>) -> tensor<8xf32> {
  %y = smx.logsumexp %x axis(1) : tensor<8x768xf32> -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// CHECK-LABEL: func @five
// CHECK-NOT: smx.merge
// CHECK: return
func.func @five(%x: tensor<8x1280xf32>) -> tensor<8xf32> {
  %y = smx.logsumexp %x axis(1) : tensor<8x1280xf32> -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// CHECK-LABEL: func @not_whole
// CHECK-NOT: smx.merge
// CHECK: return
func.func @not_whole(%x: tensor<8x764xf32>) -> tensor<8xf32> {
  %y = smx.logsumexp %x axis(1) : tensor<8x764xf32> -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// CHECK-LABEL: func @read_again
// CHECK-NOT: smx.merge
// CHECK: return
func.func @read_again(%x: tensor<8x768xf32>) -> tensor<8x768xf32> {
  %y = smx.softmax %x axis(1) : tensor<8x768xf32> -> tensor<8x768xf32>
  return %y : tensor<8x768xf32>
}

// CHECK-LABEL: func @computed
// CHECK-NOT: smx.merge
// CHECK: return
func.func @computed(%x: tensor<8x768xbf16>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8x768xf32>
  %w = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<8x768xbf16>) outs(%e : tensor<8x768xf32>) {
  ^bb0(%a: bf16, %b: f32):
    %s = arith.extf %a : bf16 to f32
    linalg.yield %s : f32
  } -> tensor<8x768xf32>
  %y = smx.logsumexp %w axis(1) : tensor<8x768xf32> -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// Keys are computed, beside what is in memory.
// CHECK-LABEL: func @largest
// CHECK-NOT: smx.merge
// CHECK: return
func.func @largest(%x: tensor<8x768xf32>) -> (tensor<8x3xf32>, tensor<8x3xi64>) {
  %p, %i = smx.topk_softmax %x axis(1) k(3) : tensor<8x768xf32> -> tensor<8x3xf32>, tensor<8x3xi64>
  return %p, %i : tensor<8x3xf32>, tensor<8x3xi64>
}
