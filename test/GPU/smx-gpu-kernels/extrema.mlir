// RUN: softmax-opt %s --smx-to-gpu | FileCheck %s

// A maximum and where it is, as torch-mlir writes it: the payload of the first place that holds the maximum of the tile, unless
// the running maximum is as large. What comes after a NaN does not count.
// CHECK-LABEL: smx_gpu.kernel @argmax_kernel
// CHECK: scf.for
// CHECK: %[[T:.+]] = smx_gpu.load
// CHECK: smx_gpu.reduce <maximum>
// CHECK: arith.cmpf ord, %[[T]], %[[T]]
// CHECK: smx_gpu.reduce <minsi>
// CHECK: %[[M:.+]] = smx_gpu.reduce <maxnum>
// CHECK: arith.cmpf oeq
// CHECK: %[[AT:.+]] = smx_gpu.reduce <minsi>
// CHECK: smx_gpu.reduce <add> {{.+}}xi64
// CHECK: %[[BEATS:.+]] = arith.cmpf ogt, %[[M]]
// CHECK: arith.select
func.func @argmax(%x: tensor<?x200xf32>) -> (tensor<?xf32>, tensor<?xi64>) {
  %c0 = arith.constant 0 : index
  %low = arith.constant 0xFF800000 : f32
  %first = arith.constant 0 : i64
  %m = tensor.dim %x, %c0 : tensor<?x200xf32>
  %e = tensor.empty(%m) : tensor<?xf32>
  %ei = tensor.empty(%m) : tensor<?xi64>
  %v = linalg.fill ins(%low : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %i = linalg.fill ins(%first : i64) outs(%ei : tensor<?xi64>) -> tensor<?xi64>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x200xf32>) outs(%v, %i : tensor<?xf32>, tensor<?xi64>) {
  ^bb0(%a: f32, %best: f32, %at: i64):
    %j = linalg.index 1 : index
    %ji = arith.index_cast %j : index to i64
    %larger = arith.maximumf %a, %best : f32
    %beats = arith.cmpf ogt, %a, %best : f32
    %there = arith.select %beats, %ji, %at : i64
    linalg.yield %larger, %there : f32, i64
  } -> (tensor<?xf32>, tensor<?xi64>)
  return %r#0, %r#1 : tensor<?xf32>, tensor<?xi64>
}

// Nobody reads the place: a plain maximum.
// CHECK-LABEL: smx_gpu.kernel @maximum_kernel
// CHECK: smx_gpu.reduce <maximum>
// CHECK-NOT: smx_gpu.reduce
// CHECK-LABEL: func.func @maximum
func.func @maximum(%x: tensor<8x200xf32>) -> tensor<8xf32> {
  %low = arith.constant 0xFF800000 : f32
  %first = arith.constant 0 : i64
  %e = tensor.empty() : tensor<8xf32>
  %ei = tensor.empty() : tensor<8xi64>
  %v = linalg.fill ins(%low : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %i = linalg.fill ins(%first : i64) outs(%ei : tensor<8xi64>) -> tensor<8xi64>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x200xf32>) outs(%v, %i : tensor<8xf32>, tensor<8xi64>) {
  ^bb0(%a: f32, %best: f32, %at: i64):
    %j = linalg.index 1 : index
    %ji = arith.index_cast %j : index to i64
    %larger = arith.maximumf %a, %best : f32
    %beats = arith.cmpf ogt, %a, %best : f32
    %there = arith.select %beats, %ji, %at : i64
    linalg.yield %larger, %there : f32, i64
  } -> (tensor<8xf32>, tensor<8xi64>)
  return %r#0 : tensor<8xf32>
}
