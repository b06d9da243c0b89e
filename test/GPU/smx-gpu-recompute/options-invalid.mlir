// RUN: not softmax-opt %s --pass-pipeline='builtin.module(smx_gpu.kernel(smx-gpu-recompute{elements=-1}))' 2>&1 | FileCheck %s

// CHECK: option 'elements' must be at least 0, got -1
