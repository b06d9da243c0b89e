// RUN: not softmax-opt %s --smx-tile=rows=-1 2>&1 | FileCheck %s -DNAME=rows -DVALUE=-1
// RUN: not softmax-opt %s --smx-tile=stream=-32 2>&1 | FileCheck %s -DNAME=stream -DVALUE=-32
// RUN: not softmax-opt %s --smx-tile=resident-bytes=-5 2>&1 | FileCheck %s -DNAME=resident-bytes -DVALUE=-5
// RUN: not softmax-opt %s --smx-tile=deferred-bytes=-1 2>&1 | FileCheck %s -DNAME=deferred-bytes -DVALUE=-1
// RUN: not softmax-opt %s --smx-tile=row-bytes=-1 2>&1 | FileCheck %s -DNAME=row-bytes -DVALUE=-1
// RUN: not softmax-opt %s --smx-tile=held-blocks=-1 2>&1 | FileCheck %s -DNAME=held-blocks -DVALUE=-1
// RUN: not softmax-opt %s --smx-tile=parts=-1 2>&1 | FileCheck %s -DNAME=parts -DVALUE=-1
// RUN: not softmax-opt %s --smx-tile=slots=-8 2>&1 | FileCheck %s -DNAME=slots -DVALUE=-8
// RUN: not softmax-opt %s --smx-tile=shared-bytes=-8 2>&1 | FileCheck %s -DNAME=shared-bytes -DVALUE=-8
// RUN: not softmax-opt %s --smx-tile=strip-blocks=0 2>&1 | FileCheck %s --check-prefix=LEAST -DNAME=strip-blocks

// CHECK: error: option '[[NAME]]' must be at least 0, got [[VALUE]]
// LEAST: error: option '[[NAME]]' must be at least 1, got 0
func.func @nothing() {
  return
}
