// What is computed from a row that is written tile by tile is not computed with its last one: no tile of it is there whole.
// RUN: softmax-run %s --entry=with_a_tail --target=emulator --chip=sm_80 --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=open --dims=2x50257 --target=emulator --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=columns --target=emulator --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=first_of_all --target=emulator --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=first_of_all --repeat=0 | FileCheck %s
// CHECK: against raised: pass
#all = affine_map<(i, j) -> (i, j)>
func.func @with_a_tail(%x: tensor<4x36000xf32>) -> tensor<4x36000xf32> {
  %y = smx.softmax %x axis(1) : tensor<4x36000xf32> -> tensor<4x36000xf32>
  %e = tensor.empty() : tensor<4x36000xf32>
  %w = linalg.negf ins(%y : tensor<4x36000xf32>) outs(%e : tensor<4x36000xf32>) -> tensor<4x36000xf32>
  return %w : tensor<4x36000xf32>
}
func.func @open(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %x, %c0 : tensor<?x?xf32>
  %length = tensor.dim %x, %c1 : tensor<?x?xf32>
  %y = smx.softmax %x axis(1) : tensor<?x?xf32> -> tensor<?x?xf32>
  %e = tensor.empty(%rows, %length) : tensor<?x?xf32>
  %w = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.negf %a : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %w : tensor<?x?xf32>
}
func.func @columns(%x: tensor<1559x70xbf16>) -> tensor<1559x70xbf16> {
  %y = smx.softmax %x axis(0) : tensor<1559x70xbf16> -> tensor<1559x70xbf16>
  %e = tensor.empty() : tensor<1559x70xbf16>
  %w = linalg.negf ins(%y : tensor<1559x70xbf16>) outs(%e : tensor<1559x70xbf16>) -> tensor<1559x70xbf16>
  return %w : tensor<1559x70xbf16>
}

// What reads other elements of the row than its own waits for all of them.
func.func @first_of_all(%x: tensor<64x256xf32>) -> tensor<64x256xf32> {
  %c0 = arith.constant 0 : index
  %y = smx.softmax %x axis(1) : tensor<64x256xf32> -> tensor<64x256xf32>
  %e = tensor.empty() : tensor<64x256xf32>
  %w = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<64x256xf32>) outs(%e : tensor<64x256xf32>) {
  ^bb0(%a: f32, %o: f32):
    %first = tensor.extract %y[%c0, %c0] : tensor<64x256xf32>
    %r = arith.mulf %a, %first : f32
    linalg.yield %r : f32
  } -> tensor<64x256xf32>
  return %w : tensor<64x256xf32>
}
