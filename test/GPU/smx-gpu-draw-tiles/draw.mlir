// Blocks draw tiles of which data say how many rounds they take, or of which every so-manyth ones take longer than others.
// RUN: softmax-opt %s --smx-to-gpu='alignment=16 chip=sm_90a' --split-input-file | FileCheck %s --implicit-check-not=smx_gpu.draw
// RUN: softmax-opt %s --smx-to-gpu='alignment=16 chip=sm_90a' --split-input-file --remarks-filter=smx-gpu-draw-tiles 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK-COUNT-4: DrawnTiles{{.*}}blocks draw their tiles, which have different numbers of rounds
// REMARK-NOT: DrawnTiles

// Documents. The counter is 0 before each launch, by the first block of the one in front; numbers go on where those of the blocks end.
// CHECK-LABEL: smx_gpu.kernel @documents_kernel(
// CHECK-SAME: %[[CLEARED:[^:, ]+]]: memref<1xi32>)
// CHECK: %[[X:.+]] = gpu.block_id x
// CHECK-NEXT: %[[IS_FIRST:.+]] = arith.cmpi eq, %[[X]], %c0
// CHECK-NEXT: %[[ONE:.+]] = arith.select %[[IS_FIRST]], %c1, %c0
// CHECK-NEXT: smx_gpu.store %{{.+}}, %[[CLEARED]][%c0] valid(%[[ONE]]) dims [0]
// CHECK-LABEL: smx_gpu.kernel @documents_kernel_1(
// CHECK: %[[NUMBERS:.+]] = smx_gpu.make_channel : <1x1xi32, swizzle = 0, depth = 2>
// CHECK: role @load {{.*}}%[[COUNT:.+]] = %{{.+}} : memref<1xi32>, %[[PUT:.+]] = %[[NUMBERS]]
// CHECK: %[[BLOCK:.+]] = gpu.block_id x
// CHECK: %[[BLOCKS:.+]] = gpu.grid_dim x
// CHECK: scf.while (%[[T:.+]] = %[[BLOCK]]) : (index) -> index {
// CHECK-NEXT: %[[MORE:.+]] = arith.cmpi slt, %[[T]], %[[TILES:.+]] : index
// CHECK-NEXT: scf.condition(%[[MORE]]) %[[T]] : index
// CHECK: ^bb0(%[[TILE:.+]]: index):
// CHECK: arith.minsi %[[TILE]], %{{.+}}
// CHECK: smx_gpu.put
// CHECK: %[[DRAWN:.+]] = smx_gpu.draw %[[COUNT]][%c0] into %[[PUT]]
// CHECK-NEXT: %[[NEXT:.+]] = arith.addi %[[BLOCKS]], %[[DRAWN]]
// CHECK-NEXT: scf.yield %[[NEXT]]
// CHECK: role @compute {{.*}}%[[GOT:.+]] = %[[NUMBERS]]
// CHECK: scf.while (%{{.+}} = %{{.+}}, %{{.+}} = %c0_i32) : (index, i32) -> (index, i32) {
// CHECK: %[[AT:.+]] = smx_gpu.get %[[GOT]]
// CHECK-NEXT: %[[NUMBER:.+]] = smx_gpu.number_in %[[AT]]
// CHECK-NEXT: smx_gpu.release %[[GOT]]
// CHECK-NEXT: %[[THEN:.+]] = arith.addi %{{.+}}, %[[NUMBER]]
// CHECK-NEXT: scf.yield %[[THEN]], %{{.+}} : index, i32
// CHECK: func.func @documents(
// CHECK: %[[MEMORY:.+]] = memref.alloc() : memref<1xi32>
// CHECK: smx_gpu.launch @documents_kernel grid{{.*}}, %[[MEMORY]] :
// CHECK: smx_gpu.launch @documents_kernel_1 {{.*}}%[[MEMORY]]
!t = tensor<4x16x4096x128xbf16>
!i = tensor<4x4096xi32>
func.func @documents(%q: !t, %k: !t, %v: !t, %begin: !i, %end: !i) -> !t {
  %o = smx.attention %q, %k, %v scale(0.088) mask(#smx.all_of<[#smx.band<top_left, right = 0>, #smx.key_ranges]>)
      reads(%begin, %end : !i, !i) : !t, !t, !t -> !t
  return %o : !t
}

// -----

// Pairs of a long tile and a short one are drawn together. No launch is in front, and one is made that clears.
// CHECK-LABEL: smx_gpu.kernel @lengths_kernel_clear(%arg0: memref<1xi32>)
// CHECK-LABEL: smx_gpu.kernel @lengths_kernel(
// CHECK: scf.while
// CHECK: scf.for %{{.+}} = %c0 to %{{.+}} step %c1 {
// CHECK: smx_gpu.draw
!t = tensor<8x16x2048x128xbf16>
func.func @lengths(%q: !t, %k: !t, %v: !t, %n: tensor<8xi32>) -> !t {
  %o = smx.attention %q, %k, %v scale(0.088) mask(#smx.key_lengths<causal>) reads(%n : tensor<8xi32>) : !t, !t, !t -> !t
  return %o : !t
}

// -----

// Blocks of keys, of open lengths.
// CHECK-LABEL: smx_gpu.kernel @blocks_kernel_3(
// CHECK: smx_gpu.draw
!t = tensor<?x16x?x128xbf16>
!b = tensor<?x1x?x?xi8>
func.func @blocks(%q: !t, %k: !t, %v: !t, %blocks: !b) -> !t {
  %o = smx.attention %q, %k, %v scale(0.088) mask(#smx.blocks<rows = 128, keys = 128>) reads(%blocks : !b) : !t, !t, !t -> !t
  return %o : !t
}

// -----

// Tiles of a chunk have 1 to 8 rounds: 132 blocks apart, some have 1 and 5 of them in turn, and others 4 and 8.
// CHECK-LABEL: smx_gpu.kernel @chunks_kernel(
// CHECK: smx_gpu.draw
!t = tensor<4x16x4096x128xbf16>
func.func @chunks(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.088) mask(#smx.all_of<[#smx.band<top_left, right = 0>, #smx.chunks<top_left, size = 1024>]>)
      : !t, !t, !t -> !t
  return %o : !t
}

// -----

// Those of a window have as many, but for the first ones: nothing is drawn.
// CHECK-LABEL: smx_gpu.kernel @window_kernel(
!t = tensor<1x16x16384x128xbf16>
func.func @window(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.088) mask(#smx.band<top_left, left = 1024, right = 0>) : !t, !t, !t -> !t
  return %o : !t
}
