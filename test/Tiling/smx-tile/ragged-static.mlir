// RUN: softmax-opt %s --smx-online --smx-tile='rows=4 stream=32 resident-bytes=0' --canonicalize --cse | FileCheck %s

// 10 rows of 100: whole tiles in loops, what is left straight behind them, every shape static.

// CHECK-LABEL: @rows_and_stream
// CHECK: scf.forall {{.*}} = (0) to (8) step (4)
// CHECK: scf.for {{.*}} = %c0 to %c96 step %c32
// CHECK: smx.update {{.*}} with(%{{.+}} : tensor<4x32xf32>)
// CHECK: tensor.extract_slice %{{.+}}[%{{.+}}, 96] [4, 4] [1, 1]
// CHECK: smx.update {{.*}} with(%{{.+}} : tensor<4x4xf32>)
// CHECK: smx.finish {{.*}} "logsumexp"
// CHECK: scf.for {{.*}} = %c0 to %c96 step %c32
// CHECK: smx.update {{.*}} with(%{{.+}} : tensor<2x32xf32>)
// CHECK: tensor.extract_slice %{{.+}}[8, 96] [2, 4] [1, 1]
// CHECK: smx.update {{.*}} with(%{{.+}} : tensor<2x4xf32>)
// CHECK: %[[F:.+]] = smx.finish {{.*}} "logsumexp"
// CHECK: tensor.insert_slice %[[F]] into %{{.+}}[8] [2] [1]
// CHECK-NOT: tensor<?
func.func @rows_and_stream(%x: tensor<10x100xf32>) -> tensor<10xf32> {
  %y = smx.logsumexp %x axis(1) : tensor<10x100xf32> -> tensor<10xf32>
  return %y : tensor<10xf32>
}

// A row shorter than its tile is one tile; so is a column of rows.
// CHECK-LABEL: @smaller_than_a_tile
// CHECK-NOT: scf.for
// CHECK: smx.update {{.*}} with(%{{.+}} : tensor<3x20xf32>)
// CHECK: return
func.func @smaller_than_a_tile(%x: tensor<3x20xf32>) -> tensor<3xf32> {
  %y = smx.logsumexp %x axis(1) : tensor<3x20xf32> -> tensor<3xf32>
  return %y : tensor<3xf32>
}
