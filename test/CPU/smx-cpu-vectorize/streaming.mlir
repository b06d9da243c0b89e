// RUN: softmax-opt %s --smx-cpu-vectorize=streaming-bytes=1024 --canonicalize | FileCheck %s
// RUN: softmax-opt %s --smx-cpu-vectorize=streaming-bytes=0 --canonicalize | FileCheck %s --check-prefix=NEVER

// Behind a test of size and alignment.
// CHECK-LABEL: func.func @write_only(
// CHECK:         memref.dim %[[Y:.+]], %c0
// CHECK:         arith.cmpi uge
// CHECK:         memref.extract_aligned_pointer_as_index
// CHECK:         scf.if
// CHECK:           vector.store {{.+}} {alignment = 64 : i64, nontemporal = true}
// CHECK:         } else {
// CHECK:           vector.store {{[^{]+$}}
// NEVER-NOT:     nontemporal
func.func @write_only(%x: memref<?xf32>, %y: memref<?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %a : f32
    linalg.yield %0 : f32
  }
  return
}

// What is read, too, had better stay in the caches.
// CHECK-LABEL: func.func @updated(
// CHECK-NOT:     nontemporal
func.func @updated(%y: memref<?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%y : memref<?xf32>) {
  ^bb0(%b: f32):
    %0 = arith.addf %b, %b : f32
    linalg.yield %0 : f32
  }
  return
}
