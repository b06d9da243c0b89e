// RUN: not softmax-opt %s --smx-online=exp=exp10 2>&1 | FileCheck %s

// CHECK: error: unknown value 'exp10' of option 'exp', expected auto, exp or exp2
func.func @nothing() {
  return
}
