// The first tiles of a row, from which a window sees fewer keys, are computed after all others, the longest first, by blocks forth and back.
// RUN: softmax-opt %s --smx-to-gpu='chip=sm_90a alignment=16' --split-input-file | FileCheck %s
// RUN: softmax-opt %s --smx-to-gpu='chip=sm_90a alignment=16' --split-input-file --remarks-filter=smx-gpu-kernels 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

// 16 rows of 128 tiles, of which the first 8 see 1 to 8 tiles of keys, the others 9: 15 waves of 132 blocks and 68 more tiles. Wave 15 goes back.
// REMARK: BlockSchedule {{.*}}short-last=true
// CHECK-LABEL: smx_gpu.kernel @window_kernel
// CHECK: %[[FROM_BACK:.+]] = arith.subi %c131, %[[BLOCK:.+]] :
// CHECK: %[[LATER:.+]] = arith.cmpi slt, %[[FROM_BACK]], %c68
// CHECK: %[[COUNT:.+]] = arith.select %[[LATER]], %c16, %c15
// CHECK: scf.for %[[WAVE:.+]] = %c0 to %[[COUNT]] step %c1
// CHECK: %[[FIRST:.+]] = arith.muli %[[WAVE]], %c132
// CHECK: %[[IN_WAVE:.+]] = arith.select %{{.+}}, %[[FROM_BACK]], %[[BLOCK]]
// CHECK: %[[TILE:.+]] = arith.addi %[[FIRST]], %[[IN_WAVE]]
// CHECK: %[[IS_ALIKE:.+]] = arith.cmpi slt, %[[TILE]], %c1920
// CHECK: %[[BEHIND:.+]] = arith.subi %[[TILE]], %c1920
// CHECK: %[[IN_ROW:.+]] = arith.remui %[[TILE]], %c120
// CHECK: %[[ALIKE:.+]] = arith.addi %[[IN_ROW]], %c8
// CHECK: %[[LENGTH:.+]] = arith.divui %[[BEHIND]], %c16
// CHECK: %[[SHORT:.+]] = arith.subi %c7, %[[LENGTH]]
// CHECK: arith.select %[[IS_ALIKE]], %[[ALIKE]], %[[SHORT]]
// CHECK: %[[ROW:.+]] = arith.divui %[[TILE]], %c120
// CHECK: %[[ROW_OF_SHORT:.+]] = arith.remui %[[BEHIND]], %c16
// CHECK: arith.select %[[IS_ALIKE]], %[[ROW]], %[[ROW_OF_SHORT]]
!t = tensor<1x16x16384x128xbf16>
func.func @window(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.band<top_left, left = 1023, right = 0>) : !t, !t, !t -> !t
  return %o : !t
}

// -----

// All tiles are alike.
// REMARK: BlockSchedule {{.*}}short-last=false
// CHECK-LABEL: smx_gpu.kernel @alike_kernel
// CHECK: scf.for %{{.+}} = %block_id_x to %{{.+}} step %grid_dim_x
!t = tensor<1x16x16384x128xbf16>
func.func @alike(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.125) : !t, !t, !t -> !t
  return %o : !t
}

// -----

// More than a half of the tiles are short: blocks draw (smx-gpu-draw-tiles).
// REMARK: BlockSchedule {{.*}}short-last=false
// CHECK-LABEL: smx_gpu.kernel @wide_kernel(
// CHECK: scf.while (%{{.+}} = %block_id_x)
!t = tensor<1x128x2048x128xbf16>
func.func @wide(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.band<top_left, left = 1151, right = 0>) : !t, !t, !t -> !t
  return %o : !t
}

// -----

// Tiles at both ends of a row are short: keys behind a query end, too.
// REMARK: BlockSchedule {{.*}}short-last=false
// CHECK-LABEL: smx_gpu.kernel @both_ends_kernel
// CHECK: scf.for %{{.+}} = %block_id_x to %{{.+}} step %grid_dim_x
!t = tensor<1x16x16384x128xbf16>
func.func @both_ends(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.band<top_left, left = 1023, right = 1023>) : !t, !t, !t -> !t
  return %o : !t
}

// -----

// 62 waves: what one tile is longer than another is little.
// REMARK: BlockSchedule {{.*}}short-last=false
// CHECK-LABEL: smx_gpu.kernel @many_waves_kernel
// CHECK: scf.for %{{.+}} = %block_id_x to %{{.+}} step %grid_dim_x
!t = tensor<4x16x16384x128xbf16>
func.func @many_waves(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.band<top_left, left = 1023, right = 0>) : !t, !t, !t -> !t
  return %o : !t
}

// -----

// How many there are is not known.
// REMARK: BlockSchedule {{.*}}short-last=false
// CHECK-LABEL: smx_gpu.kernel @open_kernel
// CHECK: scf.for %{{.+}} = %block_id_x to %{{.+}} step %grid_dim_x
!t = tensor<?x16x16384x128xbf16>
func.func @open(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.band<top_left, left = 1023, right = 0>) : !t, !t, !t -> !t
  return %o : !t
}
