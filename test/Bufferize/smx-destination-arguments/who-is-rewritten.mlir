// RUN: softmax-opt %s --smx-destination-arguments | FileCheck %s

// Only what a caller outside of the module can call.

// CHECK-LABEL: func.func private @inner(%{{.+}}: tensor<8xf32>) -> tensor<8xf32>
func.func private @inner(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}

// CHECK-LABEL: func.func @called(%{{.+}}: tensor<8xf32>) -> tensor<8xf32>
func.func @called(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = call @inner(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// CHECK-LABEL: func.func @entry(
// CHECK-SAME: %[[X:[^:]+]]: tensor<8xf32> {bufferization.writable = false}, %[[D:.+]]: memref<8xf32, strided<[1], offset: ?>>) {
// CHECK: %[[Y:.+]] = call @called(%[[X]]) : (tensor<8xf32>) -> tensor<8xf32>
// CHECK: bufferization.materialize_in_destination %[[Y]] in restrict writable %[[D]]
func.func @entry(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = call @called(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// CHECK-LABEL: func.func private @declared(tensor<8xf32>) -> tensor<8xf32>
func.func private @declared(tensor<8xf32>) -> tensor<8xf32>
