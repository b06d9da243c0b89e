// RUN: not softmax-opt %s --smx-gpu-split-last-wave=blocks=-1 2>&1 | FileCheck %s
// RUN: not softmax-opt %s --smx-gpu-split-last-wave='blocks=2 parts=-1' 2>&1 | FileCheck %s --check-prefix=PARTS

// CHECK: options 'blocks' and 'parts' must be at least 0 (0 cuts nothing, and lets the cost decide), got -1 and 0
// PARTS: options 'blocks' and 'parts' must be at least 0 (0 cuts nothing, and lets the cost decide), got 2 and -1
