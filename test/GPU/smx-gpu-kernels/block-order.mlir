// Which tile of rows a block gets: the longest ones first.
// RUN: softmax-opt %s --smx-to-gpu=chip=sm_80 | FileCheck %s
// RUN: softmax-opt %s --smx-to-gpu='chip=sm_90a alignment=16' | FileCheck %s --check-prefix=WALK
// RUN: softmax-opt %s --smx-to-gpu='chip=sm_90a alignment=16' --remarks-filter=smx-gpu-kernels 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK: BlockSchedule {{.*}}longest-first=true, most-blocks=132
!t = tensor<2x1024x64xbf16>

// A causal row sees more keys the further down it is.
// CHECK-LABEL: smx_gpu.kernel @causal_kernel
// CHECK-DAG: %[[C7:.+]] = arith.constant 7 : index
// CHECK-DAG: %[[C128:.+]] = arith.constant 128 : index
// CHECK: %[[TILE:.+]] = arith.remui %block_id_x
// CHECK: %[[LAST_FIRST:.+]] = arith.subi %[[C7]], %[[TILE]]
// CHECK: arith.muli %[[LAST_FIRST]], %[[C128]]
// Blocks of several warpgroups walk: over pairs of a long tile and a short one, of which the one in the middle is none.
// WALK-LABEL: smx_gpu.kernel @causal_kernel
// WALK: scf.for %[[PAIR:.+]] = %block_id_x to %{{.+}} step %grid_dim_x
// WALK: %[[SHORT:.+]] = arith.remui %[[PAIR]], %c4
// WALK: %[[LONG:.+]] = arith.subi %c7, %[[SHORT]]
// WALK: %[[ALONE:.+]] = arith.cmpi eq, %[[SHORT]], %[[LONG]]
// WALK: %[[MEMBERS:.+]] = arith.select %[[ALONE]], %c1, %c2
// WALK: scf.for %[[MEMBER:.+]] = %c0 to %[[MEMBERS]] step %c1
// WALK: %[[FIRST:.+]] = arith.cmpi eq, %[[MEMBER]], %c0
// WALK: %[[TILE:.+]] = arith.select %[[FIRST]], %[[LONG]], %[[SHORT]]
// WALK: arith.muli %[[TILE]], %c128
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
// WALK-LABEL: smx_gpu.kernel @full_kernel
// WALK: scf.for %[[TILE:.+]] = %block_id_x to %{{.+}} step %grid_dim_x
// WALK-NOT: arith.select
// WALK: scf.for
func.func @full(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.125) : !t, !t, !t -> !t
  return %o : !t
}
