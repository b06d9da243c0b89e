// RUN: softmax-opt %s --smx-cpu-vectorize --canonicalize --cse | FileCheck %s

// Two outputs of one op: the weights are stored for every j, their sums stay in registers; the references do not
// depend on j and are loaded before the loop.
// CHECK-LABEL: func.func @weights(
// CHECK-SAME:    %[[R:.+]]: memref<16xf32>, %[[P:.+]]: memref<64x16xf32>, %[[L:.+]]: memref<16xf32>)
// CHECK:         %[[REF:.+]] = vector.load %[[R]][%c0]
// CHECK:         %[[START:.+]] = vector.load %[[L]][%c0]
// CHECK:         %[[SUM:.+]] = scf.for %[[J:.+]] = %c0 to %c64 step %c1 iter_args(%[[ACC:.+]] = %[[START]])
// CHECK:           %[[S:.+]] = vector.load %[[P]][%[[J]], %c0]
// CHECK:           %[[X:.+]] = arith.subf %[[S]], %[[REF]]
// CHECK:           %[[E:.+]] = math.exp2 %[[X]] : vector<16xf32>
// CHECK:           %[[NEXT:.+]] = arith.addf %[[ACC]], %[[E]]
// CHECK:           vector.store %[[E]], %[[P]][%[[J]], %c0]
// CHECK:           scf.yield %[[NEXT]]
// CHECK:         vector.store %[[SUM]], %[[L]][%c0]
func.func @weights(%r: memref<16xf32>, %p: memref<64x16xf32>, %l: memref<16xf32>) {
  linalg.generic {indexing_maps = [affine_map<(j, i) -> (i)>, affine_map<(j, i) -> (j, i)>, affine_map<(j, i) -> (i)>],
                  iterator_types = ["reduction", "parallel"]}
      ins(%r : memref<16xf32>) outs(%p, %l : memref<64x16xf32>, memref<16xf32>) {
  ^bb0(%ref: f32, %s: f32, %sum: f32):
    %0 = arith.subf %s, %ref : f32
    %1 = math.exp2 %0 : f32
    %2 = arith.addf %sum, %1 : f32
    linalg.yield %1, %2 : f32, f32
  }
  return
}

// The reduced dimension runs along the lanes: several accumulators, merged by the comparison of the body, then by
// halves of the last one.
// CHECK-LABEL: func.func @row_maximum(
// CHECK:         scf.for %{{.+}} = %c0 to %c256 step %c128 iter_args(
// CHECK-COUNT-8:   arith.extf %{{.+}} : vector<16xbf16> to vector<16xf32>
// CHECK-COUNT-7: arith.cmpf ogt, %{{.+}} : vector<16xf32>
// CHECK:         arith.cmpf ogt, %{{.+}} : vector<8xf32>
// CHECK:         arith.cmpf ogt, %{{.+}} : vector<4xf32>
// CHECK:         arith.cmpf ogt, %{{.+}} : vector<2xf32>
// CHECK:         memref.store
func.func @row_maximum(%x: memref<4x256xbf16>, %m: memref<4xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<4x256xbf16>) outs(%m : memref<4xf32>) {
  ^bb0(%a: bf16, %b: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.cmpf ogt, %0, %b : f32
    %2 = arith.select %1, %0, %b : f32
    linalg.yield %2 : f32
  }
  return
}

// An f32 body that adds up in f64 keeps its sixteen lanes; a lane that does not exist adds nothing.
// CHECK-LABEL: func.func @sum(
// CHECK:         vector.maskedload
// CHECK:         %[[W:.+]] = arith.extf %{{.+}} : vector<16xf32> to vector<16xf64>
// CHECK:         %[[SUM:.+]] = arith.addf %{{.+}}, %[[W]] : vector<16xf64>
// CHECK:         arith.select %{{.+}}, %[[SUM]], %{{.+}} : vector<16xi1>, vector<16xf64>
func.func @sum(%x: memref<42xf32>, %s: memref<f64>) {
  linalg.generic {indexing_maps = [affine_map<(j) -> (j)>, affine_map<(j) -> ()>], iterator_types = ["reduction"]}
      ins(%x : memref<42xf32>) outs(%s : memref<f64>) {
  ^bb0(%a: f32, %b: f64):
    %0 = arith.mulf %a, %a : f32
    %1 = arith.addf %0, %a : f32
    %2 = arith.extf %1 : f32 to f64
    %3 = arith.addf %b, %2 : f64
    linalg.yield %3 : f64
  }
  return
}

