// RUN: not softmax-opt %s --smx-gpu-next-tile=rounds=-1 2>&1 | FileCheck %s -DNAME=rounds -DLEAST=0 -DVALUE=-1
// RUN: not softmax-opt %s --smx-gpu-next-tile=tiles=-1 2>&1 | FileCheck %s -DNAME=tiles -DLEAST=0 -DVALUE=-1
// RUN: not softmax-opt %s --smx-gpu-next-tile=cut-rounds=-1 2>&1 | FileCheck %s -DNAME=cut-rounds -DLEAST=0 -DVALUE=-1
// RUN: not softmax-opt %s --smx-gpu-next-tile=cut-columns=-1 2>&1 | FileCheck %s -DNAME=cut-columns -DLEAST=0 -DVALUE=-1
// RUN: not softmax-opt %s --smx-gpu-next-tile=ahead-rounds=-1 2>&1 | FileCheck %s -DNAME=ahead-rounds -DLEAST=0 -DVALUE=-1

// CHECK: error: option '[[NAME]]' must be at least [[LEAST]], got [[VALUE]]
smx_gpu.kernel @nothing() warps(1) {
  smx_gpu.return
}
