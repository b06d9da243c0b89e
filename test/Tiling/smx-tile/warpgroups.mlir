// RUN: softmax-opt %s --smx-online --smx-tile='blocks warpgroups shared-bytes=232448' --remarks-filter=smx-tile 2>&1 >/dev/null | FileCheck %s

// Tiles for two or three warpgroups of 64 rows.

!short_64 = tensor<2x1024x64xbf16>
!long_64 = tensor<2x4096x64xbf16>
!short_128 = tensor<2x1024x128xf16>
!short_256 = tensor<2x1024x256xbf16>

func.func @narrow(%q: !long_64, %k: !long_64, %v: !long_64) -> !long_64 {
  // CHECK: warpgroups.mlir:[[@LINE+1]]:{{.*}} rows=192, stream=128
  %o = smx.attention %q, %k, %v scale(0.125) : !long_64, !long_64, !long_64 -> !long_64
  return %o : !long_64
}

// Among few keys, tiles that begin under the end of the one before.
!few_64 = tensor<2x576x64xbf16>
func.func @narrow_few(%q: !few_64, %k: !few_64, %v: !few_64) -> !few_64 {
  // CHECK: warpgroups.mlir:[[@LINE+1]]:{{.*}} rows=128, stream=128
  %o = smx.attention %q, %k, %v scale(0.125) : !few_64, !few_64, !few_64 -> !few_64
  return %o : !few_64
}

// Two of three groups have no rows of the last tile, and leave it to the third one.
func.func @narrow_short(%q: !short_64, %k: !short_64, %v: !short_64) -> !short_64 {
  // CHECK: warpgroups.mlir:[[@LINE+1]]:{{.*}} rows=192, stream=128
  %o = smx.attention %q, %k, %v scale(0.125) : !short_64, !short_64, !short_64 -> !short_64
  return %o : !short_64
}

// Of 256 rows that would be a quarter of the time.
!rows_64 = tensor<2x256x64xbf16>
func.func @narrow_wasteful(%q: !rows_64, %k: !short_64, %v: !short_64) -> !rows_64 {
  // CHECK: warpgroups.mlir:[[@LINE+1]]:{{.*}} rows=128, stream=128
  %o = smx.attention %q, %k, %v scale(0.125) : !rows_64, !short_64, !short_64 -> !rows_64
  return %o : !rows_64
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

// Three groups read a tile of keys once; what fits beside 128 columns are 80 keys, where no mask takes registers.
!long_128 = tensor<2x4096x128xf16>
!ragged_128 = tensor<2x1300x128xf16>
!long_96 = tensor<2x4096x96xf16>
!odd_128 = tensor<2x3000x128xbf16>
!long_192 = tensor<2x4096x192xf16>
func.func @wide_long(%q: !long_128, %k: !long_128, %v: !long_128) -> !long_128 {
  // CHECK: warpgroups.mlir:[[@LINE+1]]:{{.*}} rows=192, stream=80
  %o = smx.attention %q, %k, %v scale(0.125) : !long_128, !long_128, !long_128 -> !long_128
  return %o : !long_128
}

func.func @wide_long_masked(%q: !long_128, %k: !long_128, %v: !long_128) -> !long_128 {
  // CHECK: warpgroups.mlir:[[@LINE+1]]:{{.*}} rows=128, stream=128
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.band<top_left, right = 0>) : !long_128, !long_128, !long_128 -> !long_128
  return %o : !long_128
}

// A function of scores takes few registers beside them.
func.func @wide_long_capped(%q: !long_128, %k: !long_128, %v: !long_128) -> !long_128 {
  // CHECK: warpgroups.mlir:[[@LINE+1]]:{{.*}} rows=192, stream=80
  %o = smx.attention %q, %k, %v scale(0.125) score {
  ^bb0(%s: f32, %b: index, %i: index, %j: index):
    %t = math.tanh %s : f32
    %two = arith.constant 2.0 : f32
    %u = arith.divf %t, %two : f32
    smx.yield %u : f32
  } : !long_128, !long_128, !long_128 -> !long_128
  return %o : !long_128
}

