// All blocks share the tiles of the last wave; the block that begins a tile merges.
// RUN: softmax-opt %s --smx-to-gpu='alignment=16 chip=sm_90a' --split-input-file | FileCheck %s
// RUN: softmax-opt %s --smx-to-gpu='alignment=16 chip=sm_90a' --split-input-file --remarks-filter='smx-gpu-.*-last-wave' 2>&1 >/dev/null | grep -o 'Category.*' | FileCheck %s --check-prefix=REMARK
// Whoever merges by a launch finds no walk of theirs.
// REMARK-NOT: smx-gpu-split-last-wave
// REMARK: Category:smx-gpu-share-last-wave {{.*}}the last tiles of the walk are shared by all blocks", tiles=88
// REMARK-NOT: smx-gpu-split-last-wave
// REMARK: Category:smx-gpu-share-last-wave {{.*}}the last tiles of the walk are shared by all blocks", tiles=100
// REMARK-NOT: smx-gpu-split-last-wave
// REMARK: Category:smx-gpu-share-last-wave {{.*}}the last tiles of the walk are shared by all blocks", tiles=66
// REMARK-NOT: smx-gpu-split-last-wave

// Of 1408 tiles of 51 rounds 88 are shared: 57 places each, 3 of them before its first round and 3 behind its last one.
// CHECK-LABEL: smx_gpu.kernel @waves_kernel_clear(
// CHECK-SAME: %[[COUNTS:.+]]: memref<132xi32>)
// CHECK: smx_gpu.store %{{.+}}, %[[COUNTS]][%c0] valid(%c132)
// CHECK-LABEL: smx_gpu.kernel @waves_kernel(
// CHECK-SAME: memref<132x192xf32>, %{{[^ ]+}}: memref<132x192xf32>, %{{[^ ]+}}: memref<132x192x128xf32>, %{{[^ ]+}}: memref<132xi32>)
// CHECK: role @load
// The last block has the first piece.
// CHECK-DAG: %[[ME:.+]] = arith.subi %c131, %[[BLOCK:block_id_x]]
// CHECK-DAG: %[[TO:.+]] = arith.muli %[[ME]], %c5016
// CHECK-DAG: %[[PLACE:.+]] = arith.divui %[[TO]], %c132
// CHECK-DAG: %[[TILE:.+]] = arith.divui %[[PLACE]], %c57
// CHECK-DAG: %[[IN:.+]] = arith.remui %[[PLACE]], %c57
// CHECK-DAG: %[[INSIDE:.+]] = arith.maxsi %[[IN]], %c3
// CHECK-DAG: %[[ROUND:.+]] = arith.subi %[[INSIDE]], %c3
// CHECK-DAG: %[[IS:.+]] = arith.cmpi slt, %[[ROUND]], %c51
// CHECK-DAG: arith.select %[[IS]], %[[TILE]], %
// CHECK-DAG: arith.select %[[IS]], %[[ROUND]], %c0
// Ten whole tiles, and one or two parts.
// CHECK: %[[END:.+]] = arith.select %{{.+}}, %c1452, %c1584
// CHECK: scf.for %[[I:.+]] = %[[BLOCK]] to %[[END]] step %grid_dim_x
// CHECK-DAG: arith.cmpi slt, %[[I]], %c1452
// CHECK-DAG: %[[WHOLE:.+]] = arith.cmpi slt, %[[I]], %c1320
// CHECK-DAG: arith.select %[[WHOLE]], %[[I]], %
// CHECK-DAG: %[[FIRST:.+]] = arith.muli %{{.+}}, %c80
// CHECK-DAG: %[[LAST:.+]] = arith.muli %{{.+}}, %c80
// CHECK-DAG: %[[SECOND:.+]] = arith.addi %[[FIRST]], %c80
// CHECK-DAG: %[[BOUND:.+]] = arith.maxsi %[[LAST]], %[[SECOND]]
// CHECK: scf.for %{{.+}} = %[[FIRST]] to %[[BOUND]] step %c80
// CHECK: role @compute
// CHECK: scf.for
// There are rounds: no branch asks.
// CHECK: smx_gpu.get
// CHECK-NOT: scf.if
// CHECK: smx_gpu.mma_async
// CHECK: %[[BEGINS:.+]] = arith.cmpi eq, %{{.+}}, %c0
// CHECK-NEXT: scf.if %[[BEGINS]] {
// CHECK-NEXT: %[[ALL:.+]]:3 = scf.for %[[B:.+]] = %{{.+}} to %{{.+}} step %c1
// CHECK-NEXT: smx_gpu.await %[[COUNT:.+]][%[[B]]] reaches 12
// CHECK-NEXT: smx_gpu.load {{.+}} memref<132x192xf32>
// CHECK-NEXT: smx_gpu.load {{.+}} memref<132x192xf32>
// CHECK-NEXT: smx_gpu.load {{.+}} memref<132x192x128xf32>
// CHECK: arith.maxnumf
// CHECK-COUNT-2: math.exp2
// CHECK: scf.yield
// CHECK: arith.divf {{.+}}, %[[ALL]]#1
// CHECK: smx_gpu.tensor_store
// CHECK: } else {
// CHECK-NEXT: smx_gpu.store {{.+}} memref<132x192xf32>
// CHECK-NEXT: smx_gpu.store {{.+}} memref<132x192xf32>
// CHECK-NEXT: smx_gpu.store {{.+}} memref<132x192x128xf32>
// CHECK-NEXT: smx_gpu.announce %[[COUNT]][
// CHECK-NEXT: }
// CHECK: func.func @waves(
// CHECK-COUNT-4: memref.alloc
// CHECK: smx_gpu.launch @waves_kernel_clear grid(%c1, %c1, %c1)
// CHECK-NEXT: smx_gpu.launch @waves_kernel grid(%c132, %c1, %c1)
// CHECK-NOT: smx_gpu.launch
// CHECK-COUNT-4: memref.dealloc
!t = tensor<4x16x4096x128xbf16>
func.func @waves(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.088) : !t, !t, !t -> !t
  return %o : !t
}

// -----

// No keys are left over, and there is a second result.
// CHECK-LABEL: smx_gpu.kernel @long_rows_kernel(
// CHECK: role @compute
// CHECK: smx_gpu.await %{{.+}} reaches 8
// CHECK: math.log
// CHECK: smx_gpu.announce
!t = tensor<1x8x16384x256xf16>
func.func @long_rows(%q: !t, %k: !t, %v: !t) -> (!t, tensor<1x8x16384xf32>) {
  %o, %l = smx.attention %q, %k, %v scale(0.0625) : !t, !t, !t -> !t, tensor<1x8x16384xf32>
  return %o, %l : !t, tensor<1x8x16384xf32>
}

// -----

// Fewer tiles than blocks: none is whole.
// CHECK-LABEL: smx_gpu.kernel @few_kernel(
// CHECK: role @load
// CHECK: arith.select %{{.+}}, %c132, %c264
// CHECK: smx_gpu.launch @few_kernel grid(%c132, %c1, %c1)
!t = tensor<1x3x4096x128xbf16>
func.func @few(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.088) : !t, !t, !t -> !t
  return %o : !t
}
