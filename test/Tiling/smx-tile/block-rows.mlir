// RUN: softmax-opt %s --smx-online --smx-tile='blocks row-bytes=8192' --remarks-filter=smx-tile 2>&1 >/dev/null | FileCheck %s

// A row is one tile of a block if all that is read of it fits.

func.func @too_long(%x: tensor<8x16384xbf16>) -> tensor<8x16384xbf16> {
  // CHECK: block-rows.mlir:[[@LINE+1]]:{{.*}} stream=8192
  %y = smx.softmax %x axis(1) : tensor<8x16384xbf16> -> tensor<8x16384xbf16>
  return %y : tensor<8x16384xbf16>
}

func.func @too_long_of_32_bits(%x: tensor<8x16384xf32>) -> tensor<8x16384xf32> {
  // CHECK: block-rows.mlir:[[@LINE+1]]:{{.*}} stream=4096
  %y = smx.softmax %x axis(1) : tensor<8x16384xf32> -> tensor<8x16384xf32>
  return %y : tensor<8x16384xf32>
}

func.func @other_type(%x: tensor<8x8000xi8>) -> tensor<8x8000xf32> {
  %e = tensor.empty() : tensor<8x8000xf32>
  %f = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x8000xi8>) outs(%e : tensor<8x8000xf32>) {
  ^bb0(%in: i8, %out: f32):
    %v = arith.sitofp %in : i8 to f32
    linalg.yield %v : f32
  } -> tensor<8x8000xf32>
  // What is read has 8 bits an element.
  // CHECK: block-rows.mlir:[[@LINE+1]]:{{.*}} stream=8000
  %y = smx.softmax %f axis(1) : tensor<8x8000xf32> -> tensor<8x8000xf32>
  return %y : tensor<8x8000xf32>
}

func.func @two_tensors(%x: tensor<8x4352xi8>, %b: tensor<8x4352xi8>) -> tensor<8x4352xf32> {
  %e = tensor.empty() : tensor<8x4352xf32>
  %f = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%x, %b : tensor<8x4352xi8>, tensor<8x4352xi8>) outs(%e : tensor<8x4352xf32>) {
  ^bb0(%in: i8, %bias: i8, %out: f32):
    %sum = arith.addi %in, %bias : i8
    %v = arith.sitofp %sum : i8 to f32
    linalg.yield %v : f32
  } -> tensor<8x4352xf32>
  // CHECK: block-rows.mlir:[[@LINE+1]]:{{.*}} stream=4096
  %y = smx.softmax %f axis(1) : tensor<8x4352xf32> -> tensor<8x4352xf32>
  return %y : tensor<8x4352xf32>
}