// Polynomials by range and quotients take many.
func.func @wide_long_erf(%q: !long_128, %k: !long_128, %v: !long_128) -> !long_128 {
  // CHECK: warpgroups.mlir:[[@LINE+1]]:{{.*}} rows=128, stream=128
  %o = smx.attention %q, %k, %v scale(0.125) score {
  ^bb0(%s: f32, %b: index, %i: index, %j: index):
    %t = math.erf %s : f32
    smx.yield %t : f32
  } : !long_128, !long_128, !long_128 -> !long_128
  return %o : !long_128
}

func.func @wide_long_quotient(%q: !long_128, %k: !long_128, %v: !long_128) -> !long_128 {
  // CHECK: warpgroups.mlir:[[@LINE+1]]:{{.*}} rows=128, stream=128
  %o = smx.attention %q, %k, %v scale(0.125) score {
  ^bb0(%s: f32, %b: index, %i: index, %j: index):
    %n = math.exp %s : f32
    %t = arith.divf %s, %n : f32
    smx.yield %t : f32
  } : !long_128, !long_128, !long_128 -> !long_128
  return %o : !long_128
}

// So few places take as well.
func.func @wide_long_placed(%q: !long_128, %k: !long_128, %v: !long_128) -> !long_128 {
  // CHECK: warpgroups.mlir:[[@LINE+1]]:{{.*}} rows=192, stream=80
  %o = smx.attention %q, %k, %v scale(0.125) score {
  ^bb0(%s: f32, %b: index, %i: index, %j: index):
    %n = arith.index_cast %j : index to i32
    %x = arith.sitofp %n : i32 to f32
    %t = arith.addf %s, %x : f32
    smx.yield %t : f32
  } : !long_128, !long_128, !long_128 -> !long_128
  return %o : !long_128
}

// 1300 rows are 7 tiles of 192 with 44 rows too many, or 11 of 128 with 108.
func.func @wide_ragged(%q: !ragged_128, %k: !long_128, %v: !long_128) -> !ragged_128 {
  // CHECK: warpgroups.mlir:[[@LINE+1]]:{{.*}} rows=192, stream=80
  %o = smx.attention %q, %k, %v scale(0.125) : !ragged_128, !long_128, !long_128 -> !ragged_128
  return %o : !ragged_128
}

// 1024 rows would be 6 tiles with 128 too many.
func.func @wide_wasteful(%q: !short_128, %k: !long_128, %v: !long_128) -> !short_128 {
  // CHECK: warpgroups.mlir:[[@LINE+1]]:{{.*}} rows=128, stream=128
  %o = smx.attention %q, %k, %v scale(0.125) : !short_128, !long_128, !long_128 -> !short_128
  return %o : !short_128
}

