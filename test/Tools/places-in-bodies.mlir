// RUN: softmax-run %s --check=naive --repeat=0 | FileCheck %s
// RUN: softmax-run %s --check=naive --repeat=0 --target=emulator | FileCheck %s

// Places that a body computes by an affine map, with quotients of negative numbers, are known to the check.
// CHECK: against naive: pass
func.func @places(%x: tensor<7x12xf32>) -> tensor<7x12xf32> {
  %e = tensor.empty() : tensor<7x12xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<7x12xf32>) outs(%e : tensor<7x12xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = affine.apply affine_map<(i)[j] -> ((i * 3 - j) floordiv 4 + j mod 5 - i ceildiv 2)>(%i)[%j]
    %n = arith.index_cast %k : index to i32
    %f = arith.sitofp %n : i32 to f32
    %r = arith.mulf %a, %f : f32
    linalg.yield %r : f32
  } -> tensor<7x12xf32>
  return %y : tensor<7x12xf32>
}
