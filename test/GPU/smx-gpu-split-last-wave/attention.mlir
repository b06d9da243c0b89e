// The tiles of the last wave are cut along the keys.
// RUN: softmax-opt %s --smx-to-gpu='alignment=16 chip=sm_90a' --split-input-file | FileCheck %s
// RUN: softmax-opt %s --smx-to-gpu='alignment=16 chip=sm_90a' --split-input-file --remarks-filter='smx-gpu-split-last-wave|smx-gpu-next-tile' 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK: LastWave{{.*}}cut along the keys, and merged", parts=3, rounds=14, tiles=44
// REMARK-NOT: NextTile
// REMARK: LastWave{{.*}}cut along the keys, and merged", parts=10, rounds=4, tiles=12
// REMARK-NOT: NextTile
// REMARK: LastWave{{.*}}cut along the keys, and merged", parts=11, rounds=3, tiles=8
// REMARK: LastWave{{.*}}cut along the keys, and merged", parts=7, rounds=5, tiles=14
// REMARK: LastWave{{.*}}cut along the keys, and merged", parts=12, rounds=2, tiles=4
// REMARK: NextTile{{.*}}the first product of a tile of rows runs under the last one

// Of 2816 tiles 44 have three parts.
// CHECK-LABEL: smx_gpu.kernel @waves_kernel(
// CHECK-SAME: memref<44x3x192xf32>, %{{[^ ]+}}: memref<44x3x192xf32>, %{{[^ ]+}}: memref<44x3x192x80xf32>)
// CHECK: role @load
// CHECK: scf.for %[[I:.+]] = %block_id_x to
// CHECK-DAG: %[[CUT:.+]] = arith.subi %[[I]], %[[WHOLE:c2772]]
// CHECK-DAG: %[[TILE:.+]] = arith.divui %[[CUT]], %c3
// CHECK-DAG: %[[PART:.+]] = arith.remui %[[CUT]], %c3
// CHECK-DAG: %[[FROM:.+]] = arith.muli %[[PART]], %c1344
// CHECK-DAG: %[[NEXT:.+]] = arith.addi %[[FROM]], %c1344
// CHECK-DAG: %[[TO:.+]] = arith.minui %[[NEXT]], %[[END:c4032]]
// CHECK-DAG: %[[IS:.+]] = arith.cmpi ult, %[[I]], %[[WHOLE]]
// CHECK-DAG: %[[LATER:.+]] = arith.addi %[[TILE]], %[[WHOLE]]
// CHECK-DAG: arith.select %[[IS]], %[[I]], %[[LATER]]
// CHECK-DAG: %[[FIRST:.+]] = arith.select %[[IS]], %c0, %[[FROM]]
// CHECK-DAG: %[[LAST:.+]] = arith.select %[[IS]], %[[END]], %[[TO]]
// A part has a round.
// CHECK-DAG: %[[SECOND:.+]] = arith.addi %[[FIRST]], %c96
// CHECK-DAG: %[[BOUND:.+]] = arith.maxsi %[[LAST]], %[[SECOND]]
// CHECK: scf.for %{{.+}} = %[[FIRST]] to %[[BOUND]] step %c96
// The keys that are left over belong to the last part.
// CHECK: %[[RESTS:.+]] = arith.cmpi eq, %[[BOUND]], %[[END]]
// CHECK-NEXT: scf.if %[[RESTS]] {
// CHECK-NEXT: smx_gpu.put {{.+}}{{$}}
// CHECK-NEXT: smx_gpu.put {{.+}}{{$}}
// CHECK-NEXT: }
// CHECK: role @compute
// CHECK: %[[IS:.+]] = arith.cmpi ult, %{{.+}}, %c2772
// CHECK: scf.for
// CHECK: %[[RESTS:.+]] = arith.cmpi eq, %{{.+}}, %c4032
// CHECK-NEXT: %[[S:.+]]:3 = scf.if %[[RESTS]] -> (
// CHECK: smx_gpu.mma
// CHECK: } else {
// CHECK: scf.yield {{.+}}{{$}}
// CHECK-NEXT: }
// CHECK-NEXT: scf.if %[[IS]] {
// CHECK: arith.divf
// CHECK: smx_gpu.tensor_store
// CHECK: } else {
// CHECK-NEXT: smx_gpu.store %[[S]]#0, {{.+}} dims [2] : {{.+}}, memref<44x3x192xf32>
// CHECK-NEXT: smx_gpu.store %[[S]]#1, {{.+}} dims [2] : {{.+}}, memref<44x3x192xf32>
// CHECK-NEXT: smx_gpu.store %[[S]]#2, {{.+}} dims [2, 3] {aligned = 16 : i64} : {{.+}}, memref<44x3x192x80xf32>{{$}}
// CHECK-NEXT: }

