// Few rows and a long stream: blocks of threads have a part of the stream each, and others merge their states.
// RUN: softmax-opt %s --split-input-file --smx-online --smx-tile="blocks parts=0 slots=8" --canonicalize --cse | FileCheck %s
// RUN: softmax-opt %s --split-input-file --smx-online --smx-tile="blocks parts=1 slots=8" --canonicalize --cse | FileCheck %s --check-prefix=WHOLE
// RUN: softmax-opt %s --split-input-file --smx-online --smx-tile="blocks parts=0 slots=33" --canonicalize --cse | FileCheck %s --check-prefix=POWER

// Two heads for 8 blocks: four parts of 1024 / 4 keys. Of each head two blocks merge 32 columns.
// CHECK-LABEL: @two_heads
// CHECK-DAG: %[[C256:.+]] = arith.constant 256 : index
// CHECK-DAG: %[[C1024:.+]] = arith.constant 1024 : index
// CHECK: scf.forall (%[[H:.+]], %{{.+}}, %[[P:.+]]) in (2, 1, 4) shared_outs(%[[M:.+]] = %{{.+}}, %[[L:.+]] = %{{.+}}, %[[ACC:.+]] = %{{.+}}) -> (tensor<2x1x4xf32>, tensor<2x1x4xf32>, tensor<2x1x4x64xf32>)
// CHECK: %[[BEGIN:.+]] = arith.muli %[[P]], %[[C256]]
// CHECK: %[[NEXT:.+]] = arith.addi %[[BEGIN]], %[[C256]]
// CHECK: %[[END:.+]] = arith.minsi %[[NEXT]], %[[C1024]]
// CHECK: scf.for %{{.+}} = %[[BEGIN]] to %[[END]] step
// CHECK: smx.update #smx.softmax<
// CHECK: tensor.parallel_insert_slice %{{.+}} into %[[M]][%[[H]], 0, %[[P]]] [1, 1, 1]
// CHECK: tensor.parallel_insert_slice %{{.+}} into %[[L]][%[[H]], 0, %[[P]]] [1, 1, 1]
// CHECK: tensor.parallel_insert_slice %{{.+}} into %[[ACC]][%[[H]], 0, %[[P]], 0] [1, 1, 1, 64]
// CHECK: scf.forall (%[[MH:.+]], %[[COLUMN:.+]], %{{.+}}) = (0, 0, 0) to (2, 64, 1) step (1, 32, 1)
// CHECK: tensor.extract_slice %{{.+}}[%[[MH]], 0, 0, %[[COLUMN]]] [1, 1, 4, 32]
// CHECK: smx.update #smx.parts<#smx.softmax<exp2, scale = 1.250000e-01, masked_row = zero>>
// CHECK-SAME: tensor<1x1x4xf32>, tensor<1x1x4xf32>, tensor<1x1x4x32xf32>
// CHECK: smx.finish #smx.parts<{{.*}}> "average"

// WHOLE-LABEL: @two_heads
// WHOLE: scf.forall (
// WHOLE-NOT: scf.forall (
// WHOLE-LABEL: @enough_heads
func.func @two_heads(%q: tensor<2x1x64xbf16>, %k: tensor<2x1024x64xbf16>, %v: tensor<2x1024x64xbf16>) -> tensor<2x1x64xbf16> {
  %o = smx.attention %q, %k, %v scale(0.125) : tensor<2x1x64xbf16>, tensor<2x1024x64xbf16>, tensor<2x1024x64xbf16> -> tensor<2x1x64xbf16>
  return %o : tensor<2x1x64xbf16>
}

// -----

// As many heads as blocks.
// CHECK-LABEL: @enough_heads
// CHECK-COUNT-1: scf.forall (
// CHECK-NOT: scf.forall (
func.func @enough_heads(%q: tensor<8x1x64xbf16>, %k: tensor<8x1024x64xbf16>, %v: tensor<8x1024x64xbf16>) -> tensor<8x1x64xbf16> {
  %o = smx.attention %q, %k, %v scale(0.125) : tensor<8x1x64xbf16>, tensor<8x1024x64xbf16>, tensor<8x1024x64xbf16> -> tensor<8x1x64xbf16>
  return %o : tensor<8x1x64xbf16>
}

// -----

// Four tiles are worth no merge.
// CHECK-LABEL: @short
// CHECK-COUNT-1: scf.forall (
// CHECK-NOT: scf.forall (
func.func @short(%q: tensor<1x1x64xbf16>, %k: tensor<1x256x64xbf16>, %v: tensor<1x256x64xbf16>) -> tensor<1x1x64xbf16> {
  %o = smx.attention %q, %k, %v scale(0.125) : tensor<1x1x64xbf16>, tensor<1x256x64xbf16>, tensor<1x256x64xbf16> -> tensor<1x1x64xbf16>
  return %o : tensor<1x1x64xbf16>
}

