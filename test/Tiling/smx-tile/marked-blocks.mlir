// Blocks that data mark: the tiles that are visited are listed in front, and loops run along the list.
// RUN: softmax-opt %s --split-input-file --smx-online --smx-tile='rows=32 stream=32' --canonicalize --cse | FileCheck %s
// RUN: softmax-opt %s --split-input-file --smx-online --smx-tile='rows=32 stream=32' --remarks-filter=smx-tile -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK

// REMARK: MarkedBlocks | Category:smx-tile | keys=128, rows=64, tiles-in-blocks=true

// Tiles that lie in blocks are seen whole: no mask is left.
// CHECK-LABEL: @larger_than_tiles
// CHECK-SAME: %[[MARKS:[^:]+]]: tensor<2x1x4x3xi8>
// CHECK: %[[SEEN:.+]] = linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
// CHECK: tensor.extract %[[MARKS]]
// CHECK: -> tensor<2x1x8x12xi32>
// CHECK: %[[RANKS:.+]] = linalg.generic {{.*}}"reduction"]} ins(%[[SEEN]]
// CHECK: -> tensor<2x1x8x13xi32>
// CHECK: %[[NUMBERS:.+]] = linalg.generic {{.*}}"reduction"]} ins(%[[SEEN]]
// CHECK: tensor.extract %[[RANKS]]
// CHECK: -> tensor<2x1x8x12xi32>
// CHECK: scf.forall (%[[B:.+]], %{{.+}}, %[[I:.+]]) =
// CHECK: %[[TILE:.+]] = affine.apply {{.+}}(%[[I]])
// CHECK: tensor.extract %[[RANKS]][%[[B]], %c0, %[[TILE]], %c0]
// CHECK: tensor.extract %[[RANKS]][%[[B]], %c0, %[[TILE]], %c12]
// CHECK: scf.for %[[N:.+]] = %{{.+}} to %{{.+}} step %c1
// CHECK: %[[T:.+]] = tensor.extract %[[NUMBERS]][%[[B]], %c0, %[[TILE]], %[[N]]]
// CHECK: %[[NUMBER:.+]] = arith.index_cast %[[T]]
// CHECK: %[[OFFSET:.+]] = affine.apply {{.+}}(%[[NUMBER]])
// CHECK: tensor.extract_slice {{.+}}, %[[OFFSET]], 0] [1, 1, 32, 16]
// CHECK-NOT: smx.mask
// CHECK: smx.update {{.*}}]{{$}}
!t = tensor<2x3x256x16xf32>
!k = tensor<2x3x384x16xf32>
func.func @larger_than_tiles(%q: !t, %k: !k, %v: !k, %m: tensor<2x1x4x3xi8>) -> !t {
  %o = smx.attention %q, %k, %v scale(0.25) mask(#smx.blocks<rows = 64, keys = 128>) reads(%m : tensor<2x1x4x3xi8>) : !t, !k, !k -> !t
  return %o : !t
}

// -----

// REMARK: MarkedBlocks | Category:smx-tile | keys=16, rows=24, tiles-in-blocks=false

// Tiles that touch several blocks are listed if one of them is marked, and masked.
// CHECK-LABEL: @smaller_than_tiles
// CHECK: linalg.generic {{.*}}"reduction"]} ins(%{{.+}} : tensor<6xi1>)
// CHECK: arith.maxsi
// CHECK: scf.forall
// CHECK: scf.for %{{.+}} = %{{.+}} to %{{.+}} step %c1
// CHECK: smx.mask %{{.+}} by #smx.blocks<rows = 24, keys = 16> reads(%{{.+}} : tensor<11x16xi8>)
// CHECK: smx.update {{.*}} masked{{$}}
!t = tensor<256x16xf32>
func.func @smaller_than_tiles(%q: !t, %k: !t, %v: !t, %m: tensor<11x16xi8>) -> !t {
  %o = smx.attention %q, %k, %v scale(0.25) mask(#smx.blocks<rows = 24, keys = 16>) reads(%m : tensor<11x16xi8>) : !t, !t, !t -> !t
  return %o : !t
}

// -----

// Ranges of another mask become ranges of the list. Where they cut tiles, the other mask alone is left.
// CHECK-LABEL: @within_a_band
// CHECK: scf.forall (%[[I:.+]]) =
// CHECK: tensor.extract %{{.+}}[%[[T:.+]], %c0]
// CHECK: %[[TILES:.+]] = affine.apply {{.+}}
// CHECK: %[[RANK:.+]] = tensor.extract %{{.+}}[%[[T]], %[[TILES]]]
// CHECK: %[[MIDDLE:.+]] = arith.index_cast %[[RANK]]
// CHECK: scf.for %{{.+}} = %{{.+}} to %[[MIDDLE]] step %c1
// CHECK-NOT: smx.mask
// CHECK: smx.update {{.*}}]{{$}}
// CHECK: scf.for %{{.+}} = %[[MIDDLE]] to %{{.+}} step %c1
// CHECK: smx.mask %{{.+}} by #smx.band<top_left, right = 0> dims
// CHECK-NOT: smx.mask
// CHECK: smx.update {{.*}} masked{{$}}
!t = tensor<256x16xf32>
func.func @within_a_band(%q: !t, %k: !t, %v: !t, %m: tensor<4x4xi1>) -> !t {
  %o = smx.attention %q, %k, %v scale(0.25) mask(#smx.all_of<[#smx.blocks<rows = 64, keys = 64>, #smx.band<top_left, right = 0>]>)
       reads(%m : tensor<4x4xi1>) : !t, !t, !t -> !t
  return %o : !t
}

// -----

// REMARK: MarkedBlocks | Category:smx-tile | keys=8, rows=8, tiles-in-blocks=false

// The list is of one mask: another one is applied in its tiles, though they lie in its blocks.
// CHECK-LABEL: @two_lists
// CHECK: scf.for %{{.+}} = %{{.+}} to %{{.+}} step %c1
// CHECK: smx.mask {{.+}} by #smx.blocks<rows = 64, keys = 64>
// CHECK: smx.mask {{.+}} by #smx.blocks<rows = 8, keys = 8>
// CHECK: smx.update
!s = tensor<128x64xf32>
func.func @two_lists(%q: !s, %k: !s, %v: !s, %a: tensor<2x2xi8>, %b: tensor<16x16xi8>) -> !s {
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.all_of<[#smx.blocks<rows = 64, keys = 64>, #smx.blocks<rows = 8, keys = 8>]>)
     reads(%a, %b : tensor<2x2xi8>, tensor<16x16xi8>) : !s, !s, !s -> !s
  return %o : !s
}
