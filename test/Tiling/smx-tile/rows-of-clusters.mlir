// RUN: softmax-opt %s --smx-online --smx-tile='blocks held-blocks=16 slots=528' --remarks-filter=smx-tile 2>&1 >/dev/null | FileCheck %s

// A row of 16-bit elements that a cluster reads once is one tile, of 128 to 256 KiB.

func.func @held(%x: tensor<2048x131072xbf16>) -> tensor<2048xbf16> {
  // CHECK: rows-of-clusters.mlir:[[@LINE+1]]:{{.*}} stream=131072
  %y = smx.logsumexp %x axis(1) : tensor<2048x131072xbf16> -> tensor<2048xbf16>
  return %y : tensor<2048xbf16>
}

func.func @five_eighths(%x: tensor<2048x81920xf16>) -> tensor<2048xf16> {
  // CHECK: rows-of-clusters.mlir:[[@LINE+1]]:{{.*}} stream=81920
  %y = smx.logsumexp %x axis(1) : tensor<2048x81920xf16> -> tensor<2048xf16>
  return %y : tensor<2048xf16>
}

func.func @nearly_full(%x: tensor<2048x128256xbf16>) -> tensor<2048xbf16> {
  // CHECK: rows-of-clusters.mlir:[[@LINE+1]]:{{.*}} stream=128256
  %y = smx.logsumexp %x axis(1) : tensor<2048x128256xbf16> -> tensor<2048xbf16>
  return %y : tensor<2048xbf16>
}

func.func @ragged(%x: tensor<2048x100000xbf16>) -> tensor<2048xbf16> {
  // CHECK: rows-of-clusters.mlir:[[@LINE+1]]:{{.*}} stream=100000
  %y = smx.logsumexp %x axis(1) : tensor<2048x100000xbf16> -> tensor<2048xbf16>
  return %y : tensor<2048xbf16>
}

func.func @longer(%x: tensor<2048x163840xbf16>) -> tensor<2048xbf16> {
  // CHECK: rows-of-clusters.mlir:[[@LINE+1]]:{{.*}} stream=16384
  %y = smx.logsumexp %x axis(1) : tensor<2048x163840xbf16> -> tensor<2048xbf16>
  return %y : tensor<2048xbf16>
}

// Four blocks with half as much each have all rows at once.
func.func @at_once(%x: tensor<512x163840xbf16>) -> tensor<512xbf16> {
  // CHECK: rows-of-clusters.mlir:[[@LINE+1]]:{{.*}} stream=8192
  %y = smx.logsumexp %x axis(1) : tensor<512x163840xbf16> -> tensor<512xbf16>
  return %y : tensor<512xbf16>
}

// Of few rows blocks have parts.
func.func @few(%x: tensor<64x131072xbf16>) -> tensor<64xbf16> {
  // CHECK: rows-of-clusters.mlir:[[@LINE+1]]:{{.*}} stream=8192
  %y = smx.logsumexp %x axis(1) : tensor<64x131072xbf16> -> tensor<64xbf16>
  return %y : tensor<64xbf16>
}

func.func @reads_more(%x: tensor<2048x131072xbf16>, %t: tensor<2048xi64>) -> tensor<2048xf32> {
  // CHECK: rows-of-clusters.mlir:[[@LINE+1]]:{{.*}} stream=131072
  %y = smx.cross_entropy %x, %t axis(1) : tensor<2048x131072xbf16>, tensor<2048xi64> -> tensor<2048xf32>
  return %y : tensor<2048xf32>
}

// Memory runs along the rows' other dimension.
func.func @across(%x: tensor<131072x2048xbf16>) -> tensor<2048xbf16> {
  // CHECK: rows-of-clusters.mlir:[[@LINE+1]]:{{.*}} stream=256
  %y = smx.logsumexp %x axis(0) : tensor<131072x2048xbf16> -> tensor<2048xbf16>
  return %y : tensor<2048xbf16>
}
