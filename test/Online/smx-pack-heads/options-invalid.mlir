// RUN: not softmax-opt %s --smx-pack-heads=rows=0 2>&1 | FileCheck %s

// CHECK: option 'rows' must be at least 1, got 0
module {}