// Not a known way to combine partial results (an affine recurrence): in order, one scalar at a time.
// CHECK-LABEL: func.func @recurrence(
// CHECK-NOT:     vector
// CHECK:         scf.for %{{.+}} iter_args(%[[ACC:.+]] = %{{.+}}) -> (f32)
func.func @recurrence(%x: memref<64xf32>, %s: memref<f32>) {
  linalg.generic {indexing_maps = [affine_map<(j) -> (j)>, affine_map<(j) -> ()>], iterator_types = ["reduction"]}
      ins(%x : memref<64xf32>) outs(%s : memref<f32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.mulf %b, %a : f32
    %1 = arith.addf %0, %a : f32
    linalg.yield %1 : f32
  }
  return
}

// The running maximum is read by another result: the lanes have no running maximum, so this is in order, too.
// CHECK-LABEL: func.func @sum_of_running_maxima(
// CHECK-NOT:     vector
// CHECK:         scf.for %{{.+}} iter_args(%{{.+}} = %{{.+}}, %{{.+}} = %{{.+}}) -> (f32, f32)
func.func @sum_of_running_maxima(%x: memref<64xf32>, %m: memref<f32>, %s: memref<f32>) {
  linalg.generic {indexing_maps = [affine_map<(j) -> (j)>, affine_map<(j) -> ()>, affine_map<(j) -> ()>],
                  iterator_types = ["reduction"]}
      ins(%x : memref<64xf32>) outs(%m, %s : memref<f32>, memref<f32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.maximumf %b, %a : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %0, %1 : f32, f32
  }
  return
}

// So is the comparison with it: how often it rose.
// CHECK-LABEL: func.func @count_of_rises(
// CHECK-NOT:     vector
// CHECK:         scf.for %{{.+}} iter_args(%{{.+}} = %{{.+}}, %{{.+}} = %{{.+}}) -> (f32, i32)
func.func @count_of_rises(%x: memref<64xf32>, %m: memref<f32>, %n: memref<i32>) {
  linalg.generic {indexing_maps = [affine_map<(j) -> (j)>, affine_map<(j) -> ()>, affine_map<(j) -> ()>],
                  iterator_types = ["reduction"]}
      ins(%x : memref<64xf32>) outs(%m, %n : memref<f32>, memref<i32>) {
  ^bb0(%a: f32, %b: f32, %c: i32):
    %0 = arith.cmpf ogt, %a, %b : f32
    %1 = arith.select %0, %a, %b : f32
    %2 = arith.extui %0 : i1 to i32
    %3 = arith.addi %c, %2 : i32
    linalg.yield %1, %3 : f32, i32
  }
  return
}

// Two results that do not look at each other keep their lanes.
// CHECK-LABEL: func.func @maximum_and_sum(
// CHECK:         arith.maximumf %{{.+}} : vector<16xf32>
// CHECK:         arith.addf %{{.+}} : vector<16xf32>
func.func @maximum_and_sum(%x: memref<64xf32>, %m: memref<f32>, %s: memref<f32>) {
  linalg.generic {indexing_maps = [affine_map<(j) -> (j)>, affine_map<(j) -> ()>, affine_map<(j) -> ()>],
                  iterator_types = ["reduction"]}
      ins(%x : memref<64xf32>) outs(%m, %s : memref<f32>, memref<f32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.maximumf %b, %a : f32
    %1 = arith.addf %c, %a : f32
    linalg.yield %0, %1 : f32, f32
  }
  return
}
