// The function that is run is compiled with what it calls; a module inside of its own is not its concern.
// RUN: softmax-run %s --repeat=0 | FileCheck %s
// RUN: softmax-run %s --repeat=0 --target=emulator | FileCheck %s
// RUN: softmax-compile %s --entry=columns --emit=llvm | FileCheck %s --check-prefix=LLVM --implicit-check-not=rows
// CHECK: against raised: pass
// LLVM: llvm.func @_mlir_ciface_columns
// RUN: not softmax-compile %s --emit=llvm --reproducer-dir= 2>&1 | FileCheck %s --check-prefix=WHOLE
// WHOLE: modules-in-modules.mlir:[[#@LINE+12]]:3: error: 'builtin.module' op breaks the contract of stage 'naive': it is inside of another one
// WHOLE: note: functions of the outermost module alone are compiled; a module in a file of its own would work

// A file with several modules is a module around them.
// RUN: sed -n '/^  module/,/^  }/p' %s > %t.mlir && cat %t.mlir %t.mlir > %t.mlir.two
// RUN: not softmax-run %t.mlir.two 2>&1 | FileCheck %s --check-prefix=TWO
// TWO: softmax-run: {{.*}}.mlir.two:1:3: this module is inside of another one, which has no public func.func with a body; a file of its own would work
module {
  func.func @columns(%x: tensor<4x40xf32>) -> tensor<4x40xf32> {
    %y = smx.softmax %x axis(0) : tensor<4x40xf32> -> tensor<4x40xf32>
    return %y : tensor<4x40xf32>
  }
  module {
    func.func @rows(%x: tensor<4x40xf32>) -> tensor<4x40xf32> {
      %y = smx.softmax %x axis(1) : tensor<4x40xf32> -> tensor<4x40xf32>
      return %y : tensor<4x40xf32>
    }
  }
}
