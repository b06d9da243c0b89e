// RUN: not softmax-opt %s --smx-gpu-share-last-wave=blocks=-1 2>&1 | FileCheck %s

// CHECK: option 'blocks' must be at least 0, got -1