func.func @between(%q: !long_96, %k: !long_96, %v: !long_96) -> (!long_96, !long_96) {
  // CHECK: warpgroups.mlir:[[@LINE+1]]:{{.*}} rows=192, stream=96
  %o = smx.attention %q, %k, %v scale(0.125) : !long_96, !long_96, !long_96 -> !long_96
  // CHECK: warpgroups.mlir:[[@LINE+1]]:{{.*}} rows=192, stream=96
  %c = smx.attention %q, %k, %v scale(0.125) mask(#smx.band<top_left, right = 0>) : !long_96, !long_96, !long_96 -> !long_96
  return %o, %c : !long_96, !long_96
}

// Of wide keys two groups read less at a time.
func.func @wide_keys(%q: !long_192, %k: !long_192, %v: !long_128) -> !long_128 {
  // CHECK: warpgroups.mlir:[[@LINE+1]]:{{.*}} rows=128, stream=
  %o = smx.attention %q, %k, %v scale(0.125) : !long_192, !long_192, !long_128 -> !long_128
  return %o : !long_128
}

// What each score reads of its own takes registers beside the products; what scores share takes fewer.
// Tiles of a bias are copied as keys are, and take shared memory: three groups where registers have room beside what a round holds.
func.func @bias_of_pairs(%q: !long_128, %k: !long_128, %v: !long_128, %bias: tensor<2x4096x4096xbf16>) -> !long_128 {
  // CHECK: warpgroups.mlir:[[@LINE+1]]:{{.*}} rows=192, stream=64
  %o = smx.attention %q, %k, %v scale(0.125) score {
  ^bb0(%s: f32, %b: index, %i: index, %j: index):
    %x = tensor.extract %bias[%b, %i, %j] : tensor<2x4096x4096xbf16>
    %wide = arith.extf %x : bf16 to f32
    %t = arith.addf %s, %wide : f32
    smx.yield %t : f32
  } : !long_128, !long_128, !long_128 -> !long_128
  return %o : !long_128
}

func.func @bias_of_pairs_masked(%q: !long_128, %k: !long_128, %v: !long_128, %bias: tensor<4096x4096xf16>) -> !long_128 {
  // CHECK: warpgroups.mlir:[[@LINE+1]]:{{.*}} rows=128, stream=128
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.band<top_left, right = 0>) score {
  ^bb0(%s: f32, %b: index, %i: index, %j: index):
    %x = tensor.extract %bias[%i, %j] : tensor<4096x4096xf16>
    %wide = arith.extf %x : f16 to f32
    %t = arith.addf %s, %wide : f32
    smx.yield %t : f32
  } : !long_128, !long_128, !long_128 -> !long_128
  return %o : !long_128
}

func.func @bias_of_wide_pairs_masked(%q: !long_128, %k: !long_128, %v: !long_128, %bias: tensor<4096x4096xf32>) -> !long_128 {
  // CHECK: warpgroups.mlir:[[@LINE+1]]:{{.*}} rows=128, stream=96
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.band<top_left, right = 0>) score {
  ^bb0(%s: f32, %b: index, %i: index, %j: index):
    %x = tensor.extract %bias[%i, %j] : tensor<4096x4096xf32>
    %t = arith.addf %s, %x : f32
    smx.yield %t : f32
  } : !long_128, !long_128, !long_128 -> !long_128
  return %o : !long_128
}

// No room for the last 64 keys beside 96, with two stages of these.
func.func @bias_of_wide_pairs(%q: !long_128, %k: !long_128, %v: !long_128, %bias: tensor<2x4096x4096xf32>) -> !long_128 {
  // CHECK: warpgroups.mlir:[[@LINE+1]]:{{.*}} rows=128, stream=64
  %o = smx.attention %q, %k, %v scale(0.125) score {
  ^bb0(%s: f32, %b: index, %i: index, %j: index):
    %x = tensor.extract %bias[%b, %i, %j] : tensor<2x4096x4096xf32>
    %t = arith.addf %s, %x : f32
    smx.yield %t : f32
  } : !long_128, !long_128, !long_128 -> !long_128
  return %o : !long_128
}

func.func @bias_of_capped_scores(%q: !long_128, %k: !long_128, %v: !long_128, %bias: tensor<4096x4096xbf16>) -> !long_128 {
  // CHECK: warpgroups.mlir:[[@LINE+1]]:{{.*}} rows=128, stream=128
  %o = smx.attention %q, %k, %v scale(0.125) score {
  ^bb0(%s: f32, %b: index, %i: index, %j: index):
    %x = tensor.extract %bias[%i, %j] : tensor<4096x4096xbf16>
    %wide = arith.extf %x : bf16 to f32
    %capped = math.tanh %s fastmath<afn> : f32
    %t = arith.addf %capped, %wide : f32
    smx.yield %t : f32
  } : !long_128, !long_128, !long_128 -> !long_128
  return %o : !long_128
}

