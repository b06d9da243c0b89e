// The five ops of F.softmax as torch-mlir exports them, on 32 x 96 in f32: 5MN + 2M = 15424 elements read, and 3MN + 2M =
// 9280 written; the position of the maximum, which nobody uses, is not.

// RUN: softmax-opt %S/../../../integration/pytorch/fixtures/softmax-last.mlir -o /dev/null --smx-report | FileCheck %s

// CHECK: @main naive 61696 37120 0 12288 3072 {{.*}} memory
