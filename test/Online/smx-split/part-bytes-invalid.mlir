// RUN: not softmax-opt %s --smx-split=part-bytes=-1 2>&1 | FileCheck %s

// CHECK: error: option 'part-bytes' must be at least 0, got -1
func.func @nothing() {
  return
}
