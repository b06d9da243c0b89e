// RUN: softmax-opt %s --smx-raise --verify-diagnostics | FileCheck %s

// One more score of each head, whose weight is dropped after the softmax.

// Behind the scores.
// CHECK-LABEL: @last
// CHECK: smx.attention {{.*}} sinks(%{{.+}} : tensor<2xf32>) :
// CHECK-NOT: smx.softmax
// CHECK: return
func.func @last(%q: tensor<2x9x8xf32>, %kt: tensor<2x8x7xf32>, %v: tensor<2x7x8xf32>, %sinks: tensor<2xf32>) -> tensor<2x9x8xf32> {
  %zs = arith.constant dense<0.0> : tensor<2x9x7xf32>
  %zo = arith.constant dense<0.0> : tensor<2x9x8xf32>
  %t = linalg.batch_matmul ins(%q, %kt : tensor<2x9x8xf32>, tensor<2x8x7xf32>) outs(%zs : tensor<2x9x7xf32>) -> tensor<2x9x7xf32>
  %ec = tensor.empty() : tensor<2x9x1xf32>
  %column = linalg.broadcast ins(%sinks : tensor<2xf32>) outs(%ec : tensor<2x9x1xf32>) dimensions = [1, 2]
  %both = tensor.concat dim(2) %t, %column : (tensor<2x9x7xf32>, tensor<2x9x1xf32>) -> tensor<2x9x8xf32>
  %pw = smx.softmax %both axis(2) : tensor<2x9x8xf32> -> tensor<2x9x8xf32>
  %p = tensor.extract_slice %pw[0, 0, 0] [2, 9, 7] [1, 1, 1] : tensor<2x9x8xf32> to tensor<2x9x7xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x9x7xf32>, tensor<2x7x8xf32>) outs(%zo : tensor<2x9x8xf32>) -> tensor<2x9x8xf32>
  return %o : tensor<2x9x8xf32>
}

// In front of them.
// CHECK-LABEL: @first
// CHECK: smx.attention {{.*}} sinks(%{{.+}} : tensor<2xf32>) :
// CHECK-NOT: smx.softmax
// CHECK: return
func.func @first(%q: tensor<2x9x8xf32>, %kt: tensor<2x8x7xf32>, %v: tensor<2x7x8xf32>, %sinks: tensor<2xf32>) -> tensor<2x9x8xf32> {
  %zs = arith.constant dense<0.0> : tensor<2x9x7xf32>
  %zo = arith.constant dense<0.0> : tensor<2x9x8xf32>
  %t = linalg.batch_matmul ins(%q, %kt : tensor<2x9x8xf32>, tensor<2x8x7xf32>) outs(%zs : tensor<2x9x7xf32>) -> tensor<2x9x7xf32>
  %ec = tensor.empty() : tensor<2x9x1xf32>
  %column = linalg.broadcast ins(%sinks : tensor<2xf32>) outs(%ec : tensor<2x9x1xf32>) dimensions = [1, 2]
  %both = tensor.concat dim(2) %column, %t : (tensor<2x9x1xf32>, tensor<2x9x7xf32>) -> tensor<2x9x8xf32>
  %pw = smx.softmax %both axis(2) : tensor<2x9x8xf32> -> tensor<2x9x8xf32>
  %p = tensor.extract_slice %pw[0, 0, 1] [2, 9, 7] [1, 1, 1] : tensor<2x9x8xf32> to tensor<2x9x7xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x9x7xf32>, tensor<2x7x8xf32>) outs(%zo : tensor<2x9x8xf32>) -> tensor<2x9x8xf32>
  return %o : tensor<2x9x8xf32>
}

// The maximum of all is subtracted twice, as GPT-OSS does.
// CHECK-LABEL: @shifted
// CHECK: smx.attention {{.*}} sinks(%{{.+}} : tensor<2xf32>) :
// CHECK-NOT: smx.softmax
// CHECK: return
func.func @shifted(%q: tensor<2x9x8xf32>, %kt: tensor<2x8x7xf32>, %v: tensor<2x7x8xf32>, %sinks: tensor<2xf32>) -> tensor<2x9x8xf32> {
  %zs = arith.constant dense<0.0> : tensor<2x9x7xf32>
  %zo = arith.constant dense<0.0> : tensor<2x9x8xf32>
  %t = linalg.batch_matmul ins(%q, %kt : tensor<2x9x8xf32>, tensor<2x8x7xf32>) outs(%zs : tensor<2x9x7xf32>) -> tensor<2x9x7xf32>
  %ec = tensor.empty() : tensor<2x9x1xf32>
  %column = linalg.broadcast ins(%sinks : tensor<2xf32>) outs(%ec : tensor<2x9x1xf32>) dimensions = [1, 2]
  %both = tensor.concat dim(2) %t, %column : (tensor<2x9x7xf32>, tensor<2x9x1xf32>) -> tensor<2x9x8xf32>
  %m0 = arith.constant dense<0xFF800000> : tensor<2x9xf32>
  %m = linalg.reduce { arith.maximumf } ins(%both : tensor<2x9x8xf32>) outs(%m0 : tensor<2x9xf32>) dimensions = [2]
  %ew = tensor.empty() : tensor<2x9x8xf32>
  %mb = linalg.broadcast ins(%m : tensor<2x9xf32>) outs(%ew : tensor<2x9x8xf32>) dimensions = [2]
  %d = arith.subf %both, %mb : tensor<2x9x8xf32>
  %pw = smx.softmax %d axis(2) : tensor<2x9x8xf32> -> tensor<2x9x8xf32>
  %p = tensor.extract_slice %pw[0, 0, 0] [2, 9, 7] [1, 1, 1] : tensor<2x9x8xf32> to tensor<2x9x7xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x9x7xf32>, tensor<2x7x8xf32>) outs(%zo : tensor<2x9x8xf32>) -> tensor<2x9x8xf32>
  return %o : tensor<2x9x8xf32>
}

