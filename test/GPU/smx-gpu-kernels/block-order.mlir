// Which tile of rows a block gets: the longest ones first.
// RUN: softmax-opt %s --smx-to-gpu=chip=sm_80 | FileCheck %s
!t = tensor<2x1024x64xbf16>

// A causal row sees more keys the further down it is.
// CHECK-LABEL: smx_gpu.kernel @causal_kernel
// CHECK-DAG: %[[C7:.+]] = arith.constant 7 : index
// CHECK-DAG: %[[C128:.+]] = arith.constant 128 : index
// CHECK: %[[TILE:.+]] = arith.remui %block_id_x
// CHECK: %[[LAST_FIRST:.+]] = arith.subi %[[C7]], %[[TILE]]
// CHECK: arith.muli %[[LAST_FIRST]], %[[C128]]
func.func @causal(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.band<top_left, right = 0>) : !t, !t, !t -> !t
  return %o : !t
}

// The first rows see what the last ones do not.
// CHECK-LABEL: smx_gpu.kernel @anti_causal_kernel
// CHECK: %[[TILE:.+]] = arith.remui %block_id_x
// CHECK: arith.muli %[[TILE]]
func.func @anti_causal(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.band<top_left, left = 0>) : !t, !t, !t -> !t
  return %o : !t
}

// All rows see as many keys.
// CHECK-LABEL: smx_gpu.kernel @full_kernel
// CHECK: %[[TILE:.+]] = arith.remui %block_id_x
// CHECK: arith.muli %[[TILE]]
func.func @full(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.125) : !t, !t, !t -> !t
  return %o : !t
}