// What threads read takes their registers: memory has columns where scores have rows, or rows of bytes that a copy does not take.
func.func @bias_across(%q: !long_128, %k: !long_128, %v: !long_128, %bias: tensor<4096x4096xbf16>) -> !long_128 {
  // CHECK: warpgroups.mlir:[[@LINE+1]]:{{.*}} rows=128, stream=96
  %o = smx.attention %q, %k, %v scale(0.125) score {
  ^bb0(%s: f32, %b: index, %i: index, %j: index):
    %x = tensor.extract %bias[%j, %i] : tensor<4096x4096xbf16>
    %wide = arith.extf %x : bf16 to f32
    %t = arith.addf %s, %wide : f32
    smx.yield %t : f32
  } : !long_128, !long_128, !long_128 -> !long_128
  return %o : !long_128
}

func.func @bias_of_odd_rows(%q: !long_128, %k: !long_128, %v: !long_128, %bias: tensor<4096x4100xbf16>) -> !long_128 {
  // CHECK: warpgroups.mlir:[[@LINE+1]]:{{.*}} rows=128, stream=96
  %o = smx.attention %q, %k, %v scale(0.125) score {
  ^bb0(%s: f32, %b: index, %i: index, %j: index):
    %x = tensor.extract %bias[%i, %j] : tensor<4096x4100xbf16>
    %wide = arith.extf %x : bf16 to f32
    %t = arith.addf %s, %wide : f32
    smx.yield %t : f32
  } : !long_128, !long_128, !long_128 -> !long_128
  return %o : !long_128
}

func.func @bias_beside_narrow(%q: !short_64, %k: !short_64, %v: !short_64, %bias: tensor<1024x1024xf32>) -> !short_64 {
  // CHECK: warpgroups.mlir:[[@LINE+1]]:{{.*}} rows=128, stream=96
  %o = smx.attention %q, %k, %v scale(0.125) score {
  ^bb0(%s: f32, %b: index, %i: index, %j: index):
    %x = tensor.extract %bias[%i, %j] : tensor<1024x1024xf32>
    %t = arith.addf %s, %x : f32
    smx.yield %t : f32
  } : !short_64, !short_64, !short_64 -> !short_64
  return %o : !short_64
}

// Rows that all rows of scores read take few registers beside the products, two elements in an access; what a distance decides is read one
// by one.
func.func @bias_of_keys(%q: !long_128, %k: !long_128, %v: !long_128, %bias: tensor<2x4096xbf16>) -> !long_128 {
  // CHECK: warpgroups.mlir:[[@LINE+1]]:{{.*}} rows=192, stream=80
  %o = smx.attention %q, %k, %v scale(0.125) score {
  ^bb0(%s: f32, %b: index, %i: index, %j: index):
    %x = tensor.extract %bias[%b, %j] : tensor<2x4096xbf16>
    %e = arith.extf %x : bf16 to f32
    %t = arith.addf %s, %e : f32
    smx.yield %t : f32
  } : !long_128, !long_128, !long_128 -> !long_128
  return %o : !long_128
}

func.func @wide_bias_of_keys(%q: !long_128, %k: !long_128, %v: !long_128, %bias: tensor<2x4096xf32>) -> !long_128 {
  // CHECK: warpgroups.mlir:[[@LINE+1]]:{{.*}} rows=128, stream=128
  %o = smx.attention %q, %k, %v scale(0.125) score {
  ^bb0(%s: f32, %b: index, %i: index, %j: index):
    %x = tensor.extract %bias[%b, %j] : tensor<2x4096xf32>
    %t = arith.addf %s, %x : f32
    smx.yield %t : f32
  } : !long_128, !long_128, !long_128 -> !long_128
  return %o : !long_128
}