// CHECK-LABEL: smx_gpu.kernel @waves_kernel_merge(
// CHECK-SAME: %{{.+}}: memref<44x3x192xf32>, %{{.+}}: memref<44x3x192xf32>, %{{.+}}: memref<44x3x192x80xf32>, %[[OUT:[^ ]+]]: memref<4x32x4096x80xbf16
// CHECK-SAME: warps(4)
// CHECK: scf.if
// CHECK-COUNT-9: smx_gpu.load
// CHECK: arith.divf
// Rows of a block are all there.
// CHECK: smx_gpu.store %{{[^,]+}}, %[[OUT]][{{.+}}] dims [2, 3] {aligned = 16 : i64}
// CHECK: func.func @waves(
// CHECK-COUNT-3: memref.alloc
// CHECK: smx_gpu.launch @waves_kernel grid(%c132, %c1, %c1) (%c2904,
// CHECK: smx_gpu.launch @waves_kernel_merge grid(%c264, %c1, %c1)
// CHECK-COUNT-3: memref.dealloc
!t = tensor<4x32x4096x80xbf16>
func.func @waves(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.112) : !t, !t, !t -> !t
  return %o : !t
}

// -----

// No keys are left over. Tiles of 40 rounds do not begin under others, though parts have 4.
// CHECK-LABEL: smx_gpu.kernel @long_rounds_kernel(
// CHECK: role @compute
// CHECK: smx_gpu.reduce <add>
// CHECK-NEXT: scf.if
// CHECK-NEXT: arith.divf
!t = tensor<1x24x3200x128xbf16>
func.func @long_rounds(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.125) : !t, !t, !t -> !t
  return %o : !t
}

// -----

// 140 tiles, of which 132 are whole; heads share keys, and there is a second result.
// CHECK-LABEL: smx_gpu.kernel @shared_kernel(
// CHECK: role @compute
// CHECK: scf.if
// CHECK: smx_gpu.tensor_store
// CHECK: smx_gpu.store {{.+}} memref<1x10x2688xf32
// CHECK: } else {
// CHECK-NEXT: smx_gpu.store {{.+}} memref<8x11x192xf32>
// CHECK-LABEL: smx_gpu.kernel @shared_kernel_merge(
// CHECK: math.log
// CHECK: smx_gpu.store {{.+}} memref<1x10x2688x128xbf16
// CHECK: smx_gpu.store {{.+}} memref<1x10x2688xf32
// CHECK: smx_gpu.launch @shared_kernel grid(%c132, %c1, %c1) (%c220,
!q = tensor<1x10x2688x128xbf16>
!kv = tensor<1x2x2688x128xbf16>
func.func @shared(%q: !q, %k: !kv, %v: !kv) -> (!q, tensor<1x10x2688xf32>) {
  %o, %l = smx.attention %q, %k, %v scale(0.088) : !q, !kv, !kv -> !q, tensor<1x10x2688xf32>
  return %o, %l : !q, tensor<1x10x2688xf32>
}

// -----

// Fewer tiles than blocks: none is whole.
// CHECK-LABEL: smx_gpu.kernel @few_kernel(
// CHECK: role @compute
// CHECK-NOT: arith.divf
// CHECK-NOT: tensor_store
// CHECK: smx_gpu.store {{.+}} memref<14x7x192xf32>
// CHECK-LABEL: smx_gpu.kernel @few_kernel_merge(
// CHECK: arith.divf
// CHECK: smx_gpu.launch @few_kernel grid(%c98, %c1, %c1) (%c98,
!t = tensor<1x1x2688x128xf16>
func.func @few(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.088) : !t, !t, !t -> !t
  return %o : !t
}

// -----

// The first product of an item runs under the last one of the item before, whichever they are.
// CHECK-LABEL: smx_gpu.kernel @chained_kernel(
// CHECK: role @compute
// CHECK: smx_gpu.mma_async
// CHECK: scf.for {{.+}} iter_args(
// CHECK: scf.for
// CHECK: smx_gpu.mma_async
// CHECK: scf.if
// CHECK: smx_gpu.tensor_store
// CHECK: } else {
// CHECK-NEXT: smx_gpu.store {{.+}} memref<4x12x192xf32>
!q = tensor<1x19x5376x64xbf16>
!kv = tensor<1x19x3072x64xbf16>
func.func @chained(%q: !q, %k: !kv, %v: !kv) -> !q {
  %o = smx.attention %q, %k, %v scale(0.125) : !q, !kv, !kv -> !q
  return %o : !q
}
