// RUN: softmax-opt %s --smx-cpu-vectorize --canonicalize --cse | FileCheck %s
// RUN: softmax-opt %s --smx-cpu-vectorize=vector-bits=256 --canonicalize --cse | FileCheck %s --check-prefix=AVX2

#k = affine_map<(j, i, d) -> (j, d)>
#q = affine_map<(j, i, d) -> (d, i)>
#s = affine_map<(j, i, d) -> (j, i)>

// The fill becomes the initial value; two vectors and twelve rows are accumulated in registers, and a key is
// loaded as a scalar and broadcast.
// CHECK-LABEL: func.func @scores(
// CHECK-SAME:    %[[K:.+]]: memref<24x64xf32>, %[[Q:.+]]: memref<64x32xf32>, %[[S:.+]]: memref<24x32xf32>)
// CHECK-DAG:     %[[ZERO:.+]] = arith.constant dense<0.000000e+00> : vector<16xf32>
// CHECK-NOT:     linalg.fill
// CHECK:         scf.for %[[J:.+]] = %c0 to %c24 step %c12
// CHECK:           %[[ACC:.+]]:24 = scf.for %[[D:.+]] = %c0 to %c64 step %c1 iter_args(%[[FIRST:[a-z0-9]+]] = %[[ZERO]],
// CHECK:             %[[KEY:.+]] = memref.load %[[K]][%[[J]], %[[D]]]
// CHECK:             %[[ROW:.+]] = vector.load %[[Q]][%[[D]], %c0] : memref<64x32xf32>, vector<16xf32>
// CHECK:             %[[ALL:.+]] = vector.broadcast %[[KEY]] : f32 to vector<16xf32>
// CHECK:             math.fma %[[ALL]], %[[ROW]], %[[FIRST]] : vector<16xf32>
// CHECK-COUNT-23:    math.fma
// CHECK:             scf.yield
// CHECK:           vector.store %[[ACC]]#0, %[[S]][%[[J]], %c0]
// CHECK-COUNT-23:  vector.store
// CHECK-NOT:     vector.mask

// Sixteen registers hold fewer rows.
// AVX2-LABEL: func.func @scores(
// AVX2:         vector<8xf32>
// AVX2-NOT:     vector<16xf32>
func.func @scores(%k: memref<24x64xf32>, %q: memref<64x32xf32>, %s: memref<24x32xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%s : memref<24x32xf32>)
  linalg.generic {indexing_maps = [#k, #q, #s], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%k, %q : memref<24x64xf32>, memref<64x32xf32>) outs(%s : memref<24x32xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// Open extents: whole blocks, then single rows, then lanes under a mask.
// CHECK-LABEL: func.func @open(
// CHECK:         vector.load
// CHECK:         vector.create_mask
// CHECK:         vector.maskedload
// CHECK:         vector.maskedstore
func.func @open(%k: memref<?x?xf32>, %q: memref<?x?xf32>, %s: memref<?x?xf32>) {
  linalg.generic {indexing_maps = [#k, #q, #s], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%k, %q : memref<?x?xf32>, memref<?x?xf32>) outs(%s : memref<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// A named op is generalised first.
// CHECK-LABEL: func.func @named(
// CHECK-NOT:     linalg.matmul
// CHECK:         math.fma
func.func @named(%a: memref<8x8xf32>, %b: memref<8x16xf32>, %c: memref<8x16xf32>) {
  linalg.matmul ins(%a, %b : memref<8x8xf32>, memref<8x16xf32>) outs(%c : memref<8x16xf32>)
  return
}
