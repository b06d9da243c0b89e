// The k largest of a column are sorted by a network that has more paths than anybody can walk: this has to end.
// RUN: softmax-opt %s --smx-to-gpu | FileCheck %s

// CHECK-LABEL: @f
func.func @f(%x: tensor<?x?x?xbf16>) -> (tensor<?x64x?xf32>, tensor<?x64x?xi64>) {
  %p, %i = smx.topk_softmax %x axis(1) k(64) : tensor<?x?x?xbf16> -> tensor<?x64x?xf32>, tensor<?x64x?xi64>
  return %p, %i : tensor<?x64x?xf32>, tensor<?x64x?xi64>
}
