// A result that has one more dimension of one element, beside one that the kernel keeps, is written in place.
// RUN: softmax-run %s --target=emulator --repeat=0 | FileCheck %s
// RUN: softmax-opt %s --smx-to-gpu | FileCheck %s --check-prefix=HOST
// CHECK: against raised: pass
// HOST-LABEL: func.func @widened
// HOST-NOT: memref.alloc
// HOST: smx_gpu.launch

#id = affine_map<(a, b, i, j) -> (a, b, i, j)>
func.func @widened(%x: tensor<2x1x17x8xf32>) -> tensor<2x1x17x1x8xf64> {
  %e = tensor.empty() : tensor<2x1x17x8xf64>
  %w = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x : tensor<2x1x17x8xf32>) outs(%e : tensor<2x1x17x8xf64>) {
  ^bb0(%a: f32, %o: f64):
    %d = arith.extf %a : f32 to f64
    linalg.yield %d : f64
  } -> tensor<2x1x17x8xf64>
  %r = tensor.expand_shape %w [[0], [1], [2], [3, 4]] output_shape [2, 1, 17, 1, 8] : tensor<2x1x17x8xf64> into tensor<2x1x17x1x8xf64>
  return %r : tensor<2x1x17x1x8xf64>
}