// -----

// Open extents: counts are computed. Both quantities come from one merged state.
// CHECK-LABEL: @open
// CHECK: arith.divsi %{{.+}}, %{{.+}} : index
// CHECK: %[[EXTENT:.+]] = arith.muli
// CHECK: %[[PARTS:.+]] = arith.ceildivsi %{{.+}}, %[[EXTENT]]
// CHECK: %[[SOME:.+]] = arith.maxsi %[[PARTS]], %c1
// CHECK: scf.forall (%{{.+}}, %{{.+}}, %[[P:.+]]) in (%{{.+}}, 1, %[[SOME]])
// CHECK: arith.muli %[[P]], %[[EXTENT]]
// CHECK-COUNT-2: scf.for %
// CHECK: scf.forall.in_parallel
// CHECK: scf.forall
// CHECK: smx.finish {{.*}} "average"
// CHECK: smx.finish {{.*}} "logsumexp"
// CHECK-NOT: scf.forall (
func.func @open(%q: tensor<?x1x64xbf16>, %k: tensor<?x?x64xbf16>, %v: tensor<?x?x64xbf16>) -> (tensor<?x1x64xbf16>, tensor<?x1xf32>) {
  %o, %l = smx.attention %q, %k, %v scale(0.125) : tensor<?x1x64xbf16>, tensor<?x?x64xbf16>, tensor<?x?x64xbf16> -> tensor<?x1x64xbf16>, tensor<?x1xf32>
  return %o, %l : tensor<?x1x64xbf16>, tensor<?x1xf32>
}

// -----

// What a mask lets be seen is cut by the part.
// CHECK-LABEL: @causal
// CHECK: scf.forall (%{{.+}}, %{{.+}}, %[[P:.+]]) = (0, 0, 0) to (1, 4, 4) step (1, 4, 1)
// CHECK: %[[BEGIN:.+]] = arith.muli %[[P]], %c256
// CHECK: %[[END:.+]] = arith.minsi
// CHECK: %[[FROM:.+]] = arith.maxsi %[[BEGIN]], %{{.+}}
// CHECK: arith.minsi %[[END]], %{{.+}}
// CHECK: scf.for %{{.+}} = %[[FROM]] to
// CHECK: smx.update {{.*}} masked
func.func @causal(%q: tensor<1x4x64xbf16>, %k: tensor<1x1024x64xbf16>, %v: tensor<1x1024x64xbf16>) -> tensor<1x4x64xbf16> {
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.band<bottom_right, left = 700, right = 0>)
      : tensor<1x4x64xbf16>, tensor<1x1024x64xbf16>, tensor<1x1024x64xbf16> -> tensor<1x4x64xbf16>
  return %o : tensor<1x4x64xbf16>
}

// -----

// Keys and values of 8 bits are widened by the warps that read them, and there are twice as many: eight parts of 2048 / 8 keys,
// where those of 16 bits have four.
// CHECK-LABEL: @widened
// CHECK: scf.forall (%{{.+}}, %{{.+}}, %{{.+}}) in (2, 1, 8)
// CHECK-LABEL: @as_they_are
// CHECK: scf.forall (%{{.+}}, %{{.+}}, %{{.+}}) in (2, 1, 4)
!c = tensor<2x2048x64xf8E4M3FN>
!w = tensor<2x2048x64xbf16>
#all = affine_map<(b, j, d) -> (b, j, d)>
func.func @widened(%q: tensor<2x1x64xbf16>, %k: !c, %v: !c) -> tensor<2x1x64xbf16> {
  %empty = tensor.empty() : !w
  %wk = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%k : !c) outs(%empty : !w) {
  ^bb0(%code: f8E4M3FN, %unused: bf16):
    %x = arith.extf %code : f8E4M3FN to bf16
    linalg.yield %x : bf16
  } -> !w
  %wv = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v : !c) outs(%empty : !w) {
  ^bb0(%code: f8E4M3FN, %unused: bf16):
    %x = arith.extf %code : f8E4M3FN to bf16
    linalg.yield %x : bf16
  } -> !w
  %o = smx.attention %q, %wk, %wv scale(0.125) : tensor<2x1x64xbf16>, !w, !w -> tensor<2x1x64xbf16>
  return %o : tensor<2x1x64xbf16>
}
func.func @as_they_are(%q: tensor<2x1x64xbf16>, %k: !w, %v: !w) -> tensor<2x1x64xbf16> {
  %o = smx.attention %q, %k, %v scale(0.125) : tensor<2x1x64xbf16>, !w, !w -> tensor<2x1x64xbf16>
  return %o : tensor<2x1x64xbf16>
}

