// RUN: softmax-opt %s -o /dev/null --smx-report | FileCheck %s

// CHECK: @f llvm not counted: functions of the llvm dialect
llvm.func @f(%x: f32) -> f32 {
  llvm.return %x : f32
}
