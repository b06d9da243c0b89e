// RUN: softmax-opt %s --smx-destination-arguments --smx-bufferize --canonicalize | FileCheck %s

// A buffer that a loop may yield by way of an inner block is freed when it was copied to what the loop carries.

// CHECK-LABEL: @by_way_of_an_if
// CHECK: scf.for
// CHECK: %[[B:.+]] = memref.alloc()
// CHECK: arith.select %{{.+}}, %[[B]],
// CHECK-NOT: memref.dealloc
// CHECK: memref.copy
// CHECK-NEXT: memref.dealloc %[[B]]
// CHECK: return
func.func @by_way_of_an_if(%x: tensor<8xf32>, %n: index, %c: i1) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<8xf32> {
    %e = tensor.empty() : tensor<8xf32>
    %b = linalg.exp ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %s = scf.if %c -> tensor<8xf32> {
      scf.yield %b : tensor<8xf32>
    } else {
      scf.yield %a : tensor<8xf32>
    }
    scf.yield %s : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// What branches yield is allocated in front of them and freed behind them.

// CHECK-LABEL: @by_branches
// CHECK: %[[THEN:.+]] = memref.alloc
// CHECK: %[[ELSE:.+]] = memref.alloc
// CHECK: scf.if
// CHECK-NOT: memref.alloc
// CHECK: memref.dealloc %[[THEN]]
// CHECK-NEXT: memref.dealloc %[[ELSE]]
func.func @by_branches(%x: tensor<?xf32>, %c: i1) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %s = scf.if %c -> tensor<?xf32> {
    %n = tensor.dim %x, %c0 : tensor<?xf32>
    %e = tensor.empty(%n) : tensor<?xf32>
    %b = linalg.exp ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %b : tensor<?xf32>
  } else {
    %n = tensor.dim %x, %c0 : tensor<?xf32>
    %e = tensor.empty(%n) : tensor<?xf32>
    %b = linalg.sqrt ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %b : tensor<?xf32>
  }
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.abs ins(%s : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
