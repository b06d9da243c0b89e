// Sums in memory stay: there is no tensor to widen.
// RUN: softmax-opt %s --smx-widen-sums | FileCheck %s
// RUN: softmax-run %s --check=none --repeat=0 | FileCheck %s --check-prefix=RUNS
// RUNS: kernel {{.*}}sums

// CHECK-LABEL: @sums
// CHECK: linalg.generic {{.+}} ins(%arg0 : memref<4x42xbf16>) outs(%arg1 : memref<4xbf16>)
// CHECK-NOT: arith.extf
func.func @sums(%x: memref<4x42xbf16>, %s: memref<4xbf16>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<4x42xbf16>) outs(%s : memref<4xbf16>) {
  ^bb0(%in: bf16, %sum: bf16):
    %t = arith.addf %in, %sum : bf16
    linalg.yield %t : bf16
  }
  return
}
