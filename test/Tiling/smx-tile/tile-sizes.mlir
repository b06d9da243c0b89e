// RUN: softmax-opt %s --smx-online --smx-tile --remarks-filter=smx-tile 2>&1 >/dev/null | FileCheck %s
// RUN: softmax-opt %s --smx-online --smx-tile='rows=3 stream=50' --remarks-filter=smx-tile 2>&1 >/dev/null | FileCheck %s --check-prefix=GIVEN

// What the model chooses, and that a caller's choice wins where it fits.

func.func @attention(%q: tensor<512x64xf32>, %k: tensor<512x64xf32>, %v: tensor<512x64xf32>) -> tensor<512x64xf32> {
  // CHECK: tile-sizes.mlir:[[@LINE+2]]:{{.*}} TileSizes | Category:smx-tile {{.*}}rows=64, stream=128
  // GIVEN: tile-sizes.mlir:[[@LINE+1]]:{{.*}} rows=3, stream=50
  %o = smx.attention %q, %k, %v scale(0.125) : tensor<512x64xf32>, tensor<512x64xf32>, tensor<512x64xf32> -> tensor<512x64xf32>
  return %o : tensor<512x64xf32>
}

func.func @rows_that_stay(%x: tensor<512x1024xf32>) -> tensor<512x1024xf32> {
  // CHECK: tile-sizes.mlir:[[@LINE+2]]:{{.*}} rows=2, stream=1024
  // GIVEN: tile-sizes.mlir:[[@LINE+1]]:{{.*}} rows=3, stream=50
  %y = smx.softmax %x axis(1) : tensor<512x1024xf32> -> tensor<512x1024xf32>
  return %y : tensor<512x1024xf32>
}

func.func @rows_that_do_not(%x: tensor<512x1000000xf32>) -> tensor<512x1000000xf32> {
  // CHECK: tile-sizes.mlir:[[@LINE+1]]:{{.*}} deferred=true, rows=1, stream=65536
  %y = smx.softmax %x axis(1) : tensor<512x1000000xf32> -> tensor<512x1000000xf32>
  return %y : tensor<512x1000000xf32>
}

// No cache holds this row until it has been seen: it is looked at twice.
func.func @rows_of_many_megabytes(%x: tensor<8x3000000xf32>) -> tensor<8x3000000xf32> {
  // CHECK: tile-sizes.mlir:[[@LINE+1]]:{{.*}} deferred=false, rows=1, stream=65536
  %y = smx.softmax %x axis(1) : tensor<8x3000000xf32> -> tensor<8x3000000xf32>
  return %y : tensor<8x3000000xf32>
}

func.func @strips(%x: tensor<512x1024xf32>) -> tensor<1024xf32> {
  // CHECK: tile-sizes.mlir:[[@LINE+1]]:{{.*}} rows=256, stream=64
  %y = smx.logsumexp %x axis(0) : tensor<512x1024xf32> -> tensor<1024xf32>
  return %y : tensor<1024xf32>
}

func.func @smaller_than_any_tile(%x: tensor<2x7xf32>) -> tensor<2xf32> {
  // CHECK: tile-sizes.mlir:[[@LINE+2]]:{{.*}} rows=2, stream=7
  // GIVEN: tile-sizes.mlir:[[@LINE+1]]:{{.*}} rows=2, stream=7
  %y = smx.logsumexp %x axis(1) : tensor<2x7xf32> -> tensor<2xf32>
  return %y : tensor<2xf32>
}
