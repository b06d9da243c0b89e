// Where all rows fit one tile, tiled IR looks like online IR; the stage says which of the two is meant.

// RUN: softmax-opt %s -o /dev/null --smx-online --smx-report | FileCheck %s --check-prefix=ONLINE
// RUN: softmax-opt %s -o /dev/null --smx-online --smx-report=stage=tiled | FileCheck %s --check-prefix=TILED

// ONLINE: @row online 8192 4096
// TILED:  @row tiled 4096 4096
func.func @row(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %y = smx.softmax %x axis(1) : tensor<8x128xf32> -> tensor<8x128xf32>
  return %y : tensor<8x128xf32>
}
