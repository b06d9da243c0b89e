// What a log-sum-exp or a sum of weighted values reads is reduced itself: it is computed before, unless it is a product
// of a tile of rows and one of the stream. Other reductions of two operands have tiles of one row.
// RUN: softmax-run %s --entry=extrema --target=emulator --check=naive --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=extrema_of_one_row --target=emulator --check=naive --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=dots --target=emulator --check=naive --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=columns --target=emulator --check=naive --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=one_column --target=emulator --check=naive --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=batches --target=emulator --check=naive --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=distances --target=emulator --check=naive --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=integers --target=emulator --check=naive --repeat=0 | FileCheck %s
// CHECK: against naive: pass

#mn = affine_map<(m, n, k) -> (m, n)>
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mkn = affine_map<(m, n, k) -> (m, k, n)>
#nk = affine_map<(m, n, k) -> (n, k)>

func.func @extrema(%x: tensor<4x17x33xf32>) -> tensor<4xf32> {
  %lowest = arith.constant dense<0xFF800000> : tensor<4x33xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<4x17x33xf32>) outs(%lowest : tensor<4x33xf32>) dimensions = [1]
  %r = smx.logsumexp %m axis(1) : tensor<4x33xf32> -> tensor<4xf32>
  return %r : tensor<4xf32>
}

func.func @extrema_of_one_row(%x: tensor<1x17x33xf32>) -> tensor<1xf32> {
  %lowest = arith.constant dense<0xFF800000> : tensor<1x33xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<1x17x33xf32>) outs(%lowest : tensor<1x33xf32>) dimensions = [1]
  %r = smx.logsumexp %m axis(1) : tensor<1x33xf32> -> tensor<1xf32>
  return %r : tensor<1xf32>
}

func.func @dots(%a: tensor<5x16x33xf32>, %b: tensor<5x16xf32>, %v: tensor<5x33x8xf32>) -> tensor<5x8xf32> {
  %zero = arith.constant dense<0.0> : tensor<5x33xf32>
  %s = linalg.generic {indexing_maps = [#mkn, #mk, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<5x16x33xf32>, tensor<5x16xf32>) outs(%zero : tensor<5x33xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %t = arith.addf %p, %o : f32
    linalg.yield %t : f32
  } -> tensor<5x33xf32>
  %r = smx.softmax_dot %s, %v : tensor<5x33xf32>, tensor<5x33x8xf32> -> tensor<5x8xf32>
  return %r : tensor<5x8xf32>
}

func.func @columns(%a: tensor<33x16xf32>, %b: tensor<16x5xf32>) -> tensor<5xf32> {
  %zero = arith.constant dense<0.0> : tensor<33x5xf32>
  %s = linalg.matmul ins(%a, %b : tensor<33x16xf32>, tensor<16x5xf32>) outs(%zero : tensor<33x5xf32>) -> tensor<33x5xf32>
  %r = smx.logsumexp %s axis(0) : tensor<33x5xf32> -> tensor<5xf32>
  return %r : tensor<5xf32>
}

func.func @one_column(%a: tensor<33x16xf32>, %b: tensor<16x1xf32>) -> tensor<1xf32> {
  %zero = arith.constant dense<0.0> : tensor<33x1xf32>
  %s = linalg.matmul ins(%a, %b : tensor<33x16xf32>, tensor<16x1xf32>) outs(%zero : tensor<33x1xf32>) -> tensor<33x1xf32>
  %r = smx.logsumexp %s axis(0) : tensor<33x1xf32> -> tensor<1xf32>
  return %r : tensor<1xf32>
}

func.func @batches(%a: tensor<9x5x16xf32>, %b: tensor<9x16x7xf32>) -> tensor<5x7xf32> {
  %zero = arith.constant dense<0.0> : tensor<9x5x7xf32>
  %s = linalg.batch_matmul ins(%a, %b : tensor<9x5x16xf32>, tensor<9x16x7xf32>) outs(%zero : tensor<9x5x7xf32>) -> tensor<9x5x7xf32>
  %r = smx.logsumexp %s axis(0) : tensor<9x5x7xf32> -> tensor<5x7xf32>
  return %r : tensor<5x7xf32>
}

func.func @distances(%a: tensor<5x16xf32>, %b: tensor<33x16xf32>) -> tensor<5x33xf32> {
  %zero = arith.constant dense<0.0> : tensor<5x33xf32>
  %s = linalg.generic {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<5x16xf32>, tensor<33x16xf32>) outs(%zero : tensor<5x33xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %d = arith.subf %x, %y : f32
    %p = arith.mulf %d, %d : f32
    %t = arith.addf %p, %o : f32
    linalg.yield %t : f32
  } -> tensor<5x33xf32>
  return %s : tensor<5x33xf32>
}

func.func @integers(%a: tensor<5x16xi32>, %b: tensor<16x33xi32>) -> tensor<5x33xi32> {
  %zero = arith.constant dense<0> : tensor<5x33xi32>
  %s = linalg.matmul ins(%a, %b : tensor<5x16xi32>, tensor<16x33xi32>) outs(%zero : tensor<5x33xi32>) -> tensor<5x33xi32>
  return %s : tensor<5x33xi32>
}
