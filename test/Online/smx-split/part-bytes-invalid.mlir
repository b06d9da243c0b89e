// RUN: not softmax-opt %s --smx-split=part-bytes=-1 2>&1 | FileCheck %s

// CHECK: error: option 'part-bytes' must not be negative, got -1
func.func @nothing() {
  return
}
