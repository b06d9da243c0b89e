// One query: where there are several blocks for each that runs at once, tiles of keys are twice as long.
// RUN: softmax-opt %s --smx-online --smx-tile="blocks slots=8" --canonicalize --cse | FileCheck %s --check-prefixes=CHECK,MANY
// RUN: softmax-opt %s --smx-online --smx-tile="blocks slots=9" --canonicalize --cse | FileCheck %s --check-prefixes=CHECK,FEW
// How many run at once is not known.
// RUN: softmax-opt %s --smx-online --smx-tile=blocks --canonicalize --cse | FileCheck %s --check-prefixes=CHECK,FEW

// 24 heads.
// CHECK-LABEL: @heads
// CHECK: scf.for
// MANY: tensor<1x64x128xbf16>
// FEW: tensor<1x32x128xbf16>
func.func @heads(%q: tensor<24x1x128xbf16>, %k: tensor<24x1024x128xbf16>, %v: tensor<24x1024x128xbf16>) -> tensor<24x1x128xbf16> {
  %o = smx.attention %q, %k, %v scale(0.125) : tensor<24x1x128xbf16>, tensor<24x1024x128xbf16>, tensor<24x1024x128xbf16> -> tensor<24x1x128xbf16>
  return %o : tensor<24x1x128xbf16>
}

// Blocks are groups of heads.
// CHECK-LABEL: @groups
// CHECK: scf.for
// MANY: tensor<1x32x128xbf16>
// FEW: tensor<1x32x128xbf16>
func.func @groups(%q: tensor<24x1x128xbf16>, %k: tensor<6x1024x128xbf16>, %v: tensor<6x1024x128xbf16>) -> tensor<24x1x128xbf16> {
  %o = smx.attention %q, %k, %v scale(0.125) : tensor<24x1x128xbf16>, tensor<6x1024x128xbf16>, tensor<6x1024x128xbf16> -> tensor<24x1x128xbf16>
  return %o : tensor<24x1x128xbf16>
}
