// Tiles have whole short rows that may start anywhere, where tiles of lines would be beyond the ends of many.
// RUN: softmax-opt %s --smx-tile-others=alignment=2 --canonicalize --cse | FileCheck %s
// RUN: softmax-opt %s --smx-tile-others --canonicalize --cse | FileCheck %s --check-prefix=ALIGNED
// RUN: not softmax-opt %s --smx-tile-others=alignment=-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: option 'alignment' must be at least 0, got -1

// CHECK-LABEL: @rows
// CHECK: scf.forall (%{{.+}}, %{{.+}}) = (0, 0) to (4096, 65) step (64, 65)
// CHECK: scf.forall (%{{.+}}, %{{.+}}) = (0, 0) to (4096, 1000) step (8, 512)
// CHECK: scf.forall (%{{.+}}, %{{.+}}) = (0, 0) to (4096, 65) step (32, 65)
// ALIGNED-LABEL: @rows
// ALIGNED: scf.forall (%{{.+}}, %{{.+}}) = (0, 0) to (4096, 65) step (64, 64)
#ij = affine_map<(i, j) -> (i, j)>
func.func @rows(%x: tensor<4096x65xbf16>, %y: tensor<4096x1000xbf16>, %z: tensor<4096x65xf32>)
    -> (tensor<4096x65xbf16>, tensor<4096x1000xbf16>, tensor<4096x65xf32>) {
  %e = tensor.empty() : tensor<4096x65xbf16>
  %f = tensor.empty() : tensor<4096x1000xbf16>
  %g = tensor.empty() : tensor<4096x65xf32>
  %p = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4096x65xbf16>) outs(%e : tensor<4096x65xbf16>) {
  ^bb0(%a: bf16, %o: bf16):
    %1 = arith.addf %a, %a : bf16
    linalg.yield %1 : bf16
  } -> tensor<4096x65xbf16>
  %q = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<4096x1000xbf16>) outs(%f : tensor<4096x1000xbf16>) {
  ^bb0(%a: bf16, %o: bf16):
    %1 = arith.mulf %a, %a : bf16
    linalg.yield %1 : bf16
  } -> tensor<4096x1000xbf16>
  %r = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%z : tensor<4096x65xf32>) outs(%g : tensor<4096x65xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.addf %a, %a : f32
    linalg.yield %1 : f32
  } -> tensor<4096x65xf32>
  return %p, %q, %r : tensor<4096x65xbf16>, tensor<4096x1000xbf16>, tensor<4096x65xf32>
}
