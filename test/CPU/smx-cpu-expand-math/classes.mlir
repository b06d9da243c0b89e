// RUN: softmax-opt %s --smx-cpu-expand-math | FileCheck %s

// CHECK-LABEL: @infinite
// CHECK: %[[A:.+]] = math.absf %{{.+}} : vector<4xf32>
// CHECK: arith.cmpf oeq, %[[A]], %cst : vector<4xf32>
// CHECK-NOT: math.isinf
func.func @infinite(%x: vector<4xf32>) -> vector<4xi1> {
  %y = math.isinf %x : vector<4xf32>
  return %y : vector<4xi1>
}

// From the least normal number to the largest.
// CHECK-LABEL: @normal
// CHECK: %[[A:.+]] = math.absf %{{.+}} : f64
// CHECK-DAG: %[[INF:.+]] = arith.constant 0x7FF0000000000000 : f64
// CHECK-DAG: %[[LEAST:.+]] = arith.constant 2.2250738585072014E-308 : f64
// CHECK-DAG: %[[BELOW:.+]] = arith.cmpf olt, %[[A]], %[[INF]]
// CHECK-DAG: %[[ABOVE:.+]] = arith.cmpf oge, %[[A]], %[[LEAST]]
// CHECK: arith.andi %[[BELOW]], %[[ABOVE]] : i1
func.func @normal(%x: f64) -> i1 {
  %y = math.isnormal %x : f64
  return %y : i1
}
