// RUN: softmax-opt %s --smx-online --smx-tile='blocks warpgroups shared-bytes=232448' --remarks-filter=smx-tile 2>&1 >/dev/null | FileCheck %s

// Tiles for two or three warpgroups of 64 rows.

!short_64 = tensor<2x1024x64xbf16>
!long_64 = tensor<2x4096x64xbf16>
!short_128 = tensor<2x1024x128xf16>
!short_256 = tensor<2x1024x256xbf16>

func.func @narrow(%q: !long_64, %k: !long_64, %v: !long_64) -> !long_64 {
  // CHECK: warpgroups.mlir:[[@LINE+1]]:{{.*}} rows=192, stream=96
  %o = smx.attention %q, %k, %v scale(0.125) : !long_64, !long_64, !long_64 -> !long_64
  return %o : !long_64
}

// Among few keys, tiles that begin under the end of the one before.
func.func @narrow_short(%q: !short_64, %k: !short_64, %v: !short_64) -> !short_64 {
  // CHECK: warpgroups.mlir:[[@LINE+1]]:{{.*}} rows=128, stream=128
  %o = smx.attention %q, %k, %v scale(0.125) : !short_64, !short_64, !short_64 -> !short_64
  return %o : !short_64
}

// Of few rows a mask cuts most tiles, the more of them the longer they are.
func.func @narrow_short_masked(%q: !short_64, %k: !short_64, %v: !short_64) -> !short_64 {
  // CHECK: warpgroups.mlir:[[@LINE+1]]:{{.*}} rows=128, stream=128
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.band<top_left, right = 0>) : !short_64, !short_64, !short_64 -> !short_64
  return %o : !short_64
}

func.func @narrow_long_masked(%q: !long_64, %k: !long_64, %v: !long_64) -> !long_64 {
  // CHECK: warpgroups.mlir:[[@LINE+1]]:{{.*}} rows=192, stream=96
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.band<top_left, right = 0>) : !long_64, !long_64, !long_64 -> !long_64
  return %o : !long_64
}

func.func @wide(%q: !short_128, %k: !short_128, %v: !short_128) -> !short_128 {
  // CHECK: warpgroups.mlir:[[@LINE+1]]:{{.*}} rows=128, stream=128
  %o = smx.attention %q, %k, %v scale(0.125) : !short_128, !short_128, !short_128 -> !short_128
  return %o : !short_128
}

func.func @widest(%q: !short_256, %k: !short_256, %v: !short_256) -> !short_256 {
  // CHECK: warpgroups.mlir:[[@LINE+1]]:{{.*}} rows=128, stream=64
  %o = smx.attention %q, %k, %v scale(0.0625) : !short_256, !short_256, !short_256 -> !short_256
  return %o : !short_256
}
