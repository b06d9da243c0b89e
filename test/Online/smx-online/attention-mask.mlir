// RUN: softmax-opt %s --smx-online | FileCheck %s

// The mask stays analysable; the update learns that places may be hidden.

// CHECK-LABEL: @causal
// CHECK: %[[S:.+]] = linalg.generic
// CHECK: %[[M:.+]] = smx.mask %[[S]] by #smx.band<bottom_right, right = 0> dims(1, 2) at(%c0, %c0) of(%c7, %c9) : tensor<2x7x9xf32>
// CHECK: smx.update {{.*}} with(%[[M]], {{.*}} masked{{$}}
func.func @causal(%q: tensor<2x7x16xf32>, %k: tensor<2x9x16xf32>, %v: tensor<2x9x4xf32>) -> tensor<2x7x4xf32> {
  %o = smx.attention %q, %k, %v scale(0.25) mask(#smx.band<bottom_right, right = 0>)
     : tensor<2x7x16xf32>, tensor<2x9x16xf32>, tensor<2x9x4xf32> -> tensor<2x7x4xf32>
  return %o : tensor<2x7x4xf32>
}

// CHECK-LABEL: @prefix
// CHECK: smx.mask %{{.+}} by #smx.prefix<top_left, length = 3> dims(0, 1)
func.func @prefix(%q: tensor<7x16xf32>, %k: tensor<9x16xf32>, %v: tensor<9x4xf32>) -> tensor<7x4xf32> {
  %o = smx.attention %q, %k, %v scale(0.25) mask(#smx.prefix<top_left, length = 3>)
     : tensor<7x16xf32>, tensor<9x16xf32>, tensor<9x4xf32> -> tensor<7x4xf32>
  return %o : tensor<7x4xf32>
}

// What marks blocks is a mask of its own, below the others: these are looked at as ranges.
// CHECK-LABEL: @blocks
// CHECK-SAME: %[[MARKS:[^:]+]]: tensor<2x1xi8>, %[[N:[^:]+]]: tensor<i32>
// CHECK: %[[S:.+]] = linalg.generic
// CHECK: %[[M:.+]] = smx.mask %[[S]] by #smx.blocks<rows = 4, keys = 16> reads(%[[MARKS]] :
// CHECK: smx.mask %[[M]] by #smx.all_of<[#smx.band<top_left, right = 0>, #smx.key_lengths]> reads(%[[N]] :
func.func @blocks(%q: tensor<7x16xf32>, %k: tensor<9x16xf32>, %v: tensor<9x4xf32>, %m: tensor<2x1xi8>, %n: tensor<i32>) -> tensor<7x4xf32> {
  %o = smx.attention %q, %k, %v scale(0.25)
     mask(#smx.all_of<[#smx.band<top_left, right = 0>, #smx.all_of<[#smx.blocks<rows = 4, keys = 16>, #smx.key_lengths]>]>)
     reads(%m, %n : tensor<2x1xi8>, tensor<i32>) : tensor<7x16xf32>, tensor<9x16xf32>, tensor<9x4xf32> -> tensor<7x4xf32>
  return %o : tensor<7x4xf32>
}

// Of no queries there is nothing to hide.
// CHECK-LABEL: @no_queries
// CHECK-NOT: smx.mask
// CHECK: return
func.func @no_queries(%q: tensor<4x0x8xf32>, %k: tensor<4x70x8xf32>, %v: tensor<4x70x8xf32>, %m: tensor<4x0x2xi8>) -> tensor<4x0x8xf32> {
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.blocks<rows = 64, keys = 64>) reads(%m : tensor<4x0x2xi8>)
     : tensor<4x0x8xf32>, tensor<4x70x8xf32>, tensor<4x70x8xf32> -> tensor<4x0x8xf32>
  return %o : tensor<4x0x8xf32>
}