func.func @bias_of_keys_between(%q: !long_96, %k: !long_96, %v: !long_96, %bias: tensor<2x4096xbf16>) -> !long_96 {
  // CHECK: warpgroups.mlir:[[@LINE+1]]:{{.*}} rows=192, stream=80
  %o = smx.attention %q, %k, %v scale(0.125) score {
  ^bb0(%s: f32, %b: index, %i: index, %j: index):
    %x = tensor.extract %bias[%b, %j] : tensor<2x4096xbf16>
    %e = arith.extf %x : bf16 to f32
    %t = arith.addf %s, %e : f32
    smx.yield %t : f32
  } : !long_96, !long_96, !long_96 -> !long_96
  return %o : !long_96
}

func.func @bias_of_keys_narrow(%q: !long_64, %k: !long_64, %v: !long_64, %bias: tensor<2x4096xbf16>) -> !long_64 {
  // CHECK: warpgroups.mlir:[[@LINE+1]]:{{.*}} rows=192, stream=96
  %o = smx.attention %q, %k, %v scale(0.125) score {
  ^bb0(%s: f32, %b: index, %i: index, %j: index):
    %x = tensor.extract %bias[%b, %j] : tensor<2x4096xbf16>
    %e = arith.extf %x : bf16 to f32
    %t = arith.addf %s, %e : f32
    smx.yield %t : f32
  } : !long_64, !long_64, !long_64 -> !long_64
  return %o : !long_64
}

func.func @bias_of_odd_keys(%q: !odd_128, %k: !odd_128, %v: !odd_128, %bias: tensor<2x3000xbf16>) -> !odd_128 {
  // CHECK: warpgroups.mlir:[[@LINE+1]]:{{.*}} rows=192, stream=80
  %o = smx.attention %q, %k, %v scale(0.125) score {
  ^bb0(%s: f32, %b: index, %i: index, %j: index):
    %x = tensor.extract %bias[%b, %j] : tensor<2x3000xbf16>
    %e = arith.extf %x : bf16 to f32
    %t = arith.addf %s, %e : f32
    smx.yield %t : f32
  } : !odd_128, !odd_128, !odd_128 -> !odd_128
  return %o : !odd_128
}

func.func @bias_of_unaligned_keys(%q: !odd_128, %k: !odd_128, %v: !odd_128, %bias: tensor<2x3001xbf16>) -> !odd_128 {
  // CHECK: warpgroups.mlir:[[@LINE+1]]:{{.*}} rows=128, stream=128
  %o = smx.attention %q, %k, %v scale(0.125) score {
  ^bb0(%s: f32, %b: index, %i: index, %j: index):
    %x = tensor.extract %bias[%b, %j] : tensor<2x3001xbf16>
    %e = arith.extf %x : bf16 to f32
    %t = arith.addf %s, %e : f32
    smx.yield %t : f32
  } : !odd_128, !odd_128, !odd_128 -> !odd_128
  return %o : !odd_128
}

func.func @bias_of_distances(%q: !long_128, %k: !long_128, %v: !long_128, %bias: tensor<2x8192xf32>) -> !long_128 {
  // CHECK: warpgroups.mlir:[[@LINE+1]]:{{.*}} rows=128, stream=128
  %o = smx.attention %q, %k, %v scale(0.125) score {
  ^bb0(%s: f32, %b: index, %i: index, %j: index):
    %c4095 = arith.constant 4095 : index
    %far = arith.addi %j, %c4095 : index
    %at = arith.subi %far, %i : index
    %x = tensor.extract %bias[%b, %at] : tensor<2x8192xf32>
    %t = arith.addf %s, %x : f32
    smx.yield %t : f32
  } : !long_128, !long_128, !long_128 -> !long_128
  return %o : !long_128
}