// -----

// 33 parts would be hardly shorter than 32, which fill the tile that merges them.
// POWER-LABEL: @power_of_two
// POWER: scf.forall (%{{.+}}, %{{.+}}, %{{.+}}) in (1, 1, 32)
func.func @power_of_two(%q: tensor<1x1x512xf32>, %k: tensor<1x16896x512xf32>, %v: tensor<1x16896x64xf32>) -> tensor<1x1x64xf32> {
  %o = smx.attention %q, %k, %v scale(0.125) : tensor<1x1x512xf32>, tensor<1x16896x512xf32>, tensor<1x16896x64xf32> -> tensor<1x1x64xf32>
  return %o : tensor<1x1x64xf32>
}

// -----

// Two rows for 8 blocks, whose results are as long as they are: every block that has a part of a result merges all states of its row. It begins
// with the last tiles of its part, which the cache may still have.
// CHECK-LABEL: @streamed
// CHECK-DAG: %[[EACH:.+]] = arith.constant 28672 : index
// CHECK: %[[STATES:.+]]:2 = scf.forall (%{{.+}}, %{{.+}}) in (2, 4)
// CHECK: smx.update #smx.softmax<exp>
// CHECK: scf.forall (%[[ROW:.+]], %[[PART:.+]]) in (2, 4) shared_outs(%[[OUT:.+]] = %{{.+}}) -> (tensor<2x100000xf32>)
// CHECK: %[[BEGIN:.+]] = arith.muli %[[PART]], %[[EACH]]
// CHECK: %[[SIZE:.+]] = affine.min #{{.+}}(%[[BEGIN]])
// CHECK: tensor.extract_slice %[[STATES]]#0[%[[ROW]], 0] [1, 4]
// CHECK: tensor.extract_slice %[[STATES]]#1[%[[ROW]], 0] [1, 4]
// CHECK: %[[STATE:.+]]:2 = smx.update #smx.parts<#smx.softmax<exp>>
// CHECK: tensor.extract_slice %[[OUT]][%[[ROW]], %[[BEGIN]]] [1, %[[SIZE]]]
// CHECK: %[[TAIL:.+]] = scf.for
// CHECK: smx.finish #smx.parts<#smx.softmax<exp>> "softmax"(%[[STATE]]#0, %[[STATE]]#1
// CHECK: scf.for %[[I:.+]] = %c0 to %{{.+}} step %{{.+}} iter_args(%{{.+}} = %[[TAIL]])
// CHECK: %[[INPART:.+]] = affine.apply #{{.+}}(%[[I]], %[[SIZE]])
// CHECK: %[[INROW:.+]] = affine.apply #{{.+}}(%[[BEGIN]], %[[I]], %[[SIZE]])
// CHECK: tensor.extract_slice %{{.+}}[%[[ROW]], %[[INROW]]] [1, 4096]
// CHECK: tensor.insert_slice %{{.+}} into %{{.+}}[0, %[[INPART]]] [1, 4096]
// CHECK: tensor.parallel_insert_slice %{{.+}} into %[[OUT]][%[[ROW]], %[[BEGIN]]] [1, %[[SIZE]]]

// WHOLE-LABEL: @streamed
// WHOLE: scf.forall (
// WHOLE-NOT: scf.forall (
// WHOLE-LABEL: @streamed_whole_parts
func.func @streamed(%x: tensor<2x100000xf32>) -> tensor<2x100000xf32> {
  %y = smx.softmax %x axis(1) : tensor<2x100000xf32> -> tensor<2x100000xf32>
  return %y : tensor<2x100000xf32>
}

// Parts of whole tiles, and of bf16 twice as many elements in a tile.
// CHECK-LABEL: @streamed_whole_parts
// CHECK: scf.forall
// CHECK: scf.forall (%[[ROW:.+]], %[[PART:.+]]) in (2, 4) shared_outs(%[[OUT:.+]] = %{{.+}})
// CHECK: %[[BEGIN:.+]] = arith.muli %[[PART]], %c131072
// CHECK: tensor.extract_slice %[[OUT]][%[[ROW]], %[[BEGIN]]] [1, 131072]
// CHECK-COUNT-1: smx.finish #smx.parts<#smx.softmax<exp>> "log_softmax"
// CHECK-SAME: tensor<1x16384xbf16>
// CHECK-NOT: smx.finish
// CHECK: return
func.func @streamed_whole_parts(%x: tensor<2x524288xbf16>) -> tensor<2x524288xbf16> {
  %y = smx.log_softmax %x axis(1) : tensor<2x524288xbf16> -> tensor<2x524288xbf16>
  return %y : tensor<2x524288xbf16>
}

