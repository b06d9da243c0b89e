// Weights of precise rows of 2048 scores and more may be off by 3 units in the last place, which leaves 22 bits.
// RUN: softmax-opt %s --smx-expand-state | FileCheck %s

#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: @long
// CHECK: math.exp %{{.+}} fastmath<contract> {result_bits = 22 : i32} : f32
func.func @long(%m: tensor<1xf32>, %l: tensor<1xf32>, %x: tensor<1x2048xf32>) -> (tensor<1xf32>, tensor<1xf32>) {
  %s:2 = smx.update #smx.softmax<exp>(%m, %l : tensor<1xf32>, tensor<1xf32>) with (%x : tensor<1x2048xf32>) maps [#row, #row, #all]
  return %s#0, %s#1 : tensor<1xf32>, tensor<1xf32>
}

// CHECK-LABEL: @shorter
// CHECK-NOT: result_bits
// CHECK: return
func.func @shorter(%m: tensor<1xf32>, %l: tensor<1xf32>, %x: tensor<1x1024xf32>) -> (tensor<1xf32>, tensor<1xf32>) {
  %s:2 = smx.update #smx.softmax<exp>(%m, %l : tensor<1xf32>, tensor<1xf32>) with (%x : tensor<1x1024xf32>) maps [#row, #row, #all]
  return %s#0, %s#1 : tensor<1xf32>, tensor<1xf32>
}

// Nobody knows how long.
// CHECK-LABEL: @open
// CHECK-NOT: result_bits
// CHECK: return
func.func @open(%m: tensor<1xf32>, %l: tensor<1xf32>, %x: tensor<1x?xf32>) -> (tensor<1xf32>, tensor<1xf32>) {
  %s:2 = smx.update #smx.softmax<exp>(%m, %l : tensor<1xf32>, tensor<1xf32>) with (%x : tensor<1x?xf32>) maps [#row, #row, #all]
  return %s#0, %s#1 : tensor<1xf32>, tensor<1xf32>
}

// CHECK-LABEL: @double
// CHECK-NOT: result_bits = 22
// CHECK: return
func.func @double(%m: tensor<1xf64>, %l: tensor<1xf64>, %x: tensor<1x2048xf64>) -> (tensor<1xf64>, tensor<1xf64>) {
  %s:2 = smx.update #smx.softmax<exp>(%m, %l : tensor<1xf64>, tensor<1xf64>) with (%x : tensor<1x2048xf64>) maps [#row, #row, #all]
  return %s#0, %s#1 : tensor<1xf64>, tensor<1xf64>
}
