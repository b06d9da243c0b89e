// RUN: not softmax-opt %s --smx-verify-stage=stage=tilled 2>&1 | FileCheck %s
// RUN: not softmax-opt %s --smx-verify-stage 2>&1 | FileCheck %s --check-prefix=EMPTY

// CHECK: error: smx-verify-stage: unknown stage 'tilled'; stages are input, naive, online, tiled, cpu, llvm
// EMPTY: error: smx-verify-stage: unknown stage ''; stages are input, naive, online, tiled, cpu, llvm
module {}
