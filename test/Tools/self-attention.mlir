// Queries, keys and values that are computed alike: what a product reads of all tiles is computed before, once, and not as the tile of rows.
// RUN: softmax-run %s --entry=all_alike --target=emulator --repeat=0 --check=naive | FileCheck %s
// RUN: softmax-run %s --entry=queries_of_keys --target=emulator --repeat=0 --check=naive | FileCheck %s
// RUN: softmax-run %s --entry=queries_are_values --target=emulator --repeat=0 --check=naive | FileCheck %s
// RUN: softmax-run %s --entry=queries_of_keys_in_heads --target=emulator --repeat=0 --check=naive | FileCheck %s
// RUN: softmax-run %s --entry=queries_of_keys_in_heads --target=emulator --chip=sm_90a --repeat=0 --check=naive | FileCheck %s
// CHECK: against naive: pass
func.func @all_alike(%x: tensor<130x16xf32>, %places: tensor<130x16xf32>) -> tensor<130x16xf32> {
  %e = tensor.empty() : tensor<130x16xf32>
  %h = linalg.add ins(%x, %places : tensor<130x16xf32>, tensor<130x16xf32>) outs(%e : tensor<130x16xf32>) -> tensor<130x16xf32>
  %r = smx.attention %h, %h, %h scale(0.25) : tensor<130x16xf32>, tensor<130x16xf32>, tensor<130x16xf32> -> tensor<130x16xf32>
  return %r : tensor<130x16xf32>
}
// One tile has all of the rows and all of the keys.
func.func @queries_of_keys(%x: tensor<16x16xf32>, %w: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %e = tensor.empty() : tensor<16x16xf32>
  %h = linalg.mul ins(%x, %w : tensor<16x16xf32>, tensor<16x16xf32>) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
  %r = smx.attention %h, %x, %x scale(0.25) : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  return %r : tensor<16x16xf32>
}
func.func @queries_are_values(%x: tensor<64x16xf32>, %places: tensor<64x16xf32>, %k: tensor<64x16xf32>) -> tensor<64x16xf32> {
  %e = tensor.empty() : tensor<64x16xf32>
  %h = linalg.add ins(%x, %places : tensor<64x16xf32>, tensor<64x16xf32>) outs(%e : tensor<64x16xf32>) -> tensor<64x16xf32>
  %r = smx.attention %h, %k, %h scale(0.25) : tensor<64x16xf32>, tensor<64x16xf32>, tensor<64x16xf32> -> tensor<64x16xf32>
  return %r : tensor<64x16xf32>
}
// Heads have tiles of their own, of which each is all of the rows and all of the keys.
func.func @queries_of_keys_in_heads(%x: tensor<2x64x32xf16>, %k: tensor<2x64x32xf16>, %v: tensor<2x64x32xf16>) -> tensor<2x64x32xf16> {
  %e = tensor.empty() : tensor<2x64x32xf16>
  %q = linalg.add ins(%x, %k : tensor<2x64x32xf16>, tensor<2x64x32xf16>) outs(%e : tensor<2x64x32xf16>) -> tensor<2x64x32xf16>
  %r = smx.attention %q, %k, %v scale(0.125) : tensor<2x64x32xf16>, tensor<2x64x32xf16>, tensor<2x64x32xf16> -> tensor<2x64x32xf16>
  return %r : tensor<2x64x32xf16>
}
