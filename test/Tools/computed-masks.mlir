// What a mask reads may be computed by the function: it is computed before, whatever its dimensions are.
// RUN: softmax-run %s --entry=summed --check=naive --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=summed --target=emulator --check=naive --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=summed --target=emulator --chip=sm_90a --check=naive --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=compared --target=emulator --check=naive --repeat=0 | FileCheck %s
// CHECK: against naive: pass

!q = tensor<2x4x9x16xf32>
!k = tensor<2x2x64x16xf32>

// Lengths are the sums of a padding mask.
func.func @summed(%q: !q, %k: !k, %padding: tensor<2x64xi1>) -> !q {
  %zero = arith.constant dense<0> : tensor<2xi64>
  %lengths = linalg.generic {indexing_maps = [affine_map<(b, j) -> (b, j)>, affine_map<(b, j) -> (b)>], iterator_types = ["parallel", "reduction"]}
      ins(%padding : tensor<2x64xi1>) outs(%zero : tensor<2xi64>) {
  ^bb0(%a: i1, %o: i64):
    %x = arith.extui %a : i1 to i64
    %s = arith.addi %x, %o : i64
    linalg.yield %s : i64
  } -> tensor<2xi64>
  %o = smx.attention %q, %k, %k scale(0.25) mask(#smx.key_lengths<causal>) reads(%lengths : tensor<2xi64>) : !q, !k, !k -> !q
  return %o : !q
}

func.func @compared(%q: !q, %k: !k, %scores: tensor<2x1x3x4xf32>) -> !q {
  %e = tensor.empty() : tensor<2x1x3x4xi8>
  %zero = arith.constant 0.0 : f32
  %blocks = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%scores : tensor<2x1x3x4xf32>) outs(%e : tensor<2x1x3x4xi8>) {
  ^bb0(%a: f32, %o: i8):
    %s = arith.cmpf ogt, %a, %zero : f32
    %t = arith.extui %s : i1 to i8
    linalg.yield %t : i8
  } -> tensor<2x1x3x4xi8>
  %o = smx.attention %q, %k, %k scale(0.25) mask(#smx.blocks<rows = 4, keys = 16>) reads(%blocks : tensor<2x1x3x4xi8>) : !q, !k, !k -> !q
  return %o : !q
}
