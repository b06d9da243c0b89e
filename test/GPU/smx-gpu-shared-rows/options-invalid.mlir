// RUN: not softmax-opt %s --pass-pipeline='builtin.module(smx_gpu.kernel(smx-gpu-shared-rows{bytes=0}))' 2>&1 | FileCheck %s

// CHECK: option 'bytes' must be at least 1, got 0

// RUN: not softmax-opt %s --pass-pipeline='builtin.module(smx_gpu.kernel(smx-gpu-shared-rows{states=-1}))' 2>&1 | FileCheck %s --check-prefix=STATES

// STATES: option 'states' must be at least 0, got -1
