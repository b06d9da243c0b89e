// RUN: softmax-opt %s --smx-cpu-vectorize --canonicalize --cse | FileCheck %s

// The diagonal: i runs along the lanes, so j + j0 <= i + i0 compares lane numbers, in 32 bits, with one scalar
// distance, which is clamped before it is taken.
// CHECK-LABEL: func.func @causal(
// CHECK-SAME:    %[[S:.+]]: memref<64x16xf32>, %[[I0:.+]]: index, %[[J0:.+]]: index)
// CHECK-DAG:     %[[LANES:.+]] = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]> : vector<16xi32>
// CHECK:         scf.for %[[J:.+]] = %c0 to %c64 step %c1
// CHECK:           %[[KEY:.+]] = arith.addi %[[J]], %[[J0]] : index
// CHECK:           %[[BEFORE:.+]] = arith.addi %[[I0]], %c-1 : index
// CHECK:           %[[LEAST:.+]] = arith.maxsi %[[KEY]], %[[BEFORE]] : index
// CHECK:           %[[BEHIND:.+]] = arith.addi %[[I0]], %c16 : index
// CHECK:           %[[NEAR:.+]] = arith.minsi %[[LEAST]], %[[BEHIND]] : index
// CHECK:           %[[APART:.+]] = arith.subi %[[NEAR]], %[[I0]] : index
// CHECK:           arith.index_cast %[[APART]] : index to i32
// CHECK:           arith.cmpi sle, %{{.+}}, %[[LANES]] : vector<16xi32>
// CHECK:           arith.select %{{.+}} : vector<16xi1>, vector<16xf32>
func.func @causal(%s: memref<64x16xf32>, %i0: index, %j0: index) {
  %lowest = arith.constant 0xFF800000 : f32
  linalg.generic {indexing_maps = [affine_map<(j, i) -> (j, i)>], iterator_types = ["parallel", "parallel"]}
      outs(%s : memref<64x16xf32>) {
  ^bb0(%score: f32):
    %j = linalg.index 0 : index
    %i = linalg.index 1 : index
    %key = arith.addi %j, %j0 : index
    %query = arith.addi %i, %i0 : index
    %keeps = arith.cmpi sle, %key, %query : index
    %0 = arith.select %keeps, %score, %lowest : f32
    linalg.yield %0 : f32
  }
  return
}

// Booleans lie in bytes, not in bits.
// CHECK-LABEL: func.func @boolean(
// CHECK-SAME:    %[[M:.+]]: memref<16xi1>, %[[X:.+]]: memref<16xf32>)
// CHECK:         %[[BYTES:.+]] = builtin.unrealized_conversion_cast %[[M]] : memref<16xi1> to memref<16xi8>
// CHECK:         %[[V:.+]] = vector.load %[[BYTES]][%c0] : memref<16xi8>, vector<16xi8>
// CHECK:         arith.cmpi ne, %[[V]], %{{.+}} : vector<16xi8>
func.func @boolean(%m: memref<16xi1>, %x: memref<16xf32>) {
  %lowest = arith.constant 0xFF800000 : f32
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%m : memref<16xi1>) outs(%x : memref<16xf32>) {
  ^bb0(%keeps: i1, %score: f32):
    %0 = arith.select %keeps, %score, %lowest : f32
    linalg.yield %0 : f32
  }
  return
}

// A bound that is data may be any number, and the distance to it is taken in 32 bits all the same.
// CHECK-LABEL: func.func @first_key(
// CHECK:         %[[BOUND:.+]] = memref.load
// CHECK:         arith.maxsi %[[BOUND]],
// CHECK:         arith.minsi
// CHECK:         arith.cmpi {{.*}} : vector<16xi32>
func.func @first_key(%s: memref<16xf32>, %first: memref<i64>) {
  %zero = arith.constant 0.0 : f32
  linalg.generic {indexing_maps = [affine_map<(j) -> ()>, affine_map<(j) -> (j)>], iterator_types = ["parallel"]}
      ins(%first : memref<i64>) outs(%s : memref<16xf32>) {
  ^bb0(%bound: i64, %score: f32):
    %j = linalg.index 0 : index
    %key = arith.index_cast %j : index to i64
    %keeps = arith.cmpi sge, %key, %bound : i64
    %0 = arith.select %keeps, %score, %zero : f32
    linalg.yield %0 : f32
  }
  return
}

// What data are added to may leave 64 bits: every lane computes its own.
// CHECK-LABEL: func.func @moved_key(
// CHECK:         arith.cmpi sge, %{{.+}} : vector<16xi64>
func.func @moved_key(%s: memref<16xf32>, %by: memref<i64>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : i64
  linalg.generic {indexing_maps = [affine_map<(j) -> ()>, affine_map<(j) -> (j)>], iterator_types = ["parallel"]}
      ins(%by : memref<i64>) outs(%s : memref<16xf32>) {
  ^bb0(%offset: i64, %score: f32):
    %j = linalg.index 0 : index
    %key = arith.index_cast %j : index to i64
    %moved = arith.addi %key, %offset : i64
    %keeps = arith.cmpi sge, %moved, %c0 : i64
    %0 = arith.select %keeps, %score, %zero : f32
    linalg.yield %0 : f32
  }
  return
}
