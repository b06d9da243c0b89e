// What ptxas makes of the loops over keys: no local memory, no value that goes back to a uniform register, no barrier where paths meet;
// of a score one multiply-add and one exponential, and two more exponentials for both rows that a thread rescales. Where a maximum
// may rise within a tile, the loop holds the way that takes its exponentials again.
// REQUIRES: softmax-compile, ptxas, nvdisasm
// RUN: split-file %s %t
// RUN: softmax-compile %t/full-64.mlir --alignment=16 --emit=ptx --chip=sm_90a -o %t/full-64.ptx
// RUN: %loops sm_90a %t/full-64.ptx | FileCheck %s --check-prefix=FULL-64
// RUN: softmax-compile %t/causal-64.mlir --alignment=16 --emit=ptx --chip=sm_90a -o %t/causal-64.ptx
// RUN: %loops sm_90a %t/causal-64.ptx | FileCheck %s --check-prefix=CAUSAL-64
// RUN: softmax-compile %t/full-128.mlir --alignment=16 --emit=ptx --chip=sm_90a -o %t/full-128.ptx
// RUN: %loops sm_90a %t/full-128.ptx | FileCheck %s --check-prefix=FULL-128
// RUN: softmax-compile %t/causal-128.mlir --alignment=16 --emit=ptx --chip=sm_90a -o %t/causal-128.ptx
// RUN: %loops sm_90a %t/causal-128.ptx | FileCheck %s --check-prefix=CAUSAL-128
// RUN: softmax-compile %t/half-128.mlir --alignment=16 --emit=ptx --chip=sm_90a -o %t/half-128.ptx
// RUN: %loops sm_90a %t/half-128.ptx | FileCheck %s --check-prefix=HALF-128
// RUN: softmax-compile %t/window-128.mlir --alignment=16 --emit=ptx --chip=sm_90a -o %t/window-128.ptx
// RUN: %loops sm_90a %t/window-128.ptx | FileCheck %s --check-prefix=WINDOW-128
// RUN: softmax-compile %t/full-256.mlir --alignment=16 --emit=ptx --chip=sm_90a -o %t/full-256.ptx
// RUN: %loops sm_90a %t/full-256.ptx | FileCheck %s --check-prefix=FULL-256
// RUN: softmax-compile %t/causal-256.mlir --alignment=16 --emit=ptx --chip=sm_90a -o %t/causal-256.ptx
// RUN: %loops sm_90a %t/causal-256.ptx | FileCheck %s --check-prefix=CAUSAL-256

// 128 keys: 4 products for the scores and 8 with the values.
// FULL-64:       {{^}}[[#]] instructions: 12 HGMMA, 130 MUFU.EX2, 128 FFMA
// FULL-64-NEXT:  {{^}}[[#]] instructions: 12 HGMMA, 66 MUFU.EX2, 64 FFMA
// FULL-64-NOT:   instructions

// 96 keys. Tiles that the diagonal cuts have a loop of their own, and a multiply-add more for each pair of scores of a row.
// CAUSAL-64:      {{^}}[[#]] instructions: 10 HGMMA, 98 MUFU.EX2, 96 FFMA
// CAUSAL-64-NEXT: {{^}}[[#]] instructions: 10 HGMMA, 50 MUFU.EX2, 48 FFMA
// CAUSAL-64-NEXT: {{^}}[[#]] instructions: 11 HGMMA, 98 MUFU.EX2, 112 FFMA
// CAUSAL-64-NOT:  instructions

// 80 keys: 8 and 5 products.
// FULL-128:      {{^}}[[#]] instructions: 13 HGMMA, 82 MUFU.EX2, 80 FFMA
// FULL-128-NEXT: {{^}}[[#]] instructions: 13 HGMMA, 42 MUFU.EX2, 40 FFMA
// FULL-128-NOT:  instructions
// HALF-128:      {{^}}[[#]] instructions: 13 HGMMA, 82 MUFU.EX2, 80 FFMA
// HALF-128-NEXT: {{^}}[[#]] instructions: 13 HGMMA, 42 MUFU.EX2, 40 FFMA
// HALF-128-NOT:  instructions

// 128 keys: 8 and 8 products; the tile on the diagonal is the only one of its kind, and in no loop.
// CAUSAL-128:      {{^}}[[#]] instructions: 16 HGMMA, 130 MUFU.EX2, 128 FFMA
// CAUSAL-128-NEXT: {{^}}[[#]] instructions: 16 HGMMA, 66 MUFU.EX2, 64 FFMA
// CAUSAL-128-NOT:  instructions
// WINDOW-128:      {{^}}[[#]] instructions: 16 HGMMA, 130 MUFU.EX2, 128 FFMA
// WINDOW-128-NEXT: {{^}}[[#]] instructions: 16 HGMMA, 66 MUFU.EX2, 64 FFMA
// WINDOW-128-NEXT: {{^}}[[#]] instructions: 17 HGMMA, 130 MUFU.EX2, 144 FFMA
// WINDOW-128-NOT:  instructions

