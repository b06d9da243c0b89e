// RUN: not softmax-opt %s --smx-split=parts=-3 2>&1 | FileCheck %s

// CHECK: error: option 'parts' must be at least 1, got -3
func.func @nothing() {
  return
}
