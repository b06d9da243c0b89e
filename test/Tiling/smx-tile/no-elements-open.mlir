// RUN: softmax-run %s --entry=cast --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=cast --repeat=0 --target=emulator | FileCheck %s
// RUN: softmax-run %s --entry=known --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=known --repeat=0 --target=emulator | FileCheck %s
// RUN: softmax-run %s --entry=beside --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=beside --repeat=0 --target=emulator | FileCheck %s
// CHECK: against raised: pass
// RUN: softmax-compile %s --entry=cast --emit=tiled | FileCheck %s --check-prefix=TILED --implicit-check-not=scf.forall
// TILED: return

// A result has no elements where its type leaves that open, too.
func.func @cast() -> tensor<?x?xf32> {
  %x = tensor.empty() : tensor<40x0xf32>
  %c = tensor.cast %x : tensor<40x0xf32> to tensor<?x?xf32>
  %y = smx.softmax %c axis(1) : tensor<?x?xf32> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @known() -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c40 = arith.constant 40 : index
  %x = tensor.empty(%c40, %c0) : tensor<?x?xf32>
  %y = smx.layer_norm %x axis(1) epsilon(1.0e-5) : tensor<?x?xf32> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// One that has elements is still computed.
func.func @beside(%x: tensor<40x0xf32>) -> (tensor<?x?xf32>, tensor<?xf32>) {
  %c = tensor.cast %x : tensor<40x0xf32> to tensor<?x?xf32>
  %y = smx.log_softmax %c axis(1) : tensor<?x?xf32> -> tensor<?x?xf32>
  %l = smx.logsumexp %c axis(1) : tensor<?x?xf32> -> tensor<?xf32>
  return %y, %l : tensor<?x?xf32>, tensor<?xf32>
}
