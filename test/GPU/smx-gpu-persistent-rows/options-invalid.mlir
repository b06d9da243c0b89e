// RUN: not softmax-opt %s --smx-gpu-persistent-rows=clusters=-1 2>&1 | FileCheck %s

// CHECK: option 'clusters' must be at least 0, got -1
