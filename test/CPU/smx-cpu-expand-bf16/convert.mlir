// RUN: softmax-opt %s --smx-cpu-expand-bf16 | FileCheck %s

// CHECK-LABEL: func.func @narrow(
// CHECK-SAME:    %[[X:.+]]: vector<8xf32>)
// CHECK-DAG:     %[[NAN:.+]] = arith.constant dense<32704> : vector<8xi16>
// CHECK-DAG:     %[[IS_NAN:.+]] = arith.cmpf une, %[[X]], %[[X]]
// CHECK:         %[[WORD:.+]] = arith.trunci %{{.+}} : vector<8xi32> to vector<8xi16>
// CHECK:         %[[KEPT:.+]] = arith.select %[[IS_NAN]], %[[NAN]], %[[WORD]]
// CHECK:         %[[Y:.+]] = arith.bitcast %[[KEPT]] : vector<8xi16> to vector<8xbf16>
// CHECK:         return %[[Y]]
func.func @narrow(%x: vector<8xf32>) -> vector<8xbf16> {
  %y = arith.truncf %x : vector<8xf32> to vector<8xbf16>
  return %y : vector<8xbf16>
}

// CHECK-LABEL: func.func @widen(
// CHECK-NOT:     arith.extf
// CHECK:         arith.shli %{{.+}}, %{{.+}} : i32
func.func @widen(%x: bf16) -> f32 {
  %y = arith.extf %x : bf16 to f32
  return %y : f32
}

// Extrema stay as they are, and so does f16.
// CHECK-LABEL: func.func @others(
// CHECK:         arith.maximumf
// CHECK:         arith.truncf
func.func @others(%x: f32, %y: f32) -> f16 {
  %m = arith.maximumf %x, %y : f32
  %h = arith.truncf %m : f32 to f16
  return %h : f16
}