func.func @bias_of_odd_distances(%q: !odd_128, %k: !odd_128, %v: !odd_128, %bias: tensor<2x6000xf32>) -> !odd_128 {
  // CHECK: warpgroups.mlir:[[@LINE+1]]:{{.*}} rows=128, stream=128
  %o = smx.attention %q, %k, %v scale(0.125) score {
  ^bb0(%s: f32, %b: index, %i: index, %j: index):
    %c2999 = arith.constant 2999 : index
    %far = arith.addi %j, %c2999 : index
    %at = arith.subi %far, %i : index
    %x = tensor.extract %bias[%b, %at] : tensor<2x6000xf32>
    %t = arith.addf %s, %x : f32
    smx.yield %t : f32
  } : !odd_128, !odd_128, !odd_128 -> !odd_128
  return %o : !odd_128
}

func.func @two_biases(%q: !long_128, %k: !long_128, %v: !long_128, %bias: tensor<2x4096xf32>, %other: tensor<2x4096xf32>) -> !long_128 {
  // CHECK: warpgroups.mlir:[[@LINE+1]]:{{.*}} rows=128, stream=128
  %o = smx.attention %q, %k, %v scale(0.125) score {
  ^bb0(%s: f32, %b: index, %i: index, %j: index):
    %x = tensor.extract %bias[%b, %j] : tensor<2x4096xf32>
    %y = tensor.extract %other[%b, %i] : tensor<2x4096xf32>
    %u = arith.addf %s, %x : f32
    %t = arith.addf %u, %y : f32
    smx.yield %t : f32
  } : !long_128, !long_128, !long_128 -> !long_128
  return %o : !long_128
}

// Scores that are computed from their places hide that behind a third group, also under a mask with one edge.
func.func @slopes(%q: !long_128, %k: !long_128, %v: !long_128, %slopes: tensor<2xf32>) -> !long_128 {
  // CHECK: warpgroups.mlir:[[@LINE+1]]:{{.*}} rows=192, stream=80
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.band<top_left, right = 0>) score {
  ^bb0(%s: f32, %b: index, %i: index, %j: index):
    %slope = tensor.extract %slopes[%b] : tensor<2xf32>
    %n = arith.index_cast %j : index to i32
    %x = arith.sitofp %n : i32 to f32
    %y = arith.mulf %x, %slope : f32
    %t = arith.addf %s, %y : f32
    smx.yield %t : f32
  } : !long_128, !long_128, !long_128 -> !long_128
  return %o : !long_128
}

func.func @slopes_cut_twice(%q: !long_128, %k: !long_128, %v: !long_128, %slopes: tensor<2xf32>) -> !long_128 {
  // CHECK: warpgroups.mlir:[[@LINE+1]]:{{.*}} rows=128, stream=128
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.prefix<top_left, length = 1000>) score {
  ^bb0(%s: f32, %b: index, %i: index, %j: index):
    %slope = tensor.extract %slopes[%b] : tensor<2xf32>
    %n = arith.index_cast %j : index to i32
    %x = arith.sitofp %n : i32 to f32
    %y = arith.mulf %x, %slope : f32
    %t = arith.addf %s, %y : f32
    smx.yield %t : f32
  } : !long_128, !long_128, !long_128 -> !long_128
  return %o : !long_128
}

// A number for each head takes no registers; what is neither a sum nor a product takes those of 32 keys beside a narrow sum.
func.func @temperature(%q: !long_64, %k: !long_64, %v: !long_64, %temperatures: tensor<2xf32>) -> !long_64 {
  // CHECK: warpgroups.mlir:[[@LINE+1]]:{{.*}} rows=192, stream=128
  %o = smx.attention %q, %k, %v scale(0.125) score {
  ^bb0(%s: f32, %b: index, %i: index, %j: index):
    %x = tensor.extract %temperatures[%b] : tensor<2xf32>
    %t = arith.mulf %s, %x : f32
    smx.yield %t : f32
  } : !long_64, !long_64, !long_64 -> !long_64
  return %o : !long_64
}

