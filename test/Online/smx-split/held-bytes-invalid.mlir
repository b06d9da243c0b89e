// RUN: not softmax-opt %s --smx-split=held-bytes=-1 2>&1 | FileCheck %s

// CHECK: error: option 'held-bytes' must be at least 0, got -1
func.func @nothing() {
  return
}
