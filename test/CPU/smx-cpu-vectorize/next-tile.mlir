// RUN: softmax-opt %s --smx-cpu-vectorize | FileCheck %s
// RUN: softmax-opt %s --smx-cpu-vectorize=prefetch-bytes=1024 | FileCheck %s --check-prefix=SMALL

#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// The second op to read a tile fetches the next one, or in the last iteration
// the same once more; one fetch for each cache line.

// CHECK-LABEL: @twice
// CHECK: scf.forall (%[[I:.+]]) = (0) to (8) step (2)
// CHECK-NOT: memref.prefetch
// CHECK: %[[AHEAD:.+]] = arith.addi %[[I]], %{{.+}} : index
// CHECK: %[[INSIDE:.+]] = arith.cmpi slt, %[[AHEAD]], %{{.+}} : index
// CHECK: %[[NEXT:.+]] = arith.select %[[INSIDE]], %[[AHEAD]], %[[I]] : index
// CHECK: %[[VIEW:.+]] = memref.subview %arg0[%[[NEXT]], 0] [2, 1024] [1, 1]
// CHECK: memref.prefetch %[[VIEW]][%{{.+}}, %[[J:.+]]], read, locality<3>, data
// CHECK-NEXT: vector.load %{{.+}}[%{{.+}}, %[[J]]] : {{.*}}, vector<16xbf16>
// CHECK-NOT: memref.prefetch
// CHECK: vector.load
// CHECK: memref.prefetch

// A tile of 4096 bytes is too large for this limit.
// SMALL-NOT: memref.prefetch
func.func @twice(%x: memref<8x1024xbf16>, %max: memref<8xbf16>, %sum: memref<8xf32>) {
  scf.forall (%i) = (0) to (8) step (2) {
    %tile = memref.subview %x[%i, 0] [2, 1024] [1, 1] : memref<8x1024xbf16> to memref<2x1024xbf16, strided<[1024, 1], offset: ?>>
    %m = memref.subview %max[%i] [2] [1] : memref<8xbf16> to memref<2xbf16, strided<[1], offset: ?>>
    %s = memref.subview %sum[%i] [2] [1] : memref<8xf32> to memref<2xf32, strided<[1], offset: ?>>
    linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
        ins(%tile : memref<2x1024xbf16, strided<[1024, 1], offset: ?>>) outs(%m : memref<2xbf16, strided<[1], offset: ?>>) {
    ^bb0(%a: bf16, %b: bf16):
      %0 = arith.maximumf %a, %b : bf16
      linalg.yield %0 : bf16
    }
    linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
        ins(%tile : memref<2x1024xbf16, strided<[1024, 1], offset: ?>>) outs(%s : memref<2xf32, strided<[1], offset: ?>>) {
    ^bb0(%a: bf16, %b: f32):
      %0 = arith.extf %a : bf16 to f32
      %1 = arith.addf %0, %b : f32
      linalg.yield %1 : f32
    }
  }
  return
}

// Read once, a tile comes by the hardware's own prefetching.

// CHECK-LABEL: @once
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @once(%x: memref<8x1024xf32>, %sum: memref<8xf32>) {
  scf.forall (%i) = (0) to (8) step (2) {
    %tile = memref.subview %x[%i, 0] [2, 1024] [1, 1] : memref<8x1024xf32> to memref<2x1024xf32, strided<[1024, 1], offset: ?>>
    %s = memref.subview %sum[%i] [2] [1] : memref<8xf32> to memref<2xf32, strided<[1], offset: ?>>
    linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
        ins(%tile : memref<2x1024xf32, strided<[1024, 1], offset: ?>>) outs(%s : memref<2xf32, strided<[1], offset: ?>>) {
    ^bb0(%a: f32, %b: f32):
      %0 = arith.addf %a, %b : f32
      linalg.yield %0 : f32
    }
  }
  return
}
