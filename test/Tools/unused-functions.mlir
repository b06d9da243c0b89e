// What no public function comes to call is no concern of the one that is run: it may call what has no body here, or itself.
// RUN: softmax-run %s --check=naive --repeat=0 | FileCheck %s
// RUN: softmax-run %s --target=emulator --check=naive --repeat=0 | FileCheck %s
// CHECK: against naive: pass
// RUN: softmax-run %s --explain --target=cuda --chip=sm_80 | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN: softmax

func.func private @elsewhere(tensor<4x40xf32>) -> tensor<4x40xf32>
func.func private @unused(%x: tensor<4x40xf32>) -> tensor<4x40xf32> {
  %y = call @elsewhere(%x) : (tensor<4x40xf32>) -> tensor<4x40xf32>
  return %y : tensor<4x40xf32>
}
func.func private @unused_loop(%x: tensor<4x40xf32>) -> tensor<4x40xf32> {
  %y = call @unused(%x) : (tensor<4x40xf32>) -> tensor<4x40xf32>
  %z = call @unused_loop(%y) : (tensor<4x40xf32>) -> tensor<4x40xf32>
  return %z : tensor<4x40xf32>
}

func.func @softmax(%x: tensor<4x40xf32>) -> tensor<4x40xf32> {
  %y = smx.softmax %x axis(1) : tensor<4x40xf32> -> tensor<4x40xf32>
  return %y : tensor<4x40xf32>
}