func.func @narrow_capped(%q: !long_64, %k: !long_64, %v: !long_64) -> !long_64 {
  // CHECK: warpgroups.mlir:[[@LINE+1]]:{{.*}} rows=192, stream=96
  %o = smx.attention %q, %k, %v scale(0.125) score {
  ^bb0(%s: f32, %b: index, %i: index, %j: index):
    %t = math.tanh %s : f32
    smx.yield %t : f32
  } : !long_64, !long_64, !long_64 -> !long_64
  return %o : !long_64
}

// Head dims count as products pad them: 104 as 128, and 176 as 192.
!long_104 = tensor<2x4096x104xbf16>
!long_160 = tensor<2x4096x160xbf16>
!long_176 = tensor<2x4096x176xbf16>
!short_96 = tensor<2x1024x96xbf16>
func.func @padded(%q: !long_104, %k: !long_104, %v: !long_104) -> !long_104 {
  // CHECK: warpgroups.mlir:[[@LINE+1]]:{{.*}} rows=192, stream=80
  %o = smx.attention %q, %k, %v scale(0.125) : !long_104, !long_104, !long_104 -> !long_104
  return %o : !long_104
}

// Shorter rows than beside wider sums have three groups.
func.func @middle_short(%q: !short_96, %k: !short_96, %v: !short_96) -> !short_96 {
  // CHECK: warpgroups.mlir:[[@LINE+1]]:{{.*}} rows=192, stream=96
  %o = smx.attention %q, %k, %v scale(0.125) : !short_96, !short_96, !short_96 -> !short_96
  return %o : !short_96
}

// Up to 160 columns two groups have 128 keys; up to 192 they have 80 without a mask, and 96 under one that does not cut most tiles.
func.func @wider(%q: !long_160, %k: !long_160, %v: !long_160) -> !long_160 {
  // CHECK: warpgroups.mlir:[[@LINE+1]]:{{.*}} rows=128, stream=128
  %o = smx.attention %q, %k, %v scale(0.125) : !long_160, !long_160, !long_160 -> !long_160
  return %o : !long_160
}

func.func @wider_still(%q: !long_176, %k: !long_176, %v: !long_176) -> (!long_176, !long_176, !long_176) {
  // CHECK: warpgroups.mlir:[[@LINE+1]]:{{.*}} rows=128, stream=80
  %o = smx.attention %q, %k, %v scale(0.125) : !long_176, !long_176, !long_176 -> !long_176
  // CHECK: warpgroups.mlir:[[@LINE+1]]:{{.*}} rows=128, stream=96
  %c = smx.attention %q, %k, %v scale(0.125) mask(#smx.band<top_left, right = 0>) : !long_176, !long_176, !long_176 -> !long_176
  // CHECK: warpgroups.mlir:[[@LINE+1]]:{{.*}} rows=128, stream=64
  %w = smx.attention %q, %k, %v scale(0.125) mask(#smx.band<top_left, left = 1000, right = 0>) : !long_176, !long_176, !long_176 -> !long_176
  return %o, %c, %w : !long_176, !long_176, !long_176
}

// What scores read for themselves takes registers that the widest sums leave to nobody.
func.func @bias_beside_wider(%q: !long_160, %k: !long_160, %v: !long_160, %bias: tensor<4096x4100xbf16>) -> !long_160 {
  // CHECK: warpgroups.mlir:[[@LINE+1]]:{{.*}} rows=128, stream=64
  %o = smx.attention %q, %k, %v scale(0.125) score {
  ^bb0(%s: f32, %b: index, %i: index, %j: index):
    %x = tensor.extract %bias[%i, %j] : tensor<4096x4100xbf16>
    %wide = arith.extf %x : bf16 to f32
    %t = arith.addf %s, %wide : f32
    smx.yield %t : f32
  } : !long_160, !long_160, !long_160 -> !long_160
  return %o : !long_160
}
