// Of few tiles those of two warpgroups take no more waves of blocks than those of three, and each of them is shorter.
// RUN: softmax-opt %s --smx-online --smx-tile='blocks warpgroups shared-bytes=232448 multiprocessors=132' --remarks-filter=smx-tile 2>&1 >/dev/null | FileCheck %s
// RUN: softmax-opt %s --smx-online --smx-tile='blocks warpgroups shared-bytes=232448' --remarks-filter=smx-tile 2>&1 >/dev/null | FileCheck %s --check-prefix=UNKNOWN
// RUN: not softmax-opt %s --smx-tile='multiprocessors=-1' 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: error: option 'multiprocessors' must be at least 0, got -1

// 8 heads of 2048 rows are 88 tiles of 192, or 128 of 128: one wave.
!eight = tensor<8x2048x64xbf16>
func.func @one(%q: !eight, %k: !eight, %v: !eight) -> !eight {
  // CHECK: few-waves.mlir:[[@LINE+2]]:{{.*}} rows=128, stream=128
  // UNKNOWN: few-waves.mlir:[[@LINE+1]]:{{.*}} rows=192, stream=128
  %o = smx.attention %q, %k, %v scale(0.125) : !eight, !eight, !eight -> !eight
  return %o : !eight
}

// 9 are 99, or 144: two waves instead of one.
!nine = tensor<9x2048x64xbf16>
func.func @more_waves(%q: !nine, %k: !nine, %v: !nine) -> !nine {
  // CHECK: few-waves.mlir:[[@LINE+1]]:{{.*}} rows=192, stream=128
  %o = smx.attention %q, %k, %v scale(0.125) : !nine, !nine, !nine -> !nine
  return %o : !nine
}

// 16 are 176, or 256: two waves of either, which is what three groups of narrow sums win back. Wider ones, and those under a mask, do not.
!sixteen = tensor<16x2048x64xbf16>
func.func @two_narrow(%q: !sixteen, %k: !sixteen, %v: !sixteen) -> !sixteen {
  // CHECK: few-waves.mlir:[[@LINE+1]]:{{.*}} rows=192, stream=128
  %o = smx.attention %q, %k, %v scale(0.125) : !sixteen, !sixteen, !sixteen -> !sixteen
  return %o : !sixteen
}
!wide = tensor<16x2048x128xbf16>
func.func @two_wide(%q: !wide, %k: !wide, %v: !wide) -> !wide {
  // CHECK: few-waves.mlir:[[@LINE+2]]:{{.*}} rows=128, stream=128
  // UNKNOWN: few-waves.mlir:[[@LINE+1]]:{{.*}} rows=192, stream=80
  %o = smx.attention %q, %k, %v scale(0.125) : !wide, !wide, !wide -> !wide
  return %o : !wide
}
!masked = tensor<8x4096x64xbf16>
func.func @two_masked(%q: !masked, %k: !masked, %v: !masked) -> !masked {
  // CHECK: few-waves.mlir:[[@LINE+2]]:{{.*}} rows=128, stream=128
  // UNKNOWN: few-waves.mlir:[[@LINE+1]]:{{.*}} rows=192, stream=96
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.band<top_left, right = 0>) : !masked, !masked, !masked -> !masked
  return %o : !masked
}

// 140 are one wave and 8 tiles, which are cut.
!cut = tensor<10x2688x128xbf16>
func.func @cut(%q: !cut, %k: !cut, %v: !cut) -> !cut {
  // CHECK: few-waves.mlir:[[@LINE+1]]:{{.*}} rows=192, stream=80
  %o = smx.attention %q, %k, %v scale(0.125) : !cut, !cut, !cut -> !cut
  return %o : !cut
}

// Few tiles of many keys are cut, too, if they do not fill a wave; of fewer keys they stay whole.
!many_keys = tensor<3x4096x64xbf16>
func.func @many_keys(%q: !many_keys, %k: !many_keys, %v: !many_keys) -> !many_keys {
  // CHECK: few-waves.mlir:[[@LINE+1]]:{{.*}} rows=192, stream=128
  %o = smx.attention %q, %k, %v scale(0.125) : !many_keys, !many_keys, !many_keys -> !many_keys
  return %o : !many_keys
}
!few_keys = tensor<6x2048x128xbf16>
func.func @few_keys(%q: !few_keys, %k: !few_keys, %v: !few_keys) -> !few_keys {
  // CHECK: few-waves.mlir:[[@LINE+1]]:{{.*}} rows=128, stream=128
  %o = smx.attention %q, %k, %v scale(0.125) : !few_keys, !few_keys, !few_keys -> !few_keys
  return %o : !few_keys
}
!full = tensor<4x4096x128xbf16>
func.func @full(%q: !full, %k: !full, %v: !full) -> !full {
  // CHECK: few-waves.mlir:[[@LINE+1]]:{{.*}} rows=128, stream=128
  %o = smx.attention %q, %k, %v scale(0.125) : !full, !full, !full -> !full
  return %o : !full
}

// How many heads there are is not known.
!open = tensor<?x2048x64xbf16>
func.func @open(%q: !open, %k: !open, %v: !open) -> !open {
  // CHECK: few-waves.mlir:[[@LINE+1]]:{{.*}} rows=192, stream=128
  %o = smx.attention %q, %k, %v scale(0.125) : !open, !open, !open -> !open
  return %o : !open
}
