// Textbook attention of which no extent is known: the result knows less of its own than what is raised.
// RUN: softmax-run %s --dims=7x16,16x9,9x5 --check=naive --repeat=0 --target=emulator | FileCheck %s
// RUN: softmax-run %s --dims=7x16,16x9,9x5 --check=naive --repeat=0 | FileCheck %s
// CHECK: against naive: pass
func.func @open_attention(%q: tensor<?x?xf32>, %k: tensor<?x?xf32>, %v: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %rows = tensor.dim %q, %c0 : tensor<?x?xf32>
  %keys = tensor.dim %k, %c1 : tensor<?x?xf32>
  %columns = tensor.dim %v, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%rows, %keys) : tensor<?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %s = linalg.matmul ins(%q, %k : tensor<?x?xf32>, tensor<?x?xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %e2 = tensor.empty(%rows, %columns) : tensor<?x?xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %o = linalg.matmul ins(%p, %v : tensor<?x?xf32>, tensor<?x?xf32>) outs(%f2 : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %o : tensor<?x?xf32>
}
