// RUN: softmax-opt %s --generate-runtime-verification=verbose-level=0 --canonicalize --split-input-file | FileCheck %s

// What the types say needs no assertion.
// CHECK-LABEL: @static
// CHECK-NOT: cf.assert
func.func @static(%x: tensor<4x8xf32>, %y: tensor<?x8xf32>) -> (tensor<4x8xf32>, tensor<?x8xf32>) {
  %0 = smx.softmax %x axis(1) : tensor<4x8xf32> -> tensor<4x8xf32>
  %1 = smx.softmax %y axis(1) : tensor<?x8xf32> -> tensor<?x8xf32>
  return %0, %1 : tensor<4x8xf32>, tensor<?x8xf32>
}

// -----

// CHECK-LABEL: @results
// CHECK-COUNT-7: cf.assert {{.*}}expected operands that give dimension 0 of the result, 5\0A
// CHECK-NOT: cf.assert
func.func @results(%x: tensor<?x8xf32>) -> (tensor<5x8xf32>, tensor<5x8xf32>, tensor<5xf32>, tensor<5x8xf32>, tensor<5x8xf32>, tensor<5x2xf32>, tensor<5x2xi64>) {
  %0 = smx.softmax %x axis(1) : tensor<?x8xf32> -> tensor<5x8xf32>
  %1 = smx.log_softmax %x axis(1) : tensor<?x8xf32> -> tensor<5x8xf32>
  %2 = smx.logsumexp %x axis(1) : tensor<?x8xf32> -> tensor<5xf32>
  %3 = smx.layer_norm %x axis(1) epsilon(1.0e-5) : tensor<?x8xf32> -> tensor<5x8xf32>
  %4 = smx.rms_norm %x axis(1) epsilon(1.0e-5) : tensor<?x8xf32> -> tensor<5x8xf32>
  %5, %6 = smx.topk_softmax %x axis(1) k(2) : tensor<?x8xf32> -> tensor<5x2xf32>, tensor<5x2xi64>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<5x8xf32>, tensor<5x8xf32>, tensor<5xf32>, tensor<5x8xf32>, tensor<5x8xf32>, tensor<5x2xf32>, tensor<5x2xi64>
}

// -----

// CHECK-LABEL: @rows
// CHECK-DAG: %[[SCORES:.*]] = tensor.dim %arg0, %c0
// CHECK-DAG: %[[VALUES:.*]] = tensor.dim %arg1, %c0
// CHECK: %[[SAME:.*]] = arith.cmpi eq, %[[VALUES]], %[[SCORES]]
// CHECK: cf.assert %[[SAME]], {{.*}}expected dimension 0 of the values and dimension 0 of the scores to be the same
// CHECK: cf.assert {{.*}}dimension 0 of the targets and dimension 0 of the logits
// CHECK: cf.assert {{.*}}dimension 0 of the targets and dimension 0 of the logits
// CHECK: cf.assert {{.*}}dimension 0 of the log-sum-exp and dimension 0 of the logits
// CHECK: cf.assert {{.*}}dimension 0 of the gradient and dimension 0 of the logits
// CHECK: cf.assert {{.*}}dimension 0 of the gradient and dimension 0 of the forward result
// CHECK: cf.assert {{.*}}dimension 0 of the gradient and dimension 0 of the forward result
// CHECK-NOT: cf.assert
func.func @rows(%x: tensor<?x8xf32>, %v: tensor<?x8x4xf32>, %t: tensor<?xi64>, %r: tensor<?xf32>, %g: tensor<?x8xf32>)
    -> (tensor<?x4xf32>, tensor<?xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>) {
  %0 = smx.softmax_dot %x, %v : tensor<?x8xf32>, tensor<?x8x4xf32> -> tensor<?x4xf32>
  %1 = smx.cross_entropy %x, %t axis(1) : tensor<?x8xf32>, tensor<?xi64> -> tensor<?xf32>
  %2 = smx.cross_entropy_backward %x, %t, %r, %r axis(1) : tensor<?x8xf32>, tensor<?xi64>, tensor<?xf32>, tensor<?xf32> -> tensor<?x8xf32>
  %3 = smx.softmax_backward %x, %g axis(1) : tensor<?x8xf32>, tensor<?x8xf32> -> tensor<?x8xf32>
  %4 = smx.log_softmax_backward %x, %g axis(1) : tensor<?x8xf32>, tensor<?x8xf32> -> tensor<?x8xf32>
  return %0, %1, %2, %3, %4 : tensor<?x4xf32>, tensor<?xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>
}

