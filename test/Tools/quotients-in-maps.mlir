// Heads that share keys, as quotients of indices, and rows that come again, as remainders: the reference reads them as the code does.
// RUN: softmax-run %s --entry=grouped --target=cpu --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=grouped --target=emulator --repeat=0 | FileCheck %s
// RUN: not softmax-run %s --entry=beyond --target=cpu --repeat=0 2>&1 | FileCheck %s --check-prefix=BEYOND
// CHECK: against raised: pass
// BEYOND: quotients-in-maps.mlir:28:8: 'linalg.generic' has an index 4 of a dimension with extent 4

#all = affine_map<(b, h, i, j) -> (b, h, i, j)>
#shared = affine_map<(b, h, i, j) -> (b, h floordiv 4, i, j)>
#again = affine_map<(b, h, i, j) -> (i mod 8, j ceildiv 2)>

func.func @grouped(%x: tensor<2x8x16x64xf32>, %y: tensor<2x2x16x64xf32>, %z: tensor<8x33xf32>) -> tensor<2x8x16x64xf32> {
  %e = tensor.empty() : tensor<2x8x16x64xf32>
  %a = linalg.generic {indexing_maps = [#all, #shared, #again, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x, %y, %z : tensor<2x8x16x64xf32>, tensor<2x2x16x64xf32>, tensor<8x33xf32>) outs(%e : tensor<2x8x16x64xf32>) {
  ^bb0(%p: f32, %q: f32, %r: f32, %o: f32):
    %s = arith.addf %p, %q : f32
    %t = arith.subf %s, %r : f32
    linalg.yield %t : f32
  } -> tensor<2x8x16x64xf32>
  %w = smx.softmax %a axis(3) : tensor<2x8x16x64xf32> -> tensor<2x8x16x64xf32>
  return %w : tensor<2x8x16x64xf32>
}

// The last index is 0 again, but not the largest.
func.func @beyond(%x: tensor<17xf32>, %y: tensor<4xf32>) -> tensor<17xf32> {
  %e = tensor.empty() : tensor<17xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i mod 8)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<17xf32>, tensor<4xf32>) outs(%e : tensor<17xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.addf %p, %q : f32
    linalg.yield %s : f32
  } -> tensor<17xf32>
  %w = smx.softmax %a axis(0) : tensor<17xf32> -> tensor<17xf32>
  return %w : tensor<17xf32>
}
