// Constants that a module keeps outside of its text are read element by element, not as one number, and kernels have them.
// RUN: softmax-run %s --dims=5x4,9x4,9x4 --check=naive --repeat=0 | FileCheck %s
// RUN: softmax-run %s --dims=5x4,9x4,9x4 --target=emulator --check=naive --repeat=0 | FileCheck %s
// CHECK: against naive: pass

func.func @f(%q: tensor<?x4xf32>, %k: tensor<?x4xf32>, %v: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %bias = arith.constant dense_resource<bias> : tensor<5x9xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %h = arith.constant -1.0e30 : f32
  %n = tensor.dim %q, %c0 : tensor<?x4xf32>
  %s = tensor.dim %k, %c0 : tensor<?x4xf32>
  %off = arith.subi %s, %n : index
  %e = tensor.empty(%n, %s) : tensor<?x?xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %sc = linalg.matmul indexing_maps = [affine_map<(i,j,d)->(i,d)>,affine_map<(i,j,d)->(j,d)>,affine_map<(i,j,d)->(i,j)>] ins(%q, %k : tensor<?x4xf32>, tensor<?x4xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %m = linalg.generic {indexing_maps=[affine_map<(i,j)->(i,j)>,affine_map<(i,j)->(i,j)>], iterator_types=["parallel","parallel"]} ins(%sc : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
   ^bb0(%a: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %bb = tensor.extract %bias[%i, %j] : tensor<5x9xf32>
    %a2 = arith.addf %a, %bb : f32
    %c = arith.cmpi sle, %j, %i : index
    %r = arith.select %c, %a2, %h : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %p = linalg.softmax dimension(1) ins(%m : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %eo = tensor.empty(%n) : tensor<?x4xf32>
  %fo = linalg.fill ins(%z : f32) outs(%eo : tensor<?x4xf32>) -> tensor<?x4xf32>
  %o = linalg.matmul ins(%p, %v : tensor<?x?xf32>, tensor<?x4xf32>) outs(%fo : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %o : tensor<?x4xf32>
}

{-#
  dialect_resources: {
    builtin: {
      bias: "0x04000000dfa9e7beff25f83e369533bfcaf249f1caf249f1caf249f1caf249f1caf249f1caf249f1a4e1aabf4d65063f3ace593f9251163c6647aa3eac65ed3d89fb0d3e2e59c3bf7a8eeabe000080ff000080ff000080ff000080ff000080ff000080ff000080ff000080ff000080ffa90f253f90fcd83f82ca05c01c5b5b3ff1edf6bea7ec093ec774563f0aa88a3f7209853f4ad41e3e6d09ce3fffe190be905d10be48a24c3fbe260dbf4a4c0a405c75823fa03c0b40"
    }
  }
#-}
