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

// Documents, which are short where they are packed; beside open sizes, sums of at most 96 columns leave registers for it.
!ranges = tensor<2x4096xi32>
// CHECK-LABEL: @documents
// CHECK-COUNT-3: {smx.few_tiles}
func.func @documents(%q: !long, %k: !long, %v: !long, %begin: !ranges, %end: !ranges) -> !long {
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.key_ranges) reads(%begin, %end : !ranges, !ranges) : !long, !long, !long -> !long
  return %o : !long
}

!narrow = tensor<?x?x96xbf16>
!open = tensor<?x?xi32>
// CHECK-LABEL: @open_documents
// CHECK-COUNT-3: {smx.few_tiles}
func.func @open_documents(%q: !narrow, %k: !narrow, %v: !narrow, %begin: !open, %end: !open) -> !narrow {
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.key_ranges) reads(%begin, %end : !open, !open) : !narrow, !narrow, !narrow -> !narrow
  return %o : !narrow
}

!columns = tensor<?x?x128xbf16>
// CHECK-LABEL: @wide_open_documents
// CHECK-NOT: smx.few_tiles
// CHECK: return
func.func @wide_open_documents(%q: !columns, %k: !columns, %v: !columns, %begin: !open, %end: !open) -> !columns {
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.key_ranges) reads(%begin, %end : !open, !open) : !columns, !columns, !columns -> !columns
  return %o : !columns
}

// Accumulators of many columns leave no registers to overlap cut tiles.
!wide = tensor<2x1024x256xbf16>
// CHECK-LABEL: @wide
// CHECK-NOT: smx.few_tiles
func.func @wide(%q: !wide, %k: !wide, %v: !wide) -> !wide {
  %o = smx.attention %q, %k, %v scale(0.0625) mask(#smx.band<top_left, right = 0>) : !wide, !wide, !wide -> !wide
  return %o : !wide
}
