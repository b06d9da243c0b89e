// Long rows of elements of 16 or 32 bits that start anywhere have tiles of one row, which threads hold from the access before on.
// RUN: softmax-opt %s --smx-tile-others=alignment=2 --canonicalize --cse | FileCheck %s
// RUN: softmax-opt %s --smx-tile-others --canonicalize --cse | FileCheck %s --check-prefix=ALIGNED

#ij = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>

// CHECK-LABEL: @compared
// CHECK: scf.forall (%{{.+}}, %{{.+}}) = (0, 0) to (100, 50257) step (1, 4096)
// ALIGNED-LABEL: @compared
// ALIGNED: scf.forall (%{{.+}}, %{{.+}}) = (0, 0) to (100, 50257) step (8, 512)
func.func @compared(%x: tensor<100x50257xbf16>, %t: tensor<100xi32>) -> tensor<100x50257xbf16> {
  %e = tensor.empty() : tensor<100x50257xbf16>
  %p = linalg.generic {indexing_maps = [#ij, #i, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x, %t : tensor<100x50257xbf16>, tensor<100xi32>) outs(%e : tensor<100x50257xbf16>) {
  ^bb0(%a: bf16, %b: i32, %o: bf16):
    %1 = linalg.index 1 : index
    %2 = arith.index_cast %1 : index to i32
    %3 = arith.cmpi eq, %2, %b : i32
    %4 = arith.negf %a : bf16
    %5 = arith.select %3, %4, %a : bf16
    linalg.yield %5 : bf16
  } -> tensor<100x50257xbf16>
  return %p : tensor<100x50257xbf16>
}

// CHECK-LABEL: @wide
// CHECK: scf.forall (%{{.+}}, %{{.+}}) = (0, 0) to (100, 50257) step (1, 4096)
// ALIGNED-LABEL: @wide
// ALIGNED: scf.forall (%{{.+}}, %{{.+}}) = (0, 0) to (100, 50257) step (8, 512)
func.func @wide(%x: tensor<100x50257xf32>) -> tensor<100x50257xf32> {
  %e = tensor.empty() : tensor<100x50257xf32>
  %p = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<100x50257xf32>) outs(%e : tensor<100x50257xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.negf %a : f32
    linalg.yield %1 : f32
  } -> tensor<100x50257xf32>
  return %p : tensor<100x50257xf32>
}

// Not where tiles have a third of a row beyond its end, or no room for a slide, columns are computed with, or elements are of 64 bits.
// CHECK-LABEL: @others
// CHECK: scf.forall (%{{.+}}, %{{.+}}) = (0, 0) to (100, 9001) step (8, 512)
// CHECK: scf.forall (%{{.+}}, %{{.+}}) = (0, 0) to (100, 8187) step (8, 512)
// CHECK: scf.forall (%{{.+}}, %{{.+}}) = (0, 0) to (100, 50257) step (8, 512)
// CHECK: scf.forall (%{{.+}}, %{{.+}}) = (0, 0) to (100, 50257) step (8, 512)
func.func @others(%x: tensor<100x9001xbf16>, %w: tensor<100x8187xbf16>, %y: tensor<100x50257xi16>, %z: tensor<100x50257xf64>)
    -> (tensor<100x9001xbf16>, tensor<100x8187xbf16>, tensor<100x50257xi16>, tensor<100x50257xf64>) {
  %e = tensor.empty() : tensor<100x9001xbf16>
  %d = tensor.empty() : tensor<100x8187xbf16>
  %f = tensor.empty() : tensor<100x50257xi16>
  %g = tensor.empty() : tensor<100x50257xf64>
  %p = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<100x9001xbf16>) outs(%e : tensor<100x9001xbf16>) {
  ^bb0(%a: bf16, %o: bf16):
    %1 = arith.negf %a : bf16
    linalg.yield %1 : bf16
  } -> tensor<100x9001xbf16>
  %v = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<100x8187xbf16>) outs(%d : tensor<100x8187xbf16>) {
  ^bb0(%a: bf16, %o: bf16):
    %1 = arith.negf %a : bf16
    linalg.yield %1 : bf16
  } -> tensor<100x8187xbf16>
  %q = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<100x50257xi16>) outs(%f : tensor<100x50257xi16>) {
  ^bb0(%a: i16, %o: i16):
    %1 = linalg.index 1 : index
    %2 = arith.index_cast %1 : index to i16
    %3 = arith.addi %2, %a : i16
    linalg.yield %3 : i16
  } -> tensor<100x50257xi16>
  %r = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%z : tensor<100x50257xf64>) outs(%g : tensor<100x50257xf64>) {
  ^bb0(%a: f64, %o: f64):
    %1 = arith.negf %a : f64
    linalg.yield %1 : f64
  } -> tensor<100x50257xf64>
  return %p, %v, %q, %r : tensor<100x9001xbf16>, tensor<100x8187xbf16>, tensor<100x50257xi16>, tensor<100x50257xf64>
}
