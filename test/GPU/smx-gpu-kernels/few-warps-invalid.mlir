// Tiles that the model chooses are for as many warps as it would take. Fewer, which a caller has chosen, are refused
// where registers do not hold such a tile, whatever the op, with what would work: so does each of it below.
// RUN: not softmax-compile %s --entry=attention --emit=gpu --warps=1 2>&1 | FileCheck %s --check-prefix=ATTENTION
// RUN: softmax-compile %s --entry=attention --emit=gpu --warps=2 | FileCheck %s --check-prefix=TWO
// RUN: softmax-compile %s --entry=attention --emit=gpu --warps=1 --tile-rows=64 | FileCheck %s --check-prefix=ONE
// ATTENTION: [[#@LINE+18]]:8: error: a tile of 128 rows is more than 64 for each of 1 warp; 2 warps (warps), or tiles of at most 64 rows (tile-rows), would work

// RUN: not softmax-compile %s --entry=row --emit=gpu --warps=1 2>&1 | FileCheck %s --check-prefix=ROW
// RUN: softmax-compile %s --entry=row --emit=gpu --warps=4 | FileCheck %s --check-prefix=FOUR
// RUN: softmax-compile %s --entry=row --emit=gpu --warps=1 --tile-stream=8192 | FileCheck %s --check-prefix=ONE
// ROW: error: a tile of 1 x 20000 elements is more than 256 for each of 32 threads; 4 warps (warps), or tiles of at most 8192 elements of a row (tile-stream), would work

// RUN: not softmax-compile %s --entry=columns --emit=gpu --chip=sm_90a --warps=1 2>&1 | FileCheck %s --check-prefix=COLUMNS
// RUN: softmax-compile %s --entry=columns --emit=gpu --chip=sm_90a --warps=2 | FileCheck %s --check-prefix=TWO
// RUN: softmax-compile %s --entry=columns --emit=gpu --chip=sm_90a --warps=1 --tile-rows=16 | FileCheck %s --check-prefix=ONE
// RUN: softmax-compile %s --entry=columns --emit=gpu --chip=sm_90a --warps=1 --tile-stream=64 | FileCheck %s --check-prefix=ONE
// COLUMNS: error: a tile of 128 x 512 elements is more than 256 for each of 32 threads; 2 warps (warps), or tiles of at most 16 rows (tile-rows) or 64 elements of a row (tile-stream), would work
// ONE: smx_gpu.kernel {{.*}} warps(1)
// TWO: smx_gpu.kernel {{.*}} warps(2)
// FOUR: smx_gpu.kernel {{.*}} warps(4)

!t = tensor<2x4x200x64xbf16>
func.func @attention(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.125) : !t, !t, !t -> !t
  return %o : !t
}

func.func @row(%x: tensor<512x20000xbf16>) -> tensor<512x20000xbf16> {
  %y = smx.softmax %x axis(1) : tensor<512x20000xbf16> -> tensor<512x20000xbf16>
  return %y : tensor<512x20000xbf16>
}

func.func @columns(%x: tensor<512x500xbf16>) -> tensor<512x500xbf16> {
  %y = smx.softmax %x axis(0) : tensor<512x500xbf16> -> tensor<512x500xbf16>
  return %y : tensor<512x500xbf16>
}
