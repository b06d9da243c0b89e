// RUN: softmax-opt %s --smx-to-tiled | FileCheck %s

// Extents are those of the arguments: nothing as large as the scores, or as the rows, is kept for them.

// CHECK-LABEL: @any_size
// CHECK-NOT: linalg.
// CHECK-NOT: smx.
// CHECK: scf.forall
func.func @any_size(%q: tensor<2x?x16xbf16>, %k: tensor<2x?x16xbf16>, %v: tensor<2x?x?xbf16>) -> tensor<2x?x?xbf16> {
  %o = smx.attention %q, %k, %v scale(0.25) mask(#smx.band<bottom_right, right = 0>)
     : tensor<2x?x16xbf16>, tensor<2x?x16xbf16>, tensor<2x?x?xbf16> -> tensor<2x?x?xbf16>
  return %o : tensor<2x?x?xbf16>
}
