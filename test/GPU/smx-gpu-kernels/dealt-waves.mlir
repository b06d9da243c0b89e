// The last tiles of a walk are dealt one by one, the longest first, forth and back over the blocks.
// RUN: softmax-opt %s --smx-to-gpu='chip=sm_90a alignment=16' --split-input-file | FileCheck %s
// RUN: softmax-opt %s --smx-to-gpu='chip=sm_90a alignment=16' --split-input-file --remarks-filter=smx-gpu-kernels 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

// Rows of 22 tiles, 43 tiles of keys: 1408 pairs are 10 waves of 132 and 88. 9 waves are pairs, and 220 pairs are 440 tiles, 3 waves and 44: of the
// fourth, which goes back, the last 44 blocks have one.
// REMARK: BlockSchedule {{.*}}dealt=true
// CHECK-LABEL: smx_gpu.kernel @causal_kernel
// CHECK: %[[FROM_BACK:.+]] = arith.subi %c131, %[[BLOCK:.+]] :
// CHECK: %[[LATER:.+]] = arith.cmpi slt, %[[FROM_BACK]], %c44
// CHECK: %[[COUNT:.+]] = arith.select %[[LATER]], %c22, %c21
// CHECK: scf.for %[[K:.+]] = %c0 to %[[COUNT]] step %c1
// Pairs, from the longest tile of a row of 11 on.
// CHECK: %[[IS_PAIR:.+]] = arith.cmpi slt, %[[K]], %c18
// CHECK: %[[PAIR:.+]] = arith.addi %{{.+}}, %[[BLOCK]]
// CHECK: %[[SHORT:.+]] = arith.remui %[[PAIR]], %c11
// CHECK: %[[LONG:.+]] = arith.subi %c21, %[[SHORT]]
// CHECK: %[[OF_PAIR:.+]] = arith.select %{{.+}}, %[[SHORT]], %[[LONG]]
// CHECK: %[[ROW:.+]] = arith.divui %[[PAIR]], %c11
// Tiles of the last 20 rows, one row after another, then the next shorter ones.
// CHECK: %[[PLACE:.+]] = arith.select %{{.+}}, %[[FROM_BACK]], %[[BLOCK]]
// CHECK: %[[U:.+]] = arith.addi %{{.+}}, %[[PLACE]]
// CHECK: %[[IS_LONG:.+]] = arith.cmpi slt, %[[U]], %c220
// CHECK: %[[BACK:.+]] = arith.subi %c439, %[[U]]
// CHECK: %[[NUMBER:.+]] = arith.select %[[IS_LONG]], %[[U]], %[[BACK]]
// CHECK: %[[I:.+]] = arith.divui %[[NUMBER]], %c20
// CHECK: %[[IN_TAIL:.+]] = arith.remui %[[NUMBER]], %c20
// CHECK: %[[TAIL_ROW:.+]] = arith.addi %[[IN_TAIL]], %c108
// CHECK: %[[FROM_END:.+]] = arith.subi %c21, %[[I]]
// CHECK: %[[ALONE:.+]] = arith.select %[[IS_LONG]], %[[FROM_END]], %[[I]]
// CHECK: arith.select %[[IS_PAIR]], %[[OF_PAIR]], %[[ALONE]]
// CHECK: arith.select %[[IS_PAIR]], %[[ROW]], %[[TAIL_ROW]]
!t = tensor<4x32x4096x64xbf16>
func.func @causal(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.band<top_left, right = 0>) : !t, !t, !t -> !t
  return %o : !t
}

// -----

// Of 32 tiles of keys pairs stay together.
// REMARK: BlockSchedule {{.*}}dealt=false
// CHECK-LABEL: smx_gpu.kernel @short_kernel
// CHECK: scf.for %{{.+}} = %block_id_x to %{{.+}} step %grid_dim_x
!t = tensor<2x32x4096x128xbf16>
func.func @short(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.band<top_left, right = 0>) : !t, !t, !t -> !t
  return %o : !t
}

// -----

// Rows of 21 tiles: the one in the middle is alone.
// REMARK: BlockSchedule {{.*}}dealt=false
// CHECK-LABEL: smx_gpu.kernel @odd_kernel
// CHECK: scf.for %{{.+}} = %block_id_x to %{{.+}} step %grid_dim_x
!t = tensor<4x32x4000x64xbf16>
func.func @odd(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.band<top_left, right = 0>) : !t, !t, !t -> !t
  return %o : !t
}

// -----

// 132 heads of 11 pairs: all waves are whole.
// REMARK: BlockSchedule {{.*}}dealt=false
// CHECK-LABEL: smx_gpu.kernel @whole_waves_kernel
// CHECK: scf.for %{{.+}} = %block_id_x to %{{.+}} step %grid_dim_x
!t = tensor<4x33x4096x64xbf16>
func.func @whole_waves(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.band<top_left, right = 0>) : !t, !t, !t -> !t
  return %o : !t
}

// -----

// How many there are is not known.
// REMARK: BlockSchedule {{.*}}dealt=false
// CHECK-LABEL: smx_gpu.kernel @open_kernel
// CHECK: scf.for %{{.+}} = %block_id_x to %{{.+}} step %grid_dim_x
!t = tensor<?x32x4096x64xbf16>
func.func @open(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.band<top_left, right = 0>) : !t, !t, !t -> !t
  return %o : !t
}
