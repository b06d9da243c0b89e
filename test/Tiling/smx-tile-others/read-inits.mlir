// What an op begins with is read where it is: the memory of its result is new.
// RUN: softmax-opt %s --smx-tile-others --canonicalize | FileCheck %s
// RUN: softmax-run %s --entry=sum_onto_argument --target=emulator --check=naive --repeat=0 | FileCheck %s --check-prefix=GOOD
// RUN: softmax-run %s --entry=product_onto_scaled --target=emulator --check=naive --repeat=0 | FileCheck %s --check-prefix=GOOD
// RUN: softmax-run %s --entry=elementwise --target=emulator --check=naive --repeat=0 | FileCheck %s --check-prefix=GOOD
// GOOD: against naive: pass

// CHECK-LABEL: @sum_onto_argument
// CHECK-SAME: %{{.+}}: tensor<4x80xf32>, %[[Y:.+]]: tensor<4xf32>
// CHECK: scf.forall {{.+}} shared_outs(%[[OUT:.+]] = %[[Y]])
// CHECK: scf.for {{.+}} iter_args(%{{.+}} = %[[Y]])
func.func @sum_onto_argument(%x: tensor<4x80xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %r = linalg.reduce { arith.addf } ins(%x : tensor<4x80xf32>) outs(%y : tensor<4xf32>) dimensions = [1]
  return %r : tensor<4xf32>
}

// CHECK-LABEL: @product_onto_scaled
// CHECK: %[[SCALED:.+]] = scf.forall
// CHECK: scf.forall {{.+}} shared_outs(%{{.+}} = %[[SCALED]])
// CHECK: linalg.generic {{.+}} outs(%[[SCALED]]
func.func @product_onto_scaled(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %half = arith.constant 0.5 : f32
  %empty = tensor.empty() : tensor<16x16xf32>
  %scaled = linalg.map ins(%c : tensor<16x16xf32>) outs(%empty : tensor<16x16xf32>) (%x: f32, %o: f32) {
    %y = arith.mulf %x, %half : f32
    linalg.yield %y : f32
  }
  %r = linalg.matmul ins(%a, %b : tensor<16x16xf32>, tensor<16x16xf32>) outs(%scaled : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %r : tensor<16x16xf32>
}

// CHECK-LABEL: @elementwise
// CHECK-SAME: %{{.+}}: tensor<8x16xf32>, %[[Y:.+]]: tensor<8x16xf32>
// CHECK: linalg.generic {{.+}} outs(%[[Y]]
func.func @elementwise(%x: tensor<8x16xf32>, %y: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x16xf32>) outs(%y : tensor<8x16xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %v, %o : f32
    linalg.yield %s : f32
  } -> tensor<8x16xf32>
  return %r : tensor<8x16xf32>
}
