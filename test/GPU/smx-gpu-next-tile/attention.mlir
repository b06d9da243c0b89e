// The next tile of queries begins under the last product of this one.
// RUN: softmax-opt %s --smx-to-gpu='alignment=16 chip=sm_90a' --split-input-file | FileCheck %s
// RUN: softmax-opt %s --smx-to-gpu='alignment=16 chip=sm_90a' --split-input-file --remarks-filter=smx-gpu-next-tile 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK: the first product of a tile of rows runs under the last one of the tile before
// REMARK-NOT: the first product
// REMARK: shared memory does not hold the rows of two tiles
// REMARK: the first product of a tile of rows runs under the last one of the tile before
// REMARK: the first product of a tile of rows runs under the last one of the tile before
// REMARK: the rows of the next tile are fetched beside those of this one
// REMARK-NOT: the {{first|rows}}

// Queries have room for the tiles of two times both groups.
// CHECK-LABEL: smx_gpu.kernel @begins_under_kernel
// CHECK: smx_gpu.make_channel : <64x128xbf16, swizzle = 128, depth = 4, dealt>
// CHECK: role @load
// CHECK: smx_gpu.put {{.+}} into %[[Q:[^ ]+]] dims
// CHECK: smx_gpu.put {{.+}} into %[[Q]] dims
// CHECK: smx_gpu.put {{.+}} into %[[K:[^ ]+]] dims
// CHECK: scf.for
// CHECK-NOT: smx_gpu.put
// CHECK: smx_gpu.put %{{.+}}[{{.+}}, %c0, %c0] into %[[V:[^ ]+]] dims
// CHECK: scf.for
// CHECK-NEXT: smx_gpu.put {{.+}} into %[[K]] dims
// CHECK-NEXT: smx_gpu.put {{.+}} into %[[V]] dims {{.+}}
// CHECK-NEXT: }
// After the last tile that one again.
// CHECK: %[[NEXT:.+]] = arith.addi
// CHECK-NEXT: %[[IS:.+]] = arith.cmpi slt, %[[NEXT]], %[[N:.+]] :
// CHECK-NEXT: arith.select %[[IS]], %[[NEXT]],
// CHECK: smx_gpu.put {{.+}} into %[[Q]] dims
// CHECK: smx_gpu.put {{.+}} into %[[Q]] dims
// CHECK-NEXT: smx_gpu.put {{.+}} into %[[K]] dims {{.+}}
// CHECK-NEXT: }

// CHECK: role @compute
// CHECK: smx_gpu.get
// CHECK: smx_gpu.mma_async
// CHECK: scf.for {{.+}} iter_args(%[[ROWS:.+]] = %{{.+}}, %{{.+}} = %{{.+}}, %{{.+}} = %{{.+}}, %{{.+}} = %{{.+}}, %{{.+}} = %{{.+}})
// CHECK: %[[ROUNDS:.+]]:4 = scf.if
// CHECK: scf.for
// CHECK: smx_gpu.mma_async %[[ROWS]],
// CHECK: } else {
// CHECK-NEXT: scf.for
// CHECK: smx_gpu.mma_async %[[ROWS]],
// CHECK: smx_gpu.release %[[QUERIES:.+]] : <64x128xbf16, swizzle = 128, depth = 4, dealt>
// CHECK-NEXT: smx_gpu.get
// CHECK: %[[FOLLOWING:.+]] = smx_gpu.get %[[QUERIES]]
// CHECK: %[[S:.+]], %[[ST:.+]] = smx_gpu.mma_async %[[FOLLOWING]],
// CHECK-NEXT: %[[O:.+]], %[[OT:.+]] = smx_gpu.mma_async %[[ROUNDS]]#2,
// CHECK-NEXT: smx_gpu.pass_turn
// CHECK-NEXT: smx_gpu.wait %[[ST]], %[[S]] pending 1
// CHECK: smx_gpu.partial_reduce <add>
// CHECK: smx_gpu.wait %[[OT]], %[[O]] :
// CHECK: smx_gpu.tensor_store
// CHECK-NEXT: scf.yield %[[FOLLOWING]],
// CHECK: smx_gpu.release %[[QUERIES]]
func.func @begins_under(%q: tensor<4x70x256x128xbf16>, %k: tensor<4x70x512x128xbf16>, %v: tensor<4x70x512x128xbf16>) -> tensor<4x70x256x128xbf16> {
  %o = smx.attention %q, %k, %v scale(1.0) : tensor<4x70x256x128xbf16>, tensor<4x70x512x128xbf16>, tensor<4x70x512x128xbf16> -> tensor<4x70x256x128xbf16>
  return %o : tensor<4x70x256x128xbf16>
}

// -----