// A sum of f32 adds up a MiB at most: more parts than blocks that run at once.
// CHECK-LABEL: @longest
// CHECK: scf.forall (%{{.+}}, %{{.+}}) in (1, 64)
// CHECK: scf.forall (%{{.+}}, %{{.+}}) in (1, 64)
func.func @longest(%x: tensor<1x16777216xf32>) -> tensor<1x16777216xf32> {
  %y = smx.softmax %x axis(1) : tensor<1x16777216xf32> -> tensor<1x16777216xf32>
  return %y : tensor<1x16777216xf32>
}

// CHECK-LABEL: @norm
// CHECK: smx.update #smx.mean_square<
// CHECK: scf.forall (%{{.+}}, %{{.+}}) in (2, 4)
// CHECK: smx.update #smx.parts<#smx.mean_square<
// CHECK: smx.finish #smx.parts<#smx.mean_square<{{.+}}>> "normalized"
func.func @norm(%x: tensor<2x100000xf32>) -> tensor<2x100000xf32> {
  %y = smx.rms_norm %x axis(1) epsilon(1.0e-05) : tensor<2x100000xf32> -> tensor<2x100000xf32>
  return %y : tensor<2x100000xf32>
}

// What the loss takes of the row itself, the target's logit, is read where states are merged.
// CHECK-LABEL: @loss
// CHECK: scf.forall (%{{.+}}, %{{.+}}) in (2, 4)
// CHECK: smx.update #smx.cross_entropy<
// CHECK: scf.forall (
// CHECK: smx.update #smx.parts<#smx.cross_entropy<
// CHECK: smx.finish #smx.parts<#smx.cross_entropy<{{.+}}>> "loss"
func.func @loss(%x: tensor<2x100000xf32>, %t: tensor<2xi64>) -> tensor<2xf32> {
  %y = smx.cross_entropy %x, %t axis(1) : tensor<2x100000xf32>, tensor<2xi64> -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// Of each part the largest, and their places in the whole row.
// CHECK-LABEL: @largest
// CHECK: %[[STATES:.+]]:5 = scf.forall (%[[ROW:.+]], %[[PART:.+]]) in (2, 4)
// CHECK-SAME: -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf64>, tensor<2x4xf64>, tensor<2x4xf64>)
// CHECK: %[[BEGIN:.+]] = arith.muli %[[PART]]
// CHECK: scf.for %[[I:.+]] = %[[BEGIN]] to
// CHECK: %[[J:.+]] = linalg.index 1
// CHECK: affine.apply #{{.+}}(%[[I]])[%[[J]]]
// CHECK: smx.update #smx.topk<#smx.softmax<exp>, k = 3>
// CHECK: scf.forall (
// CHECK: smx.update #smx.parts<#smx.topk<#smx.softmax<exp>, k = 3>>
// CHECK: smx.finish #smx.parts<#smx.topk<#smx.softmax<exp>, k = 3>> "probability_0"
// CHECK: smx.finish #smx.parts<#smx.topk<#smx.softmax<exp>, k = 3>> "place_2"
func.func @largest(%x: tensor<2x100000xf32>) -> (tensor<2x3xf32>, tensor<2x3xi64>) {
  %p, %i = smx.topk_softmax %x axis(1) k(3) : tensor<2x100000xf32> -> tensor<2x3xf32>, tensor<2x3xi64>
  return %p, %i : tensor<2x3xf32>, tensor<2x3xi64>
}

// More keys than one block merges of many lists.
// CHECK-LABEL: @no_parts
// CHECK-COUNT-1: scf.forall (
// CHECK-NOT: scf.forall (
func.func @no_parts(%x: tensor<2x100000xf32>) -> (tensor<2x9xf32>, tensor<2x9xi64>) {
  %p, %i = smx.topk_softmax %x axis(1) k(9) : tensor<2x100000xf32> -> tensor<2x9xf32>, tensor<2x9xi64>
  return %p, %i : tensor<2x9xf32>, tensor<2x9xi64>
}

// -----

// What a row is computed from is computed again for the results, and not kept in memory.
// CHECK-LABEL: @widened
// CHECK-NOT: linalg.generic
// CHECK: scf.forall
// CHECK: linalg.generic
// CHECK: scf.forall
// CHECK: scf.for
// CHECK: tensor.extract_slice %arg0
// CHECK: %[[T:.+]] = linalg.generic
// CHECK: smx.finish #smx.parts<{{.*}}> "log_softmax"{{.*}} with(%[[T]] :
func.func @widened(%x: tensor<2x262144xbf16>) -> tensor<2x262144xf32> {
  %y = smx.log_softmax %x axis(1) : tensor<2x262144xbf16> -> tensor<2x262144xf32>
  return %y : tensor<2x262144xf32>
}
