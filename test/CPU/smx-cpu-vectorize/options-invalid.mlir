// RUN: not softmax-opt %s --smx-cpu-vectorize=vector-bits=384 2>&1 | FileCheck %s

// CHECK: vector-bits must be 128, 256 or 512, got 384
func.func @empty() {
  return
}