// Of 64 tiles of keys the first and the last take little.
// CHECK-LABEL: smx_gpu.kernel @many_rounds_kernel
// CHECK: smx_gpu.make_channel : <64x128xbf16, swizzle = 128, depth = 2, dealt>
func.func @many_rounds(%q: tensor<4x70x256x128xbf16>, %k: tensor<4x70x8192x128xbf16>, %v: tensor<4x70x8192x128xbf16>) -> tensor<4x70x256x128xbf16> {
  %o = smx.attention %q, %k, %v scale(1.0) : tensor<4x70x256x128xbf16>, tensor<4x70x8192x128xbf16>, tensor<4x70x8192x128xbf16> -> tensor<4x70x256x128xbf16>
  return %o : tensor<4x70x256x128xbf16>
}

// -----

// CHECK-LABEL: smx_gpu.kernel @large_rows_kernel
// CHECK: smx_gpu.make_channel : <64x256xbf16, swizzle = 128, depth = 2, dealt>
func.func @large_rows(%q: tensor<4x70x256x256xbf16>, %k: tensor<4x70x512x256xbf16>, %v: tensor<4x70x512x256xbf16>) -> tensor<4x70x256x256xbf16> {
  %o = smx.attention %q, %k, %v scale(1.0) : tensor<4x70x256x256xbf16>, tensor<4x70x512x256xbf16>, tensor<4x70x512x256xbf16> -> tensor<4x70x256x256xbf16>
  return %o : tensor<4x70x256x256xbf16>
}

// -----

// A block has one tile of queries or two.
// CHECK-LABEL: smx_gpu.kernel @few_tiles_kernel
// CHECK: smx_gpu.make_channel : <64x128xbf16, swizzle = 128, depth = 2, dealt>
func.func @few_tiles(%q: tensor<2x70x256x128xbf16>, %k: tensor<2x70x512x128xbf16>, %v: tensor<2x70x512x128xbf16>) -> tensor<2x70x256x128xbf16> {
  %o = smx.attention %q, %k, %v scale(1.0) : tensor<2x70x256x128xbf16>, tensor<2x70x512x128xbf16>, tensor<2x70x512x128xbf16> -> tensor<2x70x256x128xbf16>
  return %o : tensor<2x70x256x128xbf16>
}

// -----

