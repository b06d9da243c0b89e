// RUN: not softmax-opt %s --pass-pipeline='builtin.module(smx_gpu.kernel(smx-gpu-recompute{elements=-1}))' 2>&1 | FileCheck %s

// CHECK: option 'elements' must not be negative, got -1
