// Rows of 16-bit elements that a cluster reads once stay whole; they would be two to four parts of 64 KiB.
// RUN: softmax-opt %s --smx-online --smx-split='parts=1 longest-bytes=1048576 part-bytes=65536 slots=528 held-blocks=8' | FileCheck %s
// RUN: softmax-opt %s --smx-online --smx-split='parts=1 longest-bytes=1048576 part-bytes=65536 slots=528 held-blocks=4' | FileCheck %s --check-prefix=LONGER

// CHECK-LABEL: func @held
// CHECK-NOT: smx.merge
// CHECK: return
// Four blocks do not hold it.
// LONGER-LABEL: func @held
// LONGER: smx.merge
func.func @held(%x: tensor<2048x131072xbf16>) -> tensor<2048xbf16> {
  %y = smx.logsumexp %x axis(1) : tensor<2048x131072xbf16> -> tensor<2048xbf16>
  return %y : tensor<2048xbf16>
}

// So does what a score is looked up in.
// CHECK-LABEL: func @reads_more
// CHECK-NOT: smx.merge
// CHECK: return
func.func @reads_more(%x: tensor<2048x131072xbf16>, %t: tensor<2048xi64>) -> tensor<2048xf32> {
  %y = smx.cross_entropy %x, %t axis(1) : tensor<2048x131072xbf16>, tensor<2048xi64> -> tensor<2048xf32>
  return %y : tensor<2048xf32>
}

// CHECK-LABEL: func @wide
// CHECK: smx.merge
func.func @wide(%x: tensor<2048x65536xf32>) -> tensor<2048xf32> {
  %y = smx.logsumexp %x axis(1) : tensor<2048x65536xf32> -> tensor<2048xf32>
  return %y : tensor<2048xf32>
}
