// Walks whose last wave is not shared, and why.
// RUN: softmax-opt %s --smx-to-gpu='alignment=16 chip=sm_90a' --split-input-file | FileCheck %s
// RUN: softmax-opt %s --smx-to-gpu='alignment=16 chip=sm_90a' --split-input-file --remarks-filter=smx-gpu-share-last-wave 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// CHECK-NOT: smx_gpu.await

// 264 tiles.
// REMARK: the last wave is not shared: every wave is a whole one
!t = tensor<1x12x4224x128xbf16>
func.func @full(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.088) : !t, !t, !t -> !t
  return %o : !t
}

// -----

// 2048 tiles of 8 rounds.
// REMARK: the last wave is not shared: tiles have too few rounds
!t = tensor<16x16x1024x128xbf16>
func.func @short(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.088) : !t, !t, !t -> !t
  return %o : !t
}

// -----

// 140 tiles, 8 of them in the last wave.
// REMARK: the last wave is not shared: too many blocks would share a tile
!t = tensor<1x10x2688x128xbf16>
func.func @few_last(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.088) : !t, !t, !t -> !t
  return %o : !t
}

// -----

// 7052 tiles, 56 in the last wave of 54.
// REMARK: the last wave is not shared: it would not save enough
!t = tensor<1x82x16384x128xbf16>
func.func @long_walk(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.088) : !t, !t, !t -> !t
  return %o : !t
}

// -----

// Rounds end at the diagonal.
// REMARK: the last wave is not shared: the rounds of a tile are no known number, the same for all
!t = tensor<1x10x2688x128xbf16>
func.func @causal(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.088) mask(#smx.band<top_left, right = 0>) : !t, !t, !t -> !t
  return %o : !t
}

// -----

// REMARK: the last wave is not shared: the number of tiles is open
!t = tensor<1x?x2688x128xbf16>
func.func @open_heads(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.088) : !t, !t, !t -> !t
  return %o : !t
}

// -----

// A bias for each key. Where keys are left over, their scores stay behind the sum of the rounds, too.
// REMARK: the last wave is not shared: rounds read numbers for scores
!t = tensor<4x16x4096x128xbf16>
func.func @key_bias(%q: !t, %k: !t, %v: !t, %bias: tensor<4x4096xbf16>) -> !t {
  %o = smx.attention %q, %k, %v scale(0.088) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %x = tensor.extract %bias[%b, %j] : tensor<4x4096xbf16>
    %e = arith.extf %x : bf16 to f32
    %t = arith.addf %s, %e : f32
    smx.yield %t : f32
  } : !t, !t, !t -> !t
  return %o : !t
}
