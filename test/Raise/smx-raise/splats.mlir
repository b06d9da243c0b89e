// A splat that is no constant is a fill, so that tiles of it can be computed.
// RUN: softmax-opt %s --smx-raise | FileCheck %s
// RUN: softmax-run %s --entry=added --dims=7x17 --target=emulator --repeat=0 | FileCheck %s --check-prefix=GOOD
// RUN: softmax-run %s --entry=returned --dims=5x8 --target=emulator --repeat=0 | FileCheck %s --check-prefix=GOOD
// GOOD: against raised: pass

// CHECK-LABEL: @added
// CHECK-SAME: %[[X:.+]]: tensor<?x?xf32>
// CHECK-DAG: %[[M:.+]] = tensor.dim %[[X]], %c0
// CHECK-DAG: %[[N:.+]] = tensor.dim %[[X]], %c1
// CHECK: %[[E:.+]] = tensor.empty(%[[M]], %[[N]]) : tensor<?x?xf32>
// CHECK: linalg.fill ins(%cst : f32) outs(%[[E]] : tensor<?x?xf32>)
// CHECK-NOT: tensor.splat
func.func @added(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %half = arith.constant 0.5 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %s = tensor.splat %half[%m, %n] : tensor<?x?xf32>
  %y = arith.addf %x, %s : tensor<?x?xf32>
  %r = smx.softmax %y axis(1) : tensor<?x?xf32> -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// CHECK-LABEL: @returned
// CHECK: linalg.fill ins(%{{.+}} : f32) outs(%{{.+}} : tensor<?x8xf32>)
func.func @returned(%x: tensor<?x8xf32>, %v: f32) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x8xf32>
  %s = tensor.splat %v[%m] : tensor<?x8xf32>
  return %s : tensor<?x8xf32>
}
