// RUN: softmax-opt %s --smx-tile-others --canonicalize --cse | FileCheck %s

// CHECK-LABEL: @transpose
// CHECK: scf.forall (%[[I:.+]], %[[J:.+]]) = (0, 0) to (100, 200) step (64, 64)
// CHECK: tensor.extract_slice %{{.+}}[%[[J]], %[[I]]]
// CHECK: tensor.parallel_insert_slice {{.+}}[%[[I]], %[[J]]]
// CHECK: mapping = [#gpu.block<linear_dim_0>, #gpu.block<linear_dim_1>]
func.func @transpose(%x: tensor<200x100xf32>) -> tensor<100x200xf32> {
  %e = tensor.empty() : tensor<100x200xf32>
  %y = linalg.transpose ins(%x : tensor<200x100xf32>) outs(%e : tensor<100x200xf32>) permutation = [1, 0]
  return %y : tensor<100x200xf32>
}

// Where nothing is transposed, tiles are longer along lines of memory; a value for each row is no line.
// CHECK-LABEL: @lines
// CHECK: scf.forall (%{{.+}}, %{{.+}}) = (0, 0) to (6, 4096) step (8, 512)
// Tiles of 512 would be beyond the end of a row for a quarter of them: 256.
// CHECK: scf.forall (%{{.+}}, %{{.+}}) = (0, 0) to (100, 768) step (16, 256)
// Of an open extent nothing is known.
// CHECK: scf.forall (%{{.+}}, %{{.+}}) = (0, 0) to (%{{.+}}, %{{.+}}) step (64, 64)
func.func @lines(%x: tensor<6x4096xbf16>, %s: tensor<6xbf16>, %y: tensor<100x768xbf16>, %t: tensor<100xbf16>,
                 %z: tensor<?x?xbf16>, %u: tensor<?xbf16>, %m: index, %n: index)
    -> (tensor<6x4096xbf16>, tensor<100x768xbf16>, tensor<?x?xbf16>) {
  %e = tensor.empty() : tensor<6x4096xbf16>
  %f = tensor.empty() : tensor<100x768xbf16>
  %g = tensor.empty(%m, %n) : tensor<?x?xbf16>
  %p = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%x, %s : tensor<6x4096xbf16>, tensor<6xbf16>) outs(%e : tensor<6x4096xbf16>) {
  ^bb0(%a: bf16, %b: bf16, %o: bf16):
    %1 = arith.mulf %a, %b : bf16
    linalg.yield %1 : bf16
  } -> tensor<6x4096xbf16>
  %q = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%y, %t : tensor<100x768xbf16>, tensor<100xbf16>) outs(%f : tensor<100x768xbf16>) {
  ^bb0(%a: bf16, %b: bf16, %o: bf16):
    %1 = arith.mulf %a, %b : bf16
    linalg.yield %1 : bf16
  } -> tensor<100x768xbf16>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%z, %u : tensor<?x?xbf16>, tensor<?xbf16>) outs(%g : tensor<?x?xbf16>) {
  ^bb0(%a: bf16, %b: bf16, %o: bf16):
    %1 = arith.mulf %a, %b : bf16
    linalg.yield %1 : bf16
  } -> tensor<?x?xbf16>
  return %p, %q, %r : tensor<6x4096xbf16>, tensor<100x768xbf16>, tensor<?x?xbf16>
}

// A reduction gets an inner loop, and what it starts from is filled in in the tile.
// CHECK-LABEL: @sum
// CHECK: scf.forall (%[[R:.+]]) = (0) to (256) step (64)
// CHECK: linalg.fill
// CHECK: scf.for %[[K:.+]] = %c0 to %c512 step %c64
// CHECK: tensor.extract_slice %{{.+}}[0, %[[K]]] [64, 64]
func.func @sum(%x: tensor<256x512xf32>) -> tensor<256xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<256xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<256xf32>) -> tensor<256xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]} ins(%x : tensor<256x512xf32>) outs(%f : tensor<256xf32>) {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.addf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<256xf32>
  return %y : tensor<256xf32>
}

// One value of all elements is one block, whose inner loops go along the lines of memory.
// CHECK-LABEL: @total
// CHECK: scf.forall (%{{.+}}) in (1)
// CHECK: linalg.fill
// CHECK: scf.for %[[I:.+]] = %c0 to %c6 step %c1
// CHECK: scf.for %[[J:.+]] = %c0 to %c100 step %c64
// CHECK: tensor.extract_slice %{{.+}}[%[[I]], %[[J]]]
// CHECK: tensor.parallel_insert_slice %{{.+}} into %{{.+}}[] [] [] : tensor<f32> into tensor<f32>
// A scalar of it is one too.
// CHECK: scf.forall (%{{.+}}) in (1)
// CHECK: math.log
func.func @total(%x: tensor<6x100xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%x : tensor<6x100xf32>) outs(%f : tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.addf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<f32>
  %y = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
      ins(%s : tensor<f32>) outs(%e : tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    %1 = math.log %a : f32
    linalg.yield %1 : f32
  } -> tensor<f32>
  return %y : tensor<f32>
}

// Loops carry a result whole, also where rows are cut to what is left.
// CHECK-LABEL: @open_rows
// CHECK: scf.for {{.+}} iter_args(%[[SUM:.+]] = %{{.+}})
// CHECK-NOT: tensor.extract_slice %[[SUM]]
// CHECK: linalg.generic {{.+}} outs(%[[SUM]] :
func.func @open_rows(%x: tensor<?x512xf32>, %m: index) -> tensor<?xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%m) : tensor<?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x512xf32>) outs(%f : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.addf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// Of a product each matrix has one dimension of a tile, in whatever order the result has them: heads run one by one.
// CHECK-LABEL: @heads
// CHECK: scf.forall (%[[B:.+]], %[[I:.+]], %[[P:.+]], %[[H:.+]], %{{.+}}) = (0, 0, 0, 0, 0) to (2, 100, 3, 12, 64) step (1, 64, 1, 1, 64)
// CHECK: tensor.extract_slice %{{.+}}[%[[B]], %[[I]], 0]
// CHECK: tensor.extract_slice %{{.+}}[0, %[[P]], %[[H]], 0]
func.func @heads(%x: tensor<2x100x32xf32>, %w: tensor<32x3x12x64xf32>) -> tensor<2x100x3x12x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x100x3x12x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x100x3x12x64xf32>) -> tensor<2x100x3x12x64xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(b, i, p, h, d, e) -> (b, i, e)>, affine_map<(b, i, p, h, d, e) -> (e, p, h, d)>,
      affine_map<(b, i, p, h, d, e) -> (b, i, p, h, d)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<2x100x32xf32>, tensor<32x3x12x64xf32>) outs(%f : tensor<2x100x3x12x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %p, %o : f32
    linalg.yield %s : f32
  } -> tensor<2x100x3x12x64xf32>
  return %y : tensor<2x100x3x12x64xf32>
}
