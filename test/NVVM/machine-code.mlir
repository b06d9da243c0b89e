// What ptxas makes of the loops over keys: no local memory, no value that goes back to a uniform register, no barrier where paths meet;
// of a score one multiply-add and one exponential, and two more exponentials for both rows that a thread rescales. Where a maximum
// may rise within a tile, the loop holds the way that takes its exponentials again.
// REQUIRES: softmax-compile, ptxas, nvdisasm
// DEFINE: %{loops} = softmax-compile - --alignment=16 --emit=ptx --chip=sm_90a | %loops sm_90a - | FileCheck %s
// RUN: sed 's/DIM/64/; s/TYPE/bf16/; s/MASK//' %s | %{loops} --check-prefix=FULL-64
// RUN: sed 's/DIM/64/; s/TYPE/bf16/; s/MASK/mask(#smx.band<top_left, right = 0>)/' %s | %{loops} --check-prefix=CAUSAL-64
// RUN: sed 's/DIM/128/; s/TYPE/bf16/; s/MASK//' %s | %{loops} --check-prefix=FULL-128
// RUN: sed 's/DIM/128/; s/TYPE/f16/; s/MASK//' %s | %{loops} --check-prefix=HALF-128
// RUN: sed 's/DIM/128/; s/TYPE/bf16/; s/MASK/mask(#smx.band<top_left, right = 0>)/' %s | %{loops} --check-prefix=CAUSAL-128
// RUN: sed 's/DIM/128/; s/TYPE/bf16/; s/MASK/mask(#smx.band<top_left, left = 1023, right = 0>)/' %s | %{loops} --check-prefix=WINDOW-128
// RUN: sed 's/DIM/256/; s/TYPE/bf16/; s/MASK//' %s | %{loops} --check-prefix=FULL-256
// RUN: sed 's/DIM/256/; s/TYPE/bf16/; s/MASK/mask(#smx.band<top_left, right = 0>)/' %s | %{loops} --check-prefix=CAUSAL-256

!t = tensor<2x8x4096xDIMxTYPE>
func.func @attention(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.1) MASK : !t, !t, !t -> !t
  return %o : !t
}

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
