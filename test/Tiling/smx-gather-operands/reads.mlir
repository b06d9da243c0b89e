// RUN: softmax-opt %s --smx-gather-operands --canonicalize --split-input-file | FileCheck %s
// RUN: softmax-opt %s --smx-gather-operands=keep-slices --canonicalize --split-input-file | FileCheck %s --check-prefix=CPU

#id = affine_map<(i, j) -> (i, j)>
#backwards = affine_map<(i, j) -> (i, 15 - j)>

// CHECK-LABEL: @backwards
// CHECK-SAME: %[[X:.+]]: tensor<4x16xf32>
// CHECK: linalg.generic {indexing_maps = [#{{.+}}], iterator_types = ["parallel", "parallel"]} outs(
// CHECK-DAG: %[[I:.+]] = linalg.index 0
// CHECK-DAG: %[[J:.+]] = linalg.index 1
// CHECK: %[[AT:.+]] = arith.subi %c15, %[[J]]
// CHECK: %[[A:.+]] = tensor.extract %[[X]][%[[I]], %[[AT]]]
// CHECK: linalg.yield %[[A]]
// CPU-LABEL: @backwards
// CPU: tensor.extract
func.func @backwards(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %e = tensor.empty() : tensor<4x16xf32>
  %y = linalg.generic {indexing_maps = [#backwards, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x16xf32>) outs(%e : tensor<4x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#second = affine_map<(i, j) -> (i, j * 2)>
#diagonal = affine_map<(i, j) -> (j, j)>
#column = affine_map<(i, j) -> (i, 3)>
#row = affine_map<(i, j) -> (i, 0)>

// A row's value in a dimension of one element, and neighbours, stay operands.
// CHECK-LABEL: @others
// CHECK: linalg.generic {{.*}} ins(%arg3, %arg4 : tensor<4x1xf32>, tensor<4x8xf32>)
// CHECK-COUNT-3: tensor.extract
// CPU-LABEL: @others
// CPU-NOT: tensor.extract
// CPU: return
func.func @others(%x: tensor<4x16xf32>, %d: tensor<8x8xf32>, %c: tensor<4x5xf32>, %r: tensor<4x1xf32>, %p: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [#second, #diagonal, #column, #row, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %d, %c, %r, %p : tensor<4x16xf32>, tensor<8x8xf32>, tensor<4x5xf32>, tensor<4x1xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %f: f32, %g: f32, %h: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    %t = arith.addf %s, %f : f32
    %u = arith.addf %t, %g : f32
    %v = arith.addf %u, %h : f32
    linalg.yield %v : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// A reduction is read as it is: a convolution has no kernel.
#in = affine_map<(i, d) -> (i + d)>
#w = affine_map<(i, d) -> (d)>
#out = affine_map<(i, d) -> (i)>

// CHECK-LABEL: @convolution
// CHECK-NOT: tensor.extract
// CHECK: return
func.func @convolution(%x: tensor<10xf32>, %w: tensor<3xf32>, %e: tensor<8xf32>) -> tensor<8xf32> {
  %y = linalg.generic {indexing_maps = [#in, #w, #out], iterator_types = ["parallel", "reduction"]}
      ins(%x, %w : tensor<10xf32>, tensor<3xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %p, %o : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}
