// Every chip gets the PTX that its driver knows: 8.0, or the oldest that knows the chip.
// RUN: softmax-compile %s --emit=ptx --chip=sm_80 | FileCheck %s -DCHIP=sm_80 -DVERSION=8.0
// RUN: softmax-compile %s --emit=ptx --chip=sm_88 | FileCheck %s -DCHIP=sm_88 -DVERSION=9.0
// RUN: softmax-compile %s --emit=ptx --chip=sm_90a | FileCheck %s -DCHIP=sm_90a -DVERSION=8.0
// RUN: softmax-compile %s --emit=ptx --chip=sm_100 | FileCheck %s -DCHIP=sm_100 -DVERSION=8.6
// RUN: softmax-compile %s --emit=ptx --chip=sm_100a | FileCheck %s -DCHIP=sm_100a -DVERSION=8.6
// RUN: softmax-compile %s --emit=ptx --chip=sm_103 | FileCheck %s -DCHIP=sm_103 -DVERSION=8.8
// RUN: softmax-compile %s --emit=ptx --chip=sm_120 | FileCheck %s -DCHIP=sm_120 -DVERSION=8.7
// RUN: not softmax-opt --smx-to-nvvm=chip= %s 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: '' is not an architecture that LLVM knows; use sm_80, sm_86, sm_89, sm_90a or newer
// CHECK: .version [[VERSION]]
// CHECK: .target [[CHIP]]
func.func @f(%x: tensor<?x1000xbf16>) -> tensor<?x1000xbf16> {
  %y = smx.softmax %x axis(1) : tensor<?x1000xbf16> -> tensor<?x1000xbf16>
  return %y : tensor<?x1000xbf16>
}
