// A function may have a name that code made for it calls, or that a program it is linked with has.
// RUN: softmax-run %s --entry=malloc --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=free --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=main --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=__kmpc_fork_call --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=llvm.exp --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=smx_assertion_failed --repeat=0 --random=ramp | FileCheck %s
// CHECK: against raised: pass
// RUN: softmax-compile %s --entry=main --emit=asm -o - | FileCheck %s --check-prefix=ASM --implicit-check-not=.globl
// ASM: .globl _mlir_ciface_main

!t = tensor<70x40xf32>
func.func @malloc(%x: !t) -> !t {
  %y = smx.softmax %x axis(1) : !t -> !t
  %z = smx.softmax %y axis(0) : !t -> !t
  return %z : !t
}
func.func @free(%x: !t) -> !t {
  %y = smx.softmax %x axis(1) : !t -> !t
  %z = smx.softmax %y axis(0) : !t -> !t
  return %z : !t
}
func.func @main(%x: !t) -> !t {
  %y = smx.softmax %x axis(1) : !t -> !t
  return %y : !t
}
func.func @__kmpc_fork_call(%x: !t) -> !t {
  %y = smx.softmax %x axis(1) : !t -> !t
  return %y : !t
}
func.func @llvm.exp(%x: !t) -> !t {
  %y = smx.softmax %x axis(1) : !t -> !t
  return %y : !t
}
func.func @smx_assertion_failed(%x: !t, %i: tensor<3xindex>) -> tensor<3x40xf32> {
  %e = tensor.empty() : tensor<3x40xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%i : tensor<3xindex>) outs(%e : tensor<3x40xf32>) {
  ^bb0(%at: index, %o: f32):
    %j = linalg.index 1 : index
    %n = arith.constant 70 : index
    %ok = arith.cmpi ult, %at, %n : index
    cf.assert %ok, "row out of range"
    %v = tensor.extract %x[%at, %j] : !t
    linalg.yield %v : f32
  } -> tensor<3x40xf32>
  return %r : tensor<3x40xf32>
}
