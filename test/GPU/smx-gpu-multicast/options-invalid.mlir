// RUN: not softmax-opt %s --smx-gpu-multicast=cluster=0 2>&1 | FileCheck %s -DNAME=cluster -DLEAST=1 -DVALUE=0

// CHECK: error: option '[[NAME]]' must be at least [[LEAST]], got [[VALUE]]
smx_gpu.kernel @nothing() warps(1) {
  smx_gpu.return
}
