// RUN: not softmax-opt %s --smx-split=held-blocks=0 2>&1 | FileCheck %s

// CHECK: error: option 'held-blocks' must be at least 1, got 0
func.func @nothing() {
  return
}
