//===- Modules.h - modules that several tests compile -----------*- C++ -*-===//
#ifndef SMX_TEST_UNIT_RUNTIME_MODULES_H
#define SMX_TEST_UNIT_RUNTIME_MODULES_H

/// A softmax over rows of 100, with any number of rows.
inline constexpr char softmaxModule[] = R"mlir(
func.func @softmax(%x: tensor<?x100xf32>) -> tensor<?x100xf32> {
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %x, %c0 : tensor<?x100xf32>
  %empty = tensor.empty(%rows) : tensor<?x100xf32>
  %y = linalg.softmax dimension(1) ins(%x : tensor<?x100xf32>)
                      outs(%empty : tensor<?x100xf32>) -> tensor<?x100xf32>
  return %y : tensor<?x100xf32>
})mlir";

/// y = scale * x, and the sums of the rows of y.
inline constexpr char scaleModule[] = R"mlir(
#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
func.func @scale(%x: tensor<?x8xf32>, %scale: f32) -> (tensor<?x8xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %rows = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e0 = tensor.empty(%rows) : tensor<?x8xf32>
  %y = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x8xf32>) outs(%e0 : tensor<?x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.mulf %in, %scale : f32
    linalg.yield %0 : f32
  } -> tensor<?x8xf32>
  %e1 = tensor.empty(%rows) : tensor<?xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
  %sums = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%y : tensor<?x8xf32>) outs(%f1 : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<?xf32>
  return %y, %sums : tensor<?x8xf32>, tensor<?xf32>
})mlir";

#endif // SMX_TEST_UNIT_RUNTIME_MODULES_H
