// RUN: softmax-opt %s --smx-raise | FileCheck %s
#xy = affine_map<(d0, d1) -> (d0, d1)>
#yx = affine_map<(d0, d1) -> (d1, d0)>
#x = affine_map<(d0, d1) -> (d0)>
#x0 = affine_map<(d0, d1) -> (d0, 0)>

// As torch-mlir writes it: the maximum with its index, unit dimensions kept.
// CHECK-LABEL: @maximum_with_index
func.func @maximum_with_index(%x: tensor<?x96xf32>, %n: index) -> tensor<?x96xf32> {
  // CHECK-NEXT: %[[Y:.+]] = smx.softmax %{{.+}} axis(1) : tensor<?x96xf32> -> tensor<?x96xf32>
  // CHECK-NEXT: return %[[Y]]
  %i0 = arith.constant 0 : i64
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %ei = tensor.empty(%n) : tensor<?xi64>
  %ii = linalg.fill ins(%i0 : i64) outs(%ei : tensor<?xi64>) -> tensor<?xi64>
  %em = tensor.empty(%n) : tensor<?xf32>
  %m0 = linalg.fill ins(%lowest : f32) outs(%em : tensor<?xf32>) -> tensor<?xf32>
  %m:2 = linalg.generic {indexing_maps = [#xy, #x, #x], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x96xf32>) outs(%m0, %ii : tensor<?xf32>, tensor<?xi64>) {
  ^bb0(%a: f32, %best: f32, %at: i64):
    %j = linalg.index 1 : index
    %ji = arith.index_cast %j : index to i64
    %max = arith.maximumf %a, %best : f32
    %gt = arith.cmpf ogt, %a, %best : f32
    %arg = arith.select %gt, %ji, %at : i64
    linalg.yield %max, %arg : f32, i64
  } -> (tensor<?xf32>, tensor<?xi64>)
  %mk = tensor.expand_shape %m#0 [[0, 1]] output_shape [%n, 1] : tensor<?xf32> into tensor<?x1xf32>
  %e = tensor.empty(%n) : tensor<?x96xf32>
  %p = linalg.generic {indexing_maps = [#xy, #x0, #xy], iterator_types = ["parallel", "parallel"]}
      ins(%x, %mk : tensor<?x96xf32>, tensor<?x1xf32>) outs(%e : tensor<?x96xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %d = arith.subf %a, %b : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<?x96xf32>
  %el = tensor.empty(%n) : tensor<?x1xf32>
  %l0 = linalg.fill ins(%zero : f32) outs(%el : tensor<?x1xf32>) -> tensor<?x1xf32>
  %l = linalg.generic {indexing_maps = [#xy, #x0], iterator_types = ["parallel", "reduction"]}
      ins(%p : tensor<?x96xf32>) outs(%l0 : tensor<?x1xf32>) {
  ^bb0(%a: f32, %sum: f32):
    %r = arith.addf %a, %sum : f32
    linalg.yield %r : f32
  } -> tensor<?x1xf32>
  %y = linalg.generic {indexing_maps = [#xy, #x0, #xy], iterator_types = ["parallel", "parallel"]}
      ins(%p, %l : tensor<?x96xf32>, tensor<?x1xf32>) outs(%e : tensor<?x96xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %r = arith.divf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<?x96xf32>
  return %y : tensor<?x96xf32>
}

// Everything fused: the exponential is computed twice, the maximum is a select, the sum is
// inverted first, and the result is written transposed.
// CHECK-LABEL: @fused
// CHECK-SAME: %[[X:.+]]: tensor<6x9xf32>
func.func @fused(%x: tensor<6x9xf32>) -> tensor<9x6xf32> {
  // CHECK: %[[T:.+]] = linalg.generic
  // CHECK: smx.softmax %[[T]] axis(0) : tensor<9x6xf32> -> tensor<9x6xf32>
  // CHECK-NOT: linalg
  %m0 = arith.constant dense<-3.40282347E+38> : tensor<6xf32>
  %l0 = arith.constant dense<0.0> : tensor<6xf32>
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<9x6xf32>
  %m = linalg.generic {indexing_maps = [#xy, #x], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<6x9xf32>) outs(%m0 : tensor<6xf32>) {
  ^bb0(%a: f32, %best: f32):
    %gt = arith.cmpf ogt, %a, %best : f32
    %r = arith.select %gt, %a, %best : f32
    linalg.yield %r : f32
  } -> tensor<6xf32>
  %l = linalg.generic {indexing_maps = [#xy, #x, #x], iterator_types = ["parallel", "reduction"]}
      ins(%x, %m : tensor<6x9xf32>, tensor<6xf32>) outs(%l0 : tensor<6xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %d = arith.subf %a, %b : f32
    %p = math.exp %d : f32
    %r = arith.addf %sum, %p : f32
    linalg.yield %r : f32
  } -> tensor<6xf32>
  %y = linalg.generic {indexing_maps = [#xy, #x, #x, #yx], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m, %l : tensor<6x9xf32>, tensor<6xf32>, tensor<6xf32>) outs(%e : tensor<9x6xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %out: f32):
    %d = arith.subf %a, %b : f32
    %p = math.exp %d : f32
    %i = arith.divf %one, %c : f32
    %r = arith.mulf %i, %p : f32
    linalg.yield %r : f32
  } -> tensor<9x6xf32>
  return %y : tensor<9x6xf32>
}
