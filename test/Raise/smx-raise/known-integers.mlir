// Sizes that are computed in tensors, of constants alone, are constants.
// RUN: softmax-opt %s --smx-raise --split-input-file | FileCheck %s

// As torch-mlir writes ONNX's Expand: a size is put together with others, cut out, and asked about.
// CHECK-LABEL: @expand
// CHECK-NOT: cf.assert
// CHECK: %[[E:.+]] = tensor.empty() : tensor<2x3x5xf32>
// CHECK: %[[R:.+]] = linalg.generic {{.+}} ins(%arg0 : tensor<2x5xf32>) outs(%[[E]] : tensor<2x3x5xf32>)
// CHECK: tensor.collapse_shape %[[R]] {{.+}} : tensor<2x3x5xf32> into tensor<6x5xf32>
// CHECK-NOT: tensor.cast
#v = affine_map<(i) -> (i)>
func.func @expand(%x: tensor<2x5xf32>) -> tensor<6x5xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %five = arith.constant 5 : i64
  %two = arith.constant dense<2> : tensor<1xi64>
  %one = arith.constant dense<1> : tensor<1xi64>
  %fives = arith.constant dense<5> : tensor<1xi64>
  %yes = arith.constant dense<true> : tensor<1xi1>
  %e = tensor.empty() : tensor<1xi64>
  %chosen = linalg.generic {indexing_maps = [#v, #v, #v, #v], iterator_types = ["parallel"]}
      ins(%yes, %two, %one : tensor<1xi1>, tensor<1xi64>, tensor<1xi64>) outs(%e : tensor<1xi64>) {
  ^bb0(%c: i1, %a: i64, %b: i64, %o: i64):
    %s = arith.addi %a, %b : i64
    %r = arith.select %c, %s, %b : i64
    linalg.yield %r : i64
  } -> tensor<1xi64>
  %shape = tensor.concat dim(0) %two, %chosen, %fives : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3xi64>
  %last = tensor.extract_slice %shape[2] [1] [1] : tensor<3xi64> to tensor<1xi64>
  %n = tensor.extract %last[%c0] : tensor<1xi64>
  %fits = arith.cmpi sle, %n, %five : i64
  cf.assert %fits, "expected this dim >= dim provided shape"
  %pair = tensor.extract_slice %shape[0] [2] [1] : tensor<3xi64> to tensor<2xi64>
  %m = tensor.extract %pair[%c1] : tensor<2xi64>
  %negative = arith.cmpi slt, %m, %zero : i64
  %index = arith.index_cast %m : i64 to index
  %size = arith.select %negative, %c1, %index : index
  %d = tensor.empty(%size) : tensor<2x?x5xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (i, j, k)>],
      iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : tensor<2x5xf32>) outs(%d : tensor<2x?x5xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<2x?x5xf32>
  %flat = tensor.collapse_shape %y [[0, 1], [2]] : tensor<2x?x5xf32> into tensor<?x5xf32>
  %z = tensor.cast %flat : tensor<?x5xf32> to tensor<6x5xf32>
  return %z : tensor<6x5xf32>
}

// -----

// A reshape by such sizes, with dimensions that slices have dropped and reshapes have grouped, is that with groups.
// CHECK-LABEL: @reshape
// CHECK: tensor.expand_shape %arg0 {{\[\[}}0, 1], [2]] output_shape [2, 3, 5]
func.func @reshape(%x: tensor<6x5xf32>) -> tensor<2x3x5xf32> {
  %table = arith.constant dense<[[7, 2], [8, 3], [9, 5]]> : tensor<3x2xi64>
  %column = tensor.extract_slice %table[0, 1] [3, 1] [1, 1] : tensor<3x2xi64> to tensor<3xi64>
  %e = tensor.expand_shape %column [[0, 1]] output_shape [3, 1] : tensor<3xi64> into tensor<3x1xi64>
  %shape = tensor.collapse_shape %e [[0, 1]] : tensor<3x1xi64> into tensor<3xi64>
  %y = tensor.reshape %x(%shape) : (tensor<6x5xf32>, tensor<3xi64>) -> tensor<2x3x5xf32>
  return %y : tensor<2x3x5xf32>
}

// -----

// What an input decides stays, and so does an assertion that does not hold.
// CHECK-LABEL: @fails_by_itself
// CHECK: %[[N:.+]] = tensor.extract
// CHECK: arith.cmpi sle, %[[N]]
// CHECK: cf.assert
// CHECK: %[[F:.+]] = arith.constant false
// CHECK: cf.assert %[[F]]
// CHECK: tensor.empty(%{{.+}}) : tensor<?xf32>
func.func @fails_by_itself(%sizes: tensor<1xi64>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %five = arith.constant 5 : i64
  %one = arith.constant 1.0 : f32
  %six = arith.constant dense<6> : tensor<1xi64>
  %shape = tensor.concat dim(0) %sizes, %six : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %n = tensor.extract %shape[%c0] : tensor<2xi64>
  %fits = arith.cmpi sle, %n, %five : i64
  cf.assert %fits, "is not known"
  %m = tensor.extract %shape[%c1] : tensor<2xi64>
  %less = arith.cmpi sle, %m, %five : i64
  cf.assert %less, "is wrong"
  %index = arith.index_cast %n : i64 to index
  %e = tensor.empty(%index) : tensor<?xf32>
  %y = linalg.fill ins(%one : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}