// Sums of 64 columns leave registers for it under a mask, too: of the next tile, the first keys may be cut, of this one, the last ones, and their
// product is made again term by term if it is not finite.
// CHECK-LABEL: smx_gpu.kernel @narrow_causal_kernel
// CHECK: smx_gpu.make_channel : <64x64xbf16, swizzle = 128, depth = 4, dealt>
// CHECK: role @load
// A block takes a long and a short tile together: behind the second one is the first one of the next pair.
// CHECK: scf.for %[[PAIR:.+]] = %{{.+}} to %[[PAIRS:.+]] step %[[BLOCKS:.+]] {
// CHECK: scf.for %[[WHICH:.+]] = %c0 to %[[TILES:.+]] step %c1 {
// CHECK: %[[AFTER:.+]] = arith.addi %[[WHICH]], %c1
// CHECK-NEXT: %[[IS_WITHIN:.+]] = arith.cmpi slt, %[[AFTER]], %[[TILES]]
// CHECK-NEXT: %[[PAIR1:.+]] = arith.addi %[[PAIR]], %[[BLOCKS]]
// CHECK-NEXT: %[[IS_PAIR:.+]] = arith.cmpi slt, %[[PAIR1]], %[[PAIRS]]
// CHECK-NEXT: %[[MOVED:.+]] = arith.select %[[IS_PAIR]], %[[PAIR1]], %[[PAIR]]
// CHECK-NEXT: %[[AGAIN:.+]] = arith.select %[[IS_PAIR]], %c0, %[[WHICH]]
// CHECK-NEXT: arith.select %[[IS_WITHIN]], %[[AFTER]], %[[AGAIN]]
// CHECK-NEXT: arith.select %[[IS_WITHIN]], %[[PAIR]], %[[MOVED]]
// CHECK: role @compute
// CHECK: scf.for %{{.+}} iter_args
// CHECK: scf.for %{{.+}} iter_args(%[[ROWS:.+]] = %{{.+}}, %{{.+}} = %{{.+}}, %{{.+}} = %{{.+}}, %{{.+}} = %{{.+}}, %{{.+}} = %{{.+}})
// Whole tiles, and cut ones.
// CHECK: scf.for
// CHECK: %[[ROUNDS:.+]]:6 = scf.for
// CHECK: smx_gpu.release %[[QUERIES:.+]] : <64x64xbf16, swizzle = 128, depth = 4, dealt>
// CHECK-NEXT: %[[V:.+]] = smx_gpu.get
// CHECK: %[[FOLLOWING:.+]] = smx_gpu.get %[[QUERIES]]
// CHECK: %[[IS_CUT:.+]] = arith.cmpi sle
// CHECK: %[[S:.+]], %[[ST:.+]] = smx_gpu.mma_async %[[FOLLOWING]],
// CHECK-NEXT: %[[O:.+]], %[[OT:.+]] = smx_gpu.mma_async %[[ROUNDS]]#3, %[[V]], %{{.+}} zero :
// Its turn lasts, as in rounds, until both are done.
// CHECK-NOT: smx_gpu.pass_turn
// CHECK: smx_gpu.wait %[[ST]], %[[S]] pending 1
// CHECK-NOT: smx_gpu.pass_turn
// CHECK: scf.if %[[IS_CUT]]
// CHECK-NOT: smx_gpu.pass_turn
// CHECK: %[[O1:.+]] = smx_gpu.wait %[[OT]], %[[O]] :
// CHECK-NEXT: smx_gpu.pass_turn
// CHECK: %[[ODD:.+]] = smx_gpu.any
// CHECK: scf.if %[[ODD]]
// CHECK: smx_gpu.mma %{{.+}}, %[[V]], %[[ROUNDS]]#1 guarded terms
// CHECK: arith.addf %[[ROUNDS]]#1, %[[O1]]
// CHECK: smx_gpu.tensor_store
// CHECK-NEXT: scf.yield %[[FOLLOWING]],
func.func @narrow_causal(%q: tensor<4x70x512x64xbf16>, %k: tensor<4x70x512x64xbf16>, %v: tensor<4x70x512x64xbf16>) -> tensor<4x70x512x64xbf16> {
  %o = smx.attention %q, %k, %v scale(1.0) mask(#smx.band<top_left, right = 0>) : tensor<4x70x512x64xbf16>, tensor<4x70x512x64xbf16>, tensor<4x70x512x64xbf16> -> tensor<4x70x512x64xbf16>
  return %o : tensor<4x70x512x64xbf16>
}

// -----

// Tiles of up to 32 tiles of keys gain little beside what the terms of a cut one take.
// CHECK-LABEL: smx_gpu.kernel @long_causal_kernel
// CHECK: smx_gpu.make_channel : <64x64xbf16, swizzle = 128, depth = 3, dealt>
func.func @long_causal(%q: tensor<4x70x4096x64xbf16>, %k: tensor<4x70x4096x64xbf16>, %v: tensor<4x70x4096x64xbf16>) -> tensor<4x70x4096x64xbf16> {
  %o = smx.attention %q, %k, %v scale(1.0) mask(#smx.band<top_left, right = 0>) : tensor<4x70x4096x64xbf16>, tensor<4x70x4096x64xbf16>, tensor<4x70x4096x64xbf16> -> tensor<4x70x4096x64xbf16>
  return %o : tensor<4x70x4096x64xbf16>
}

// -----

// Whole and cut tiles of a window have rounds of their own, too. Blocks that walk over the short tiles last have one of two numbers of tiles.
// CHECK-LABEL: smx_gpu.kernel @window_kernel
// CHECK: smx_gpu.make_channel : <64x64xbf16, swizzle = 128, depth = 4, dealt>
// CHECK: role @compute
// CHECK: %[[TILES:.+]] = arith.select
// CHECK: scf.for %{{.+}} = %c0 to %[[TILES]] step %c1 iter_args
func.func @window(%q: tensor<4x70x512x64xbf16>, %k: tensor<4x70x512x64xbf16>, %v: tensor<4x70x512x64xbf16>) -> tensor<4x70x512x64xbf16> {
  %o = smx.attention %q, %k, %v scale(1.0) mask(#smx.band<top_left, left = 255, right = 0>) : tensor<4x70x512x64xbf16>, tensor<4x70x512x64xbf16>, tensor<4x70x512x64xbf16> -> tensor<4x70x512x64xbf16>
  return %o : tensor<4x70x512x64xbf16>
}

// -----

// Terms of 128 columns take the registers, but the rows of the next tile, and with them its keys, come beside those of this one.
// CHECK-LABEL: smx_gpu.kernel @causal_kernel
// CHECK: smx_gpu.make_channel : <64x128xbf16, swizzle = 128, depth = 4, dealt>
func.func @causal(%q: tensor<4x70x512x128xbf16>, %k: tensor<4x70x512x128xbf16>, %v: tensor<4x70x512x128xbf16>) -> tensor<4x70x512x128xbf16> {
  %o = smx.attention %q, %k, %v scale(1.0) mask(#smx.band<top_left, right = 0>) : tensor<4x70x512x128xbf16>, tensor<4x70x512x128xbf16>, tensor<4x70x512x128xbf16> -> tensor<4x70x512x128xbf16>
  return %o : tensor<4x70x512x128xbf16>
}

// -----

// Scores that read a table have no registers for it.
// CHECK-LABEL: smx_gpu.kernel @table_kernel
// CHECK: smx_gpu.make_channel : <64x128xbf16, swizzle = 128, depth = 2, dealt>
func.func @table(%q: tensor<4x70x256x128xbf16>, %k: tensor<4x70x512x128xbf16>, %v: tensor<4x70x512x128xbf16>, %t: tensor<512xf32>) -> tensor<4x70x256x128xbf16> {
  %o = smx.attention %q, %k, %v scale(1.0) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %x = tensor.extract %t[%j] : tensor<512xf32>
    %y = arith.addf %s, %x : f32
    smx.yield %y : f32
  } : tensor<4x70x256x128xbf16>, tensor<4x70x512x128xbf16>, tensor<4x70x512x128xbf16> -> tensor<4x70x256x128xbf16>
  return %o : tensor<4x70x256x128xbf16>
}
