// All tiles of this row have the same sum, which f32 would round to the same side again and again: the softmax would be off
// by hundreds of units in the last place. Loops carry it in f64.
// RUN: softmax-run %s --target=cpu --tile-stream=1024 --repeat=0 | FileCheck %s
// CHECK: against raised: pass

func.func @f(%x: tensor<1x1xf32>) -> tensor<1x262144xf32> {
  %empty = tensor.empty() : tensor<1x262144xf32>
  %row = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%empty : tensor<1x262144xf32>) {
  ^bb0(%unused: f32):
    %c2 = arith.constant 2 : index
    %c0 = arith.constant 0 : index
    %even = arith.constant 0.0 : f32
    %odd = arith.constant -2.6032188 : f32
    %j = linalg.index 1 : index
    %rest = arith.remui %j, %c2 : index
    %isEven = arith.cmpi eq, %rest, %c0 : index
    %value = arith.select %isEven, %even, %odd : f32
    linalg.yield %value : f32
  } -> tensor<1x262144xf32>
  %p = smx.softmax %row axis(1) : tensor<1x262144xf32> -> tensor<1x262144xf32>
  return %p : tensor<1x262144xf32>
}
