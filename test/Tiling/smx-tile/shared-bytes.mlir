// RUN: softmax-opt %s --smx-online --smx-tile='blocks warpgroups shared-bytes=232448' --remarks-filter=smx-tile 2>&1 >/dev/null | FileCheck %s --check-prefix=LARGE
// RUN: softmax-opt %s --smx-online --smx-tile='blocks shared-bytes=166912' --remarks-filter=smx-tile 2>&1 >/dev/null | FileCheck %s --check-prefix=MIDDLE
// RUN: softmax-opt %s --smx-online --smx-tile='blocks shared-bytes=101376' --remarks-filter=smx-tile 2>&1 >/dev/null | FileCheck %s --check-prefix=SMALL

// Long keys and queries: fewer keys, then fewer rows, until they fit shared memory.

!narrow = tensor<2x4096x64xbf16>
!wide = tensor<2x4096x512xbf16>
!full = tensor<2x4096x576xf32>
!values = tensor<2x4096x512xf32>

func.func @wide_keys(%q: !wide, %k: !wide, %v: !narrow) -> !narrow {
  // LARGE: shared-bytes.mlir:[[@LINE+3]]:{{.*}} columns=64, deferred=false, rows=128, stream=32
  // MIDDLE: shared-bytes.mlir:[[@LINE+2]]:{{.*}} columns=64, deferred=false, rows=64, stream=32
  // SMALL: shared-bytes.mlir:[[@LINE+1]]:{{.*}} columns=64, deferred=false, rows=32, stream=16
  %o = smx.attention %q, %k, %v scale(0.125) : !wide, !wide, !narrow -> !narrow
  return %o : !narrow
}

func.func @latent(%q: !full, %k: !full, %v: !values) -> !values {
  // MIDDLE: shared-bytes.mlir:[[@LINE+2]]:{{.*}} columns=256, deferred=false, rows=32, stream=16
  // SMALL: shared-bytes.mlir:[[@LINE+1]]:{{.*}} columns=256, deferred=false, rows=16, stream=16
  %o = smx.attention %q, %k, %v scale(0.125) : !full, !full, !values -> !values
  return %o : !values
}
