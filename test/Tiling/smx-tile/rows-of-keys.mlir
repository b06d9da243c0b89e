// RUN: softmax-opt %s --smx-online --smx-tile='blocks row-bytes=131072' --remarks-filter=smx-tile 2>&1 >/dev/null | FileCheck %s

// A row of top-k is one tile if it has at most 16 KiB, and else has two whole tiles or more. Of rows that start anywhere tiles are longer.

func.func @short(%x: tensor<8x8192xbf16>) -> (tensor<8x2xbf16>, tensor<8x2xi64>) {
  // CHECK: rows-of-keys.mlir:[[@LINE+1]]:{{.*}} stream=8192
  %p, %i = smx.topk_softmax %x axis(1) k(2) : tensor<8x8192xbf16> -> tensor<8x2xbf16>, tensor<8x2xi64>
  return %p, %i : tensor<8x2xbf16>, tensor<8x2xi64>
}

func.func @long(%x: tensor<8x32768xbf16>) -> (tensor<8x2xbf16>, tensor<8x2xi64>) {
  // CHECK: rows-of-keys.mlir:[[@LINE+1]]:{{.*}} stream=8192
  %p, %i = smx.topk_softmax %x axis(1) k(2) : tensor<8x32768xbf16> -> tensor<8x2xbf16>, tensor<8x2xi64>
  return %p, %i : tensor<8x2xbf16>, tensor<8x2xi64>
}

func.func @long_of_32_bits(%x: tensor<8x8192xf32>) -> (tensor<8x2xf32>, tensor<8x2xi64>) {
  // CHECK: rows-of-keys.mlir:[[@LINE+1]]:{{.*}} stream=4096
  %p, %i = smx.topk_softmax %x axis(1) k(2) : tensor<8x8192xf32> -> tensor<8x2xf32>, tensor<8x2xi64>
  return %p, %i : tensor<8x2xf32>, tensor<8x2xi64>
}

func.func @one_and_a_half(%x: tensor<8x12288xbf16>) -> (tensor<8x2xbf16>, tensor<8x2xi64>) {
  // CHECK: rows-of-keys.mlir:[[@LINE+1]]:{{.*}} stream=12288
  %p, %i = smx.topk_softmax %x axis(1) k(2) : tensor<8x12288xbf16> -> tensor<8x2xbf16>, tensor<8x2xi64>
  return %p, %i : tensor<8x2xbf16>, tensor<8x2xi64>
}

func.func @more_than_three(%x: tensor<8x32000xbf16>) -> (tensor<8x2xbf16>, tensor<8x2xi64>) {
  // CHECK: rows-of-keys.mlir:[[@LINE+1]]:{{.*}} stream=8192
  %p, %i = smx.topk_softmax %x axis(1) k(2) : tensor<8x32000xbf16> -> tensor<8x2xbf16>, tensor<8x2xi64>
  return %p, %i : tensor<8x2xbf16>, tensor<8x2xi64>
}

func.func @anywhere(%x: tensor<8x50257xbf16>) -> (tensor<8x2xbf16>, tensor<8x2xi64>) {
  // CHECK: rows-of-keys.mlir:[[@LINE+1]]:{{.*}} stream=16384
  %p, %i = smx.topk_softmax %x axis(1) k(2) : tensor<8x50257xbf16> -> tensor<8x2xbf16>, tensor<8x2xi64>
  return %p, %i : tensor<8x2xbf16>, tensor<8x2xi64>
}
