// RUN: softmax-opt %s --smx-cpu-thread-loops | FileCheck %s

// CHECK-LABEL: func.func @threads(
// CHECK:         omp.parallel {
// CHECK-DAG:       %[[TILE:.+]] = memref.alloc() {alignment = 64 : i64} : memref<64x64xf32>
// CHECK-DAG:       %[[STATE:.+]] = memref.alloca() {alignment = 64 : i64} : memref<16xf32>
// CHECK:           omp.wsloop schedule(guided)
// CHECK-NOT:         memref.alloc
// CHECK:             memref.store %{{.+}}, %[[TILE]]
// CHECK:             memref.store %{{.+}}, %[[STATE]]
// CHECK:           }
// CHECK:           memref.dealloc %[[TILE]]
// CHECK:           omp.terminator
func.func @threads(%n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  omp.parallel {
    omp.wsloop {
      omp.loop_nest (%i) : index = (%c0) to (%n) step (%c1) {
        %tile = memref.alloc() {alignment = 64 : i64} : memref<64x64xf32>
        %state = memref.alloc() {alignment = 64 : i64} : memref<16xf32>
        memref.store %x, %tile[%c0, %c0] : memref<64x64xf32>
        memref.store %x, %state[%c0] : memref<16xf32>
        memref.dealloc %tile : memref<64x64xf32>
        memref.dealloc %state : memref<16xf32>
        omp.yield
      }
    }
    omp.terminator
  }
  return
}

// The size is known only inside: stays.
// CHECK-LABEL: func.func @inside(
// CHECK:         scf.for %[[I:.+]] =
// CHECK-NEXT:      memref.alloc(%[[I]])
func.func @inside(%n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c1 to %n step %c1 {
    %s = memref.alloc(%i) : memref<?xf32>
    memref.store %x, %s[%c0] : memref<?xf32>
    memref.dealloc %s : memref<?xf32>
  }
  return
}