// 64 keys: 16 and 4 products.
// FULL-256:      {{^}}[[#]] instructions: 20 HGMMA, 34 MUFU.EX2, 32 FFMA
// FULL-256-NOT:  instructions
// CAUSAL-256:      {{^}}[[#]] instructions: 20 HGMMA, 34 MUFU.EX2, 32 FFMA
// CAUSAL-256-NEXT: {{^}}[[#]] instructions: 20 HGMMA, 34 MUFU.EX2, 48 FFMA
// CAUSAL-256-NOT:  instructions
//--- full-64.mlir
func.func @f(%q: tensor<2x8x4096x64xbf16>, %k: tensor<2x8x4096x64xbf16>, %v: tensor<2x8x4096x64xbf16>) -> tensor<2x8x4096x64xbf16> {
  %o = smx.attention %q, %k, %v scale(0.1) : tensor<2x8x4096x64xbf16>, tensor<2x8x4096x64xbf16>, tensor<2x8x4096x64xbf16> -> tensor<2x8x4096x64xbf16>
  return %o : tensor<2x8x4096x64xbf16>
}

//--- causal-64.mlir
func.func @f(%q: tensor<2x8x4096x64xbf16>, %k: tensor<2x8x4096x64xbf16>, %v: tensor<2x8x4096x64xbf16>) -> tensor<2x8x4096x64xbf16> {
  %o = smx.attention %q, %k, %v scale(0.1) mask(#smx.band<top_left, right = 0>) : tensor<2x8x4096x64xbf16>, tensor<2x8x4096x64xbf16>, tensor<2x8x4096x64xbf16> -> tensor<2x8x4096x64xbf16>
  return %o : tensor<2x8x4096x64xbf16>
}

//--- full-128.mlir
func.func @f(%q: tensor<2x8x4096x128xbf16>, %k: tensor<2x8x4096x128xbf16>, %v: tensor<2x8x4096x128xbf16>) -> tensor<2x8x4096x128xbf16> {
  %o = smx.attention %q, %k, %v scale(0.1) : tensor<2x8x4096x128xbf16>, tensor<2x8x4096x128xbf16>, tensor<2x8x4096x128xbf16> -> tensor<2x8x4096x128xbf16>
  return %o : tensor<2x8x4096x128xbf16>
}

//--- causal-128.mlir
func.func @f(%q: tensor<2x8x4096x128xbf16>, %k: tensor<2x8x4096x128xbf16>, %v: tensor<2x8x4096x128xbf16>) -> tensor<2x8x4096x128xbf16> {
  %o = smx.attention %q, %k, %v scale(0.1) mask(#smx.band<top_left, right = 0>) : tensor<2x8x4096x128xbf16>, tensor<2x8x4096x128xbf16>, tensor<2x8x4096x128xbf16> -> tensor<2x8x4096x128xbf16>
  return %o : tensor<2x8x4096x128xbf16>
}

//--- half-128.mlir
func.func @f(%q: tensor<2x8x4096x128xf16>, %k: tensor<2x8x4096x128xf16>, %v: tensor<2x8x4096x128xf16>) -> tensor<2x8x4096x128xf16> {
  %o = smx.attention %q, %k, %v scale(0.1) : tensor<2x8x4096x128xf16>, tensor<2x8x4096x128xf16>, tensor<2x8x4096x128xf16> -> tensor<2x8x4096x128xf16>
  return %o : tensor<2x8x4096x128xf16>
}

//--- window-128.mlir
func.func @f(%q: tensor<2x8x4096x128xbf16>, %k: tensor<2x8x4096x128xbf16>, %v: tensor<2x8x4096x128xbf16>) -> tensor<2x8x4096x128xbf16> {
  %o = smx.attention %q, %k, %v scale(0.1) mask(#smx.band<top_left, left = 1023, right = 0>) : tensor<2x8x4096x128xbf16>, tensor<2x8x4096x128xbf16>, tensor<2x8x4096x128xbf16> -> tensor<2x8x4096x128xbf16>
  return %o : tensor<2x8x4096x128xbf16>
}

//--- full-256.mlir
func.func @f(%q: tensor<2x8x4096x256xbf16>, %k: tensor<2x8x4096x256xbf16>, %v: tensor<2x8x4096x256xbf16>) -> tensor<2x8x4096x256xbf16> {
  %o = smx.attention %q, %k, %v scale(0.1) : tensor<2x8x4096x256xbf16>, tensor<2x8x4096x256xbf16>, tensor<2x8x4096x256xbf16> -> tensor<2x8x4096x256xbf16>
  return %o : tensor<2x8x4096x256xbf16>
}

//--- causal-256.mlir
func.func @f(%q: tensor<2x8x4096x256xbf16>, %k: tensor<2x8x4096x256xbf16>, %v: tensor<2x8x4096x256xbf16>) -> tensor<2x8x4096x256xbf16> {
  %o = smx.attention %q, %k, %v scale(0.1) mask(#smx.band<top_left, right = 0>) : tensor<2x8x4096x256xbf16>, tensor<2x8x4096x256xbf16>, tensor<2x8x4096x256xbf16> -> tensor<2x8x4096x256xbf16>
  return %o : tensor<2x8x4096x256xbf16>
}
