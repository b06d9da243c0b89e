// RUN: not softmax-opt %s --smx-gpu-unite-loops=widest=-1 2>&1 | FileCheck %s -DNAME=widest -DLEAST=0 -DVALUE=-1
// RUN: not softmax-opt %s --smx-gpu-unite-loops=narrow=-1 2>&1 | FileCheck %s -DNAME=narrow -DLEAST=0 -DVALUE=-1
// RUN: not softmax-opt %s --smx-gpu-unite-loops=rounds=-1 2>&1 | FileCheck %s -DNAME=rounds -DLEAST=0 -DVALUE=-1
// RUN: not softmax-opt %s --smx-gpu-unite-loops=open-groups=-1 2>&1 | FileCheck %s -DNAME=open-groups -DLEAST=0 -DVALUE=-1

// CHECK: error: option '[[NAME]]' must be at least [[LEAST]], got [[VALUE]]
smx_gpu.kernel @nothing() warps(1) {
  smx_gpu.return
}
