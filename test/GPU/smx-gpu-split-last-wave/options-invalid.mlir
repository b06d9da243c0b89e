// RUN: not softmax-opt %s --smx-gpu-split-last-wave=blocks=-1 2>&1 | FileCheck %s
// RUN: not softmax-opt %s --smx-gpu-split-last-wave='blocks=2 parts=-1' 2>&1 | FileCheck %s --check-prefix=PARTS

// CHECK: option 'blocks' must be at least 0, got -1
// PARTS: option 'parts' must be at least 0, got -1
