// RUN: not softmax-opt %s --pass-pipeline='builtin.module(smx_gpu.kernel(smx-gpu-reread-rows{elements=0}))' 2>&1 | FileCheck %s

// CHECK: option 'elements' must be at least 1, got 0
