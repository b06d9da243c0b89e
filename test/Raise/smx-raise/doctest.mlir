// RUN: softmax-opt %s --smx-raise | FileCheck %s
// The example of the pass description.

func.func @head(%q: tensor<32x16xf32>, %k: tensor<48x16xf32>, %v: tensor<48x8xf32>) -> tensor<32x8xf32> {
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.25 : f32
  %es = tensor.empty() : tensor<32x48xf32>
  %eo = tensor.empty() : tensor<32x8xf32>
  %et = tensor.empty() : tensor<16x48xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<32x48xf32>) -> tensor<32x48xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<32x8xf32>) -> tensor<32x8xf32>
  %kt = linalg.transpose ins(%k : tensor<48x16xf32>) outs(%et : tensor<16x48xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%q, %kt : tensor<32x16xf32>, tensor<16x48xf32>) outs(%zs : tensor<32x48xf32>) -> tensor<32x48xf32>
  %m = linalg.map ins(%s : tensor<32x48xf32>) outs(%es : tensor<32x48xf32>)
    (%a: f32, %out: f32) {
      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      %t = arith.mulf %a, %scale : f32
      %seen = arith.cmpi sle, %j, %i : index
      %r = arith.select %seen, %t, %hidden : f32
      linalg.yield %r : f32
    }
  %p = linalg.softmax dimension(1) ins(%m : tensor<32x48xf32>) outs(%es : tensor<32x48xf32>) -> tensor<32x48xf32>
  %o = linalg.matmul ins(%p, %v : tensor<32x48xf32>, tensor<48x8xf32>) outs(%zo : tensor<32x8xf32>) -> tensor<32x8xf32>
  return %o : tensor<32x8xf32>
}

// CHECK-LABEL: func.func @head(
// CHECK-SAME: %[[Q:.+]]: tensor<32x16xf32>, %[[K:.+]]: tensor<48x16xf32>, %[[V:.+]]: tensor<48x8xf32>) -> tensor<32x8xf32> {
// CHECK-NEXT: %[[O:.+]] = smx.attention %[[Q]], %[[K]], %[[V]] scale(2.500000e-01) mask(#smx.band<top_left, right = 0>)
// CHECK-SAME: : tensor<32x16xf32>, tensor<48x16xf32>, tensor<48x8xf32> -> tensor<32x8xf32>
// CHECK-NEXT: return %[[O]] : tensor<32x8xf32>
