// RUN: softmax-opt %s --smx-to-llvm | FileCheck %s --check-prefix=THREADS
// RUN: softmax-opt %s --smx-to-llvm=threads=false | FileCheck %s --check-prefix=SERIAL

// Rows are shared among threads, unless the caller has none to give.
// THREADS: omp.parallel
// SERIAL-NOT: omp.
func.func @softmax(%x: tensor<64x1000xf32>) -> tensor<64x1000xf32> {
  %y = smx.softmax %x axis(1) : tensor<64x1000xf32> -> tensor<64x1000xf32>
  return %y : tensor<64x1000xf32>
}
