// RUN: not softmax-opt %s --smx-gpu-roles=depth=0 2>&1 | FileCheck %s -DNAME=depth -DLEAST=1 -DVALUE=0

// CHECK: error: option '[[NAME]]' must be at least [[LEAST]], got [[VALUE]]
smx_gpu.kernel @nothing() warps(1) {
  smx_gpu.return
}
