// Operands that are read backwards, along a diagonal or in one column are no tiles of neighbours.
// RUN: softmax-run %s --entry=shifted --check=naive --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=shifted --target=emulator --check=naive --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=others --target=emulator --check=naive --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=backwards --check=naive --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=backwards --target=emulator --check=naive --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=copied --target=emulator --check=naive --repeat=0 | FileCheck %s
// CHECK: against naive: pass

#id = affine_map<(i, j) -> (i, j)>

func.func @shifted(%x: tensor<7x9xf32>) -> tensor<7x7xf32> {
  %e = tensor.empty() : tensor<7x7xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j + 2)>, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<7x9xf32>) outs(%e : tensor<7x7xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<7x7xf32>
  return %y : tensor<7x7xf32>
}

func.func @others(%x: tensor<7x7xf32>, %c: tensor<7x5xf32>, %s: tensor<7x13xf32>) -> tensor<7x7xf32> {
  %e = tensor.empty() : tensor<7x7xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, i)>, affine_map<(i, j) -> (i, 3)>, affine_map<(i, j) -> (i, j * 2)>, #id],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %c, %s : tensor<7x7xf32>, tensor<7x5xf32>, tensor<7x13xf32>) outs(%e : tensor<7x7xf32>) {
  ^bb0(%a: f32, %b: f32, %d: f32, %o: f32):
    %t = arith.addf %a, %b : f32
    %u = arith.subf %t, %d : f32
    linalg.yield %u : f32
  } -> tensor<7x7xf32>
  return %y : tensor<7x7xf32>
}

func.func @backwards(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %e = tensor.empty() : tensor<4x16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, 15 - j)>, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x16xf32>) outs(%e : tensor<4x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<4x16xf32>
  %y = smx.softmax %r axis(1) : tensor<4x16xf32> -> tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}

func.func @copied(%x: tensor<8x2xf32>) -> (tensor<8x2xf32>, tensor<8x2xf32>) {
  %e = tensor.empty() : tensor<8x2xf32>
  %y = linalg.copy ins(%x : tensor<8x2xf32>) outs(%e : tensor<8x2xf32>) -> tensor<8x2xf32>
  %p = smx.softmax %x axis(1) : tensor<8x2xf32> -> tensor<8x2xf32>
  %q = linalg.copy ins(%p : tensor<8x2xf32>) outs(%e : tensor<8x2xf32>) -> tensor<8x2xf32>
  return %y, %q : tensor<8x2xf32>, tensor<8x2xf32>
}

// A quotient or a remainder depends on where a tile begins.
// RUN: softmax-run %s --entry=quotients --tile-stream=7 --repeat=0 --check=none --output=%t && softmax-run %s --entry=quotients --target=emulator --repeat=0 --check=none --expected=%t/output0.npy | FileCheck %s --check-prefix=SAME
// SAME: output0.npy: pass
func.func @quotients(%x: tensor<4x8xf32>) -> tensor<12x16xf32> {
  %e = tensor.empty() : tensor<12x16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i mod 4, j floordiv 2)>, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<12x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<12x16xf32>
  %y = smx.softmax %r axis(1) : tensor<12x16xf32> -> tensor<12x16xf32>
  return %y : tensor<12x16xf32>
}
