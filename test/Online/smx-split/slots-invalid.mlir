// RUN: not softmax-opt %s --smx-split=slots=0 2>&1 | FileCheck %s

// CHECK: error: option 'slots' must be at least 1, got 0
func.func @nothing() {
  return
}
