// Tiles that a caller has chosen, and no block can have; nor can rows have as many elements as there are numbers.
// RUN: not softmax-opt %s --smx-to-gpu='rows=64' 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: not softmax-opt %s --smx-to-gpu='stream=1048577' 2>&1 | FileCheck %s --check-prefix=STREAM
// RUN: sed 's/1000x?x/4x9223372036854775807x/g' %s | not softmax-opt --smx-to-gpu 2>&1 | FileCheck %s --check-prefix=LONG
// ROWS: error: a tile of 64 x 8192 elements is more than 256 for each of 512 threads; tiles of at most 16 rows (tile-rows) or 2048 elements of a row (tile-stream) would work
// STREAM: error: a tile of 1 x 1048577 elements is more than 256 for each of 512 threads
// LONG: error: a tile of 9223372036854775807 elements is more than blocks can have; tiles of at most 2147483647 (tile-stream) would work
func.func @softmax(%x: tensor<1000x?xf16>) -> tensor<1000x?xf16> {
  %y = smx.softmax %x axis(1) : tensor<1000x?xf16> -> tensor<1000x?xf16>
  return %y : tensor<1000x?xf16>
}
