// A view of an argument that is a result, beside what a kernel computes of it.
// RUN: softmax-run %s --target=emulator --repeat=0 | FileCheck %s
// RUN: softmax-run %s --repeat=0 | FileCheck %s
// CHECK: against raised: pass
// CHECK: against raised: pass
func.func @view(%a: tensor<33x1x1xf32>) -> (tensor<33x1xf32>, tensor<33x1xf32>) {
  %c = tensor.collapse_shape %a [[0], [1, 2]] : tensor<33x1x1xf32> into tensor<33x1xf32>
  %v = math.absf %c : tensor<33x1xf32>
  return %v, %c : tensor<33x1xf32>, tensor<33x1xf32>
}
