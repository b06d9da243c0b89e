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
// CHECK: smx.update #smx.softmax_parts<#smx.softmax<exp2, scale = 1.250000e-01, masked_row = zero>>
// CHECK-SAME: tensor<1x1x4xf32>, tensor<1x1x4xf32>, tensor<1x1x4x32xf32>
// CHECK: smx.finish #smx.softmax_parts<{{.*}}> "average"

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
