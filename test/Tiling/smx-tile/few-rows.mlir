// Fewer rows than blocks that run at once, which have values of their own: several blocks have a part of each, if they are two or more.
// RUN: softmax-opt %s --split-input-file --smx-online --smx-tile="blocks parts=0 slots=8" --canonicalize --cse | FileCheck %s

// CHECK-LABEL: @two_rows
// CHECK: scf.forall (%{{.+}}, %[[P:.+]]) in (2, 4) shared_outs(%{{.+}} = %{{.+}}, %{{.+}} = %{{.+}}) -> (tensor<2x4xf32>, tensor<2x4xf32>)
// CHECK: smx.update #smx.softmax<
// CHECK: scf.forall (
// CHECK: smx.update #smx.parts<
// CHECK: smx.finish #smx.parts<{{.*}}> "logsumexp"
func.func @two_rows(%x: tensor<2x262144xf32>) -> tensor<2xf32> {
  %y = smx.logsumexp %x axis(1) : tensor<2x262144xf32> -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

// CHECK-LABEL: @five_rows
// CHECK-NOT: #smx.parts<
// CHECK: return
func.func @five_rows(%x: tensor<5x262144xf32>) -> tensor<5xf32> {
  %y = smx.logsumexp %x axis(1) : tensor<5x262144xf32> -> tensor<5xf32>
  return %y : tensor<5xf32>
}

// -----

// Nobody knows how many, and one sum holds each of them.
// CHECK-LABEL: @open_rows
// CHECK-NOT: #smx.parts<
// CHECK: return
func.func @open_rows(%x: tensor<?x262144xf32>) -> tensor<?xf32> {
  %y = smx.logsumexp %x axis(1) : tensor<?x262144xf32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// Longer ones have parts anyway: of two rows or one more, of more of them the two that two sums need.
// CHECK-LABEL: @open_long_rows
// CHECK: %[[ROWS:.+]] = tensor.dim %{{.+}}, %c0
// CHECK: %[[ONE:.+]] = arith.maxsi %[[ROWS]], %c1
// CHECK: %[[BLOCKS:.+]] = arith.divsi %c8, %[[ONE]]
// CHECK: %[[PARTS:.+]] = arith.maxsi %[[BLOCKS]], %c1
// CHECK: arith.maxsi %[[PARTS]], %c2
// CHECK: scf.forall (%{{.+}}, %{{.+}}) in (%[[ROWS]], %{{.+}})
// CHECK: smx.update #smx.softmax<
// CHECK: scf.forall (
// CHECK: smx.update #smx.parts<
func.func @open_long_rows(%x: tensor<?x262145xf32>) -> tensor<?xf32> {
  %y = smx.logsumexp %x axis(1) : tensor<?x262145xf32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// A part has four tiles at least.
// CHECK-LABEL: @short_rows
// CHECK-NOT: #smx.parts<
// CHECK: return
func.func @short_rows(%x: tensor<2x8192xf32>) -> tensor<2xf32> {
  %y = smx.logsumexp %x axis(1) : tensor<2x8192xf32> -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

// Wide rows of f32 that end within a span of 128 bytes take more addresses.
// CHECK-LABEL: @cut_span
// CHECK: scf.for {{.*}} step %c32
func.func @cut_span(%q: tensor<2x1x112xf32>, %k: tensor<2x?x112xf32>, %v: tensor<2x?x112xf32>) -> tensor<2x1x112xf32> {
  %o = smx.attention %q, %k, %v scale(0.125) : tensor<2x1x112xf32>, tensor<2x?x112xf32>, tensor<2x?x112xf32> -> tensor<2x1x112xf32>
  return %o : tensor<2x1x112xf32>
}

// -----

// CHECK-LABEL: @whole_spans
// CHECK: scf.for {{.*}} step %c64
func.func @whole_spans(%q: tensor<2x1x128xf32>, %k: tensor<2x?x128xf32>, %v: tensor<2x?x128xf32>) -> tensor<2x1x128xf32> {
  %o = smx.attention %q, %k, %v scale(0.125) : tensor<2x1x128xf32>, tensor<2x?x128xf32>, tensor<2x?x128xf32> -> tensor<2x1x128xf32>
  return %o : tensor<2x1x128xf32>
}
