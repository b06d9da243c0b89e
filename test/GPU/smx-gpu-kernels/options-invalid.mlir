// RUN: not softmax-opt %s --smx-gpu-kernels=blocks=-1 2>&1 | FileCheck %s -DNAME=blocks -DLEAST=0 -DVALUE=-1
// RUN: not softmax-opt %s --smx-gpu-kernels=deal=-1 2>&1 | FileCheck %s -DNAME=deal -DLEAST=0 -DVALUE=-1
// RUN: not softmax-opt %s --smx-gpu-kernels=alignment=-1 2>&1 | FileCheck %s -DNAME=alignment -DLEAST=0 -DVALUE=-1
// RUN: not softmax-opt %s --smx-gpu-kernels=shared-limit=-1 2>&1 | FileCheck %s -DNAME=shared-limit -DLEAST=0 -DVALUE=-1
// RUN: not softmax-opt %s --smx-gpu-kernels=clusters=0 2>&1 | FileCheck %s -DNAME=clusters -DLEAST=1 -DVALUE=0

// CHECK: error: option '[[NAME]]' must be at least [[LEAST]], got [[VALUE]]
smx_gpu.kernel @nothing() warps(1) {
  smx_gpu.return
}
