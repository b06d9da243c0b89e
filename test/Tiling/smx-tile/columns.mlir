// Rows along another dimension than the fastest one: a tile has all of them where a cluster's blocks hold it, and else a part.
// RUN: softmax-opt %s --split-input-file --smx-online --smx-tile="blocks parts=0 slots=528 strip-blocks=16" --canonicalize --cse | FileCheck %s
// RUN: softmax-opt %s --split-input-file --smx-online --smx-tile="blocks parts=0 slots=528" --canonicalize --cse | FileCheck %s --check-prefix=ALONE

// CHECK-LABEL: @held
// CHECK: scf.forall (%[[C:.+]]) = (0) to (65536) step (64)
// CHECK-NOT: scf.for
// CHECK: tensor.extract_slice %arg0[0, %[[C]]] [4096, 64]
// ALONE-LABEL: @held
// ALONE: scf.forall (%[[C:.+]]) = (0) to (65536) step (64)
// ALONE: scf.for %{{.+}} = %c0 to %c4096 step %c256
func.func @held(%x: tensor<4096x65536xbf16>) -> tensor<4096x65536xbf16> {
  %y = smx.softmax %x axis(0) : tensor<4096x65536xbf16> -> tensor<4096x65536xbf16>
  return %y : tensor<4096x65536xbf16>
}

// -----

// 16 strips of 64 columns are for 32 blocks each: 29 parts of 7 tiles, and as many of the result.
// CHECK-LABEL: @few
// CHECK: scf.forall (%{{.+}}, %[[P:.+]]) = (0, 0) to (1024, 29) step (64, 1) shared_outs(%{{.+}} = %{{.+}}, %{{.+}} = %{{.+}}) -> (tensor<1024x29xf32>, tensor<1024x29xf32>)
// CHECK: scf.for
// CHECK: smx.update #smx.softmax<
// CHECK: scf.forall (%{{.+}}, %{{.+}}) = (0, 0) to (1024, 29) step (64, 1)
// CHECK: smx.update #smx.parts<
// CHECK: scf.for
// CHECK: smx.finish #smx.parts<
func.func @few(%x: tensor<50688x1024xbf16>) -> tensor<50688x1024xbf16> {
  %y = smx.softmax %x axis(0) : tensor<50688x1024xbf16> -> tensor<50688x1024xbf16>
  return %y : tensor<50688x1024xbf16>
}

// -----

// For two blocks each there are too many.
// CHECK-LABEL: @not_few
// CHECK: scf.forall (%{{.+}}) = (0) to (12288) step (64)
// CHECK-NOT: #smx.parts<
// CHECK: return
func.func @not_few(%x: tensor<20480x12288xbf16>) -> tensor<20480x12288xbf16> {
  %y = smx.softmax %x axis(0) : tensor<20480x12288xbf16> -> tensor<20480x12288xbf16>
  return %y : tensor<20480x12288xbf16>
}
