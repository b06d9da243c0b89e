// RUN: not softmax-opt %s --smx-to-gpu=warps=33 2>&1 | FileCheck %s
// RUN: not softmax-opt %s --smx-to-gpu=warps=-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE

// CHECK: error: option 'warps' must be from 0 to 32, got 33
// NEGATIVE: error: option 'warps' must be from 0 to 32, got -1
!t = tensor<2x64x64xbf16>
func.func @attention(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.125) : !t, !t, !t -> !t
  return %o : !t
}
