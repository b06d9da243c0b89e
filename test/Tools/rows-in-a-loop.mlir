// Rows that a loop of the program's own computes in each of its rounds, behind others and beside them.
// RUN: softmax-run %s --entry=behind --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=beside --repeat=0 | FileCheck %s
// CHECK: against raised: pass

func.func @behind(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %s = smx.softmax %x axis(1) : tensor<4x8xf32> -> tensor<4x8xf32>
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %s) -> (tensor<4x8xf32>) {
    %y = smx.log_softmax %a axis(1) : tensor<4x8xf32> -> tensor<4x8xf32>
    scf.yield %y : tensor<4x8xf32>
  }
  return %r : tensor<4x8xf32>
}

func.func @beside(%x: tensor<33x33xf32>) -> (tensor<33x33xf32>, tensor<33x33xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %s = smx.softmax %x axis(0) : tensor<33x33xf32> -> tensor<33x33xf32>
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> (tensor<33x33xf32>) {
    %y = smx.softmax %a axis(0) : tensor<33x33xf32> -> tensor<33x33xf32>
    scf.yield %y : tensor<33x33xf32>
  }
  return %s, %r : tensor<33x33xf32>, tensor<33x33xf32>
}
