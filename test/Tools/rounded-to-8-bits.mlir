// What a module rounds to f8E4M3FN is rounded so: to nearest, ties to even, NaN beyond its largest number; of f64 once, too.
// RUN: %python %S/Inputs/between_f8.py %t.npy
// RUN: softmax-run %s --entry=from_f32 --input=%t.npy --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=from_f32 --input=%t.npy --repeat=0 --target=emulator | FileCheck %s
// RUN: softmax-run %s --entry=from_f64 --input=%t.npy --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=from_f64 --input=%t.npy --repeat=0 --target=emulator | FileCheck %s
// RUN: softmax-run %s --entry=weights --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=weights --repeat=0 --target=emulator | FileCheck %s
// CHECK: against raised: pass

func.func @from_f32(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %n = arith.truncf %x : tensor<?x64xf32> to tensor<?x64xf8E4M3FN>
  %w = arith.extf %n : tensor<?x64xf8E4M3FN> to tensor<?x64xf32>
  return %w : tensor<?x64xf32>
}

func.func @from_f64(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %d = arith.extf %x : tensor<?x64xf32> to tensor<?x64xf64>
  // Beside the middles, where f32 has them.
  %more = arith.constant dense<1.000000000001> : tensor<64xf64>
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %x, %c0 : tensor<?x64xf32>
  %e = tensor.empty(%rows) : tensor<?x64xf64>
  %m = linalg.broadcast ins(%more : tensor<64xf64>) outs(%e : tensor<?x64xf64>) dimensions = [0]
  %y = arith.mulf %d, %m : tensor<?x64xf64>
  %n = arith.truncf %y : tensor<?x64xf64> to tensor<?x64xf8E4M3FN>
  %w = arith.extf %n : tensor<?x64xf8E4M3FN> to tensor<?x64xf32>
  return %w : tensor<?x64xf32>
}

func.func @weights(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %s = linalg.softmax dimension(1) ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = arith.truncf %a : f32 to f8E4M3FN
    %w = arith.extf %n : f8E4M3FN to f32
    linalg.yield %w : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
