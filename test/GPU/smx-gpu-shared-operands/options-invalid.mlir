// RUN: not softmax-opt %s --smx-gpu-shared-operands=registers=-1 2>&1 | FileCheck %s -DNAME=registers -DLEAST=0 -DVALUE=-1

// CHECK: error: option '[[NAME]]' must be at least [[LEAST]], got [[VALUE]]
smx_gpu.kernel @nothing() warps(1) {
  smx_gpu.return
}