// Each row has a number of its own.
// CHECK-LABEL: @of_each_row
// CHECK-NOT: smx.attention
// CHECK: smx.softmax %{{.+}} axis(2)
// CHECK: return
func.func @of_each_row(%q: tensor<2x9x8xf32>, %kt: tensor<2x8x7xf32>, %v: tensor<2x7x8xf32>, %column: tensor<2x9x1xf32>) -> tensor<2x9x8xf32> {
  %zs = arith.constant dense<0.0> : tensor<2x9x7xf32>
  %zo = arith.constant dense<0.0> : tensor<2x9x8xf32>
  %t = linalg.batch_matmul ins(%q, %kt : tensor<2x9x8xf32>, tensor<2x8x7xf32>) outs(%zs : tensor<2x9x7xf32>) -> tensor<2x9x7xf32>
  %both = tensor.concat dim(2) %t, %column : (tensor<2x9x7xf32>, tensor<2x9x1xf32>) -> tensor<2x9x8xf32>
  %pw = smx.softmax %both axis(2) : tensor<2x9x8xf32> -> tensor<2x9x8xf32>
  %p = tensor.extract_slice %pw[0, 0, 0] [2, 9, 7] [1, 1, 1] : tensor<2x9x8xf32> to tensor<2x9x7xf32>
  // expected-remark @below {{not raised to smx.attention: the sinks are not one number of each head}}
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x9x7xf32>, tensor<2x7x8xf32>) outs(%zo : tensor<2x9x8xf32>) -> tensor<2x9x8xf32>
  return %o : tensor<2x9x8xf32>
}

// The sinks are scaled.
// CHECK-LABEL: @scaled
// CHECK-NOT: smx.attention
// CHECK: smx.softmax %{{.+}} axis(2)
// CHECK: return
func.func @scaled(%q: tensor<2x9x8xf32>, %kt: tensor<2x8x7xf32>, %v: tensor<2x7x8xf32>, %sinks: tensor<2xf32>) -> tensor<2x9x8xf32> {
  %zs = arith.constant dense<0.0> : tensor<2x9x7xf32>
  %zo = arith.constant dense<0.0> : tensor<2x9x8xf32>
  %t = linalg.batch_matmul ins(%q, %kt : tensor<2x9x8xf32>, tensor<2x8x7xf32>) outs(%zs : tensor<2x9x7xf32>) -> tensor<2x9x7xf32>
  %ec = tensor.empty() : tensor<2x9x1xf32>
  %column = linalg.broadcast ins(%sinks : tensor<2xf32>) outs(%ec : tensor<2x9x1xf32>) dimensions = [1, 2]
  %both = tensor.concat dim(2) %t, %column : (tensor<2x9x7xf32>, tensor<2x9x1xf32>) -> tensor<2x9x8xf32>
  %pw = smx.softmax %both axis(2) scale(0.5) : tensor<2x9x8xf32> -> tensor<2x9x8xf32>
  %p = tensor.extract_slice %pw[0, 0, 0] [2, 9, 7] [1, 1, 1] : tensor<2x9x8xf32> to tensor<2x9x7xf32>
  // expected-remark @below {{not raised to smx.attention: the sinks are scaled with the scores}}
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x9x7xf32>, tensor<2x7x8xf32>) outs(%zo : tensor<2x9x8xf32>) -> tensor<2x9x8xf32>
  return %o : tensor<2x9x8xf32>
}

// The sink is kept, and the last score dropped.
// CHECK-LABEL: @other_part
// CHECK-NOT: smx.attention
// CHECK: smx.softmax %{{.+}} axis(2)
// CHECK: return
func.func @other_part(%q: tensor<2x9x8xf32>, %kt: tensor<2x8x7xf32>, %v: tensor<2x7x8xf32>, %sinks: tensor<2xf32>) -> tensor<2x9x8xf32> {
  %zs = arith.constant dense<0.0> : tensor<2x9x7xf32>
  %zo = arith.constant dense<0.0> : tensor<2x9x8xf32>
  %t = linalg.batch_matmul ins(%q, %kt : tensor<2x9x8xf32>, tensor<2x8x7xf32>) outs(%zs : tensor<2x9x7xf32>) -> tensor<2x9x7xf32>
  %ec = tensor.empty() : tensor<2x9x1xf32>
  %column = linalg.broadcast ins(%sinks : tensor<2xf32>) outs(%ec : tensor<2x9x1xf32>) dimensions = [1, 2]
  %both = tensor.concat dim(2) %column, %t : (tensor<2x9x1xf32>, tensor<2x9x7xf32>) -> tensor<2x9x8xf32>
  %pw = smx.softmax %both axis(2) : tensor<2x9x8xf32> -> tensor<2x9x8xf32>
  %p = tensor.extract_slice %pw[0, 0, 0] [2, 9, 7] [1, 1, 1] : tensor<2x9x8xf32> to tensor<2x9x7xf32>
  // expected-remark @below {{not raised to smx.attention: the weights are changed between softmax and product}}
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x9x7xf32>, tensor<2x7x8xf32>) outs(%zo : tensor<2x9x8xf32>) -> tensor<2x9x8xf32>
  return %o : tensor<2x9x8xf32>
}
