// A collapsed tensor that has nothing in it is no view: where one extent of a group is open, and another 0, tensors and
// memory do not agree on what is open.
// RUN: softmax-opt %s --smx-bufferize | FileCheck %s
// RUN: softmax-run %s --entry=returned --dims=3x5x0x4 --target=emulator --repeat=0 | FileCheck %s --check-prefix=GOOD
// GOOD: against raised: pass

// CHECK-LABEL: @read
// CHECK: memref.alloc() {{.*}} : memref<40x0xbf16>
// CHECK-NOT: memref.collapse_shape
func.func @read(%x: tensor<40x?x0xbf16>, %i: index) -> bf16 {
  %v = tensor.collapse_shape %x [[0], [1, 2]] : tensor<40x?x0xbf16> into tensor<40x?xbf16>
  %s = tensor.extract %v[%i, %i] : tensor<40x?xbf16>
  return %s : bf16
}

func.func @returned(%x: tensor<?x?x0x4xf32>) -> tensor<?x?xf32> {
  %v = tensor.collapse_shape %x [[0, 1], [2, 3]] : tensor<?x?x0x4xf32> into tensor<?x0xf32>
  %w = tensor.cast %v : tensor<?x0xf32> to tensor<?x?xf32>
  return %w : tensor<?x?xf32>
}
