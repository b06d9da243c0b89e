// RUN: not softmax-opt %s --smx-gpu-expect-move=rounds=-1 2>&1 | FileCheck %s -DNAME=rounds -DLEAST=0 -DVALUE=-1
// RUN: not softmax-opt %s --smx-gpu-expect-move=columns=-1 2>&1 | FileCheck %s -DNAME=columns -DLEAST=0 -DVALUE=-1

// CHECK: error: option '[[NAME]]' must be at least [[LEAST]], got [[VALUE]]
smx_gpu.kernel @nothing() warps(1) {
  smx_gpu.return
}