// -----

// CHECK-LABEL: @attention
// CHECK: cf.assert {{.*}}dimension 3 of the queries and dimension 3 of the keys
// CHECK: cf.assert {{.*}}dimension 0 of the keys and dimension 0 of the values
// CHECK: cf.assert {{.*}}dimension 1 of the keys and dimension 1 of the values
// CHECK: cf.assert {{.*}}dimension 2 of the keys and dimension 2 of the values
// CHECK: cf.assert {{.*}}dimension 0 of the queries and dimension 0 of the keys
// CHECK: cf.assert {{.*}}dimension 1 of the queries and dimension 1 of the keys
// CHECK: cf.assert {{.*}}dimension 0 of the sinks and dimension 1 of the queries
// CHECK: cf.assert {{.*}}dimension 0 of mask tensor 0 and dimension 0 of the queries
// CHECK: %[[BIAS:.*]] = tensor.dim %arg5, %c0
// CHECK: %[[ENOUGH:.*]] = arith.cmpi uge, %[[BIAS]]
// CHECK: cf.assert %[[ENOUGH]], {{.*}}dimension 0 of a tensor that is read to be at least dimension 1 of the queries
// CHECK: cf.assert {{.*}}dimension 1 of a tensor that is read to be at least dimension 2 of the keys
// CHECK-NOT: cf.assert {{.*}}expected
func.func @attention(%q: tensor<?x?x?x?xf32>, %k: tensor<?x?x?x?xf32>, %v: tensor<?x?x?x?xf32>, %n: tensor<?xi32>, %z: tensor<?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?x?x?xf32> {
  %0 = smx.attention %q, %k, %v scale(1.0) mask(#smx.key_lengths) reads(%n : tensor<?xi32>) sinks(%z : tensor<?xf32>) score {
  ^bb0(%s: f32, %batch: index, %h: index, %i: index, %j: index):
    %x = tensor.extract %b[%h, %j] : tensor<?x?xf32>
    %t = arith.addf %s, %x : f32
    smx.yield %t : f32
  } : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32> -> tensor<?x?x?x?xf32>
  return %0 : tensor<?x?x?x?xf32>
}

// -----

// A static ratio of heads is one; marks have one element for each block; an
// extent of 1 by the type is the same for all.
// CHECK-LABEL: @grouped
// CHECK: cf.assert {{.*}}dimension 1 of the keys and dimension 1 of the values
// CHECK: cf.assert {{.*}}dimension 1 of mask tensor 0 and the blocks of 32 in dimension 1 of the queries
// CHECK: cf.assert {{.*}}dimension 2 of mask tensor 0 and the blocks of 64 in dimension 1 of the keys
// CHECK-NOT: cf.assert
func.func @grouped(%q: tensor<4x?x16xf32>, %k: tensor<2x?x16xf32>, %v: tensor<2x?x16xf32>, %m: tensor<1x?x?xi8>) -> tensor<4x?x16xf32> {
  %0 = smx.attention %q, %k, %v scale(1.0) mask(#smx.blocks<rows = 32, keys = 64>) reads(%m : tensor<1x?x?xi8>)
    : tensor<4x?x16xf32>, tensor<2x?x16xf32>, tensor<2x?x16xf32> -> tensor<4x?x16xf32>
  return %0 : tensor<4x?x16xf32>
}

// -----

// CHECK-LABEL: @paged
// CHECK: cf.assert {{.*}}dimension 0 of the lengths and dimension 0 of the table
// CHECK: cf.assert {{.*}}expected operands that give dimension 2 of the result, 192
// CHECK-NOT: cf.assert
func.func @paged(%p: tensor<64x16x8x128xbf16>, %t: tensor<?x?xi32>, %n: tensor<?xi32>) -> tensor<?x8x192x128xbf16> {
  %0 = smx.paged %p by(%t, %n : tensor<?x?xi32>, tensor<?xi32>) : tensor<64x16x8x128xbf16> -> tensor<?x8x192x128xbf16>
  return %0 : tensor<?x8x192x128xbf16>
}
