// RUN: not softmax-opt %s --smx-gpu-persistent-rows=clusters=-1 2>&1 | FileCheck %s
// RUN: not softmax-opt %s --smx-gpu-persistent-rows=stagger=-1 2>&1 | FileCheck %s --check-prefix=STAGGER

// CHECK: option 'clusters' must be at least 0, got -1
// STAGGER: option 'stagger' must be at least 0, got -1
