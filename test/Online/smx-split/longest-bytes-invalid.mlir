// RUN: not softmax-opt %s --smx-split=longest-bytes=-1 2>&1 | FileCheck %s

// CHECK: error: option 'longest-bytes' must be at least 0, got -1
func.func @nothing() {
  return
}
