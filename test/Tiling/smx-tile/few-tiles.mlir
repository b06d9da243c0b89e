// Loops of a mask that lets a row see few keys say so, for smx-gpu-unite-loops.
// RUN: softmax-opt %s --smx-online --smx-tile='blocks warpgroups shared-bytes=232448' --canonicalize | FileCheck %s
// RUN: softmax-opt %s --smx-online --smx-tile='blocks shared-bytes=101376' --canonicalize | FileCheck %s --check-prefix=PORTABLE
// PORTABLE-NOT: smx.few_tiles

!short = tensor<2x2048x128xbf16>
// CHECK-LABEL: @short
// CHECK-COUNT-2: {smx.few_tiles}
func.func @short(%q: !short, %k: !short, %v: !short) -> !short {
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.band<top_left, right = 0>) : !short, !short, !short -> !short
  return %o : !short
}

!long = tensor<2x4096x128xbf16>
// CHECK-LABEL: @long
// CHECK-NOT: smx.few_tiles
// CHECK: return
func.func @long(%q: !long, %k: !long, %v: !long) -> !long {
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.band<top_left, right = 0>) : !long, !long, !long -> !long
  return %o : !long
}

// A window of a long row: cut in front, whole, cut behind.
// CHECK-LABEL: @window
// CHECK-COUNT-3: {smx.few_tiles}
func.func @window(%q: !long, %k: !long, %v: !long) -> !long {
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.band<top_left, left = 1023, right = 0>) : !long, !long, !long -> !long
  return %o : !long
}

// Of chunks, and of several masks the narrowest.
// CHECK-LABEL: @chunks
// CHECK: {smx.few_tiles}
func.func @chunks(%q: !long, %k: !long, %v: !long) -> !long {
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.all_of<[#smx.chunks<top_left, size = 1024>, #smx.band<top_left, right = 0>]>)
    : !long, !long, !long -> !long
  return %o : !long
}

// Accumulators of many columns leave no registers to overlap cut tiles.
!wide = tensor<2x1024x256xbf16>
// CHECK-LABEL: @wide
// CHECK-NOT: smx.few_tiles
func.func @wide(%q: !wide, %k: !wide, %v: !wide) -> !wide {
  %o = smx.attention %q, %k, %v scale(0.0625) mask(#smx.band<top_left, right = 0>) : !wide, !wide, !wide -> !wide
  return %o : !wide
}
