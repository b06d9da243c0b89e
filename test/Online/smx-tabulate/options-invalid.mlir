// RUN: not softmax-opt %s --smx-tabulate=reuse=0 2>&1 | FileCheck %s

// CHECK: option 'reuse' must be at least 1, got 0
module {}
