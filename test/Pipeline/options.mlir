// RUN: softmax-opt %s --smx-to-tiled | FileCheck %s --check-prefixes=CHECK,MODEL
// RUN: softmax-opt %s --smx-to-tiled='rows=16 stream=32' | FileCheck %s --check-prefixes=CHECK,TILE
// RUN: softmax-opt %s --smx-to-tiled=splits=4 | FileCheck %s --check-prefixes=CHECK,SPLIT
// RUN: softmax-opt %s --smx-to-tiled=splits=1 | FileCheck %s --check-prefixes=CHECK,MODEL
// RUN: not softmax-opt %s --smx-to-tiled=colour=red 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not softmax-opt %s --smx-to-tiled=rows=-2 2>&1 | FileCheck %s --check-prefix=NEGATIVE

// UNKNOWN: no such option colour
// NEGATIVE: option 'rows' must be at least 0, got -2

// CHECK-LABEL: @attention
// MODEL: scf.forall {{.*}} step (64)
// MODEL-NOT: smx.merge
// MODEL: smx.update {{.*}} tensor<128x64xf32>
// TILE: scf.forall {{.*}} step (16)
// TILE: smx.update {{.*}} tensor<32x16xf32>
// SPLIT-COUNT-3: smx.merge
// CHECK: return
func.func @attention(%q: tensor<256x64xf32>, %k: tensor<1024x64xf32>, %v: tensor<1024x64xf32>) -> tensor<256x64xf32> {
  %o = smx.attention %q, %k, %v scale(0.125) : tensor<256x64xf32>, tensor<1024x64xf32>, tensor<1024x64xf32> -> tensor<256x64xf32>
  return %o : tensor<256x64xf32>
}
