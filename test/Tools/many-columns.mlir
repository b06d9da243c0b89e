// Values with two dimensions of columns, on every road.
// RUN: softmax-run %s --check=naive --repeat=0 --dims=3x8,3x8x4x5 | FileCheck %s
// RUN: softmax-run %s --check=naive --repeat=0 --dims=3x8,3x8x4x5 --target=emulator | FileCheck %s
// CHECK: against naive: pass
func.func @many_columns(%x: tensor<?x?xf32>, %v: tensor<?x?x4x5xf32>) -> tensor<?x4x5xf32> {
  %0 = smx.softmax_dot %x, %v : tensor<?x?xf32>, tensor<?x?x4x5xf32> -> tensor<?x4x5xf32>
  return %0 : tensor<?x4x5xf32>
}
